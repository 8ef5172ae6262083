// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct ExistingFileTests {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
    }

    private func refusal(_ path: String) -> NetworkingError? {
        #expect(throws: NetworkingError.self) { try ExistingFile(path) }
    }

    @Test func regularFilesAndLinksToThemHavePermissions() throws {
        try folder.write("x", to: "file")
        #expect(chmod(folder.path("file"), 0o640) == 0)
        try link("link", to: folder.path("file"))
        try link("loose", to: folder.path("nowhere"))
        #expect(try ExistingFile(folder.path("file")) == .regular(permissions: 0o640))
        #expect(try ExistingFile(folder.path("link")) == .regular(permissions: 0o640))
        #expect(try ExistingFile(folder.path("loose")) == .none)
        #expect(try ExistingFile(folder.path("none")) == .none)
        #expect(try ExistingFile(folder.path("none/below")) == .none)
    }

    @Test func deviceIsNotReplaced() throws {
        try link("null", to: "/dev/null")
        for path in ["/dev/null", folder.path("null")] {
            #expect(try ExistingFile(path) == .device)
            let error = #expect(throws: NetworkingError.self) { try ExistingFile.checkReplaceable(path) }
            #expect(error?.code == .cannotWriteFile)
            #expect(error?.message == "cannot replace \(path): it is a device")
        }
    }

    @Test func pipesSocketsAndFoldersAreRefused() throws {
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        try link("link", to: folder.path("pipe"))
        try FileManager.default.createDirectory(at: folder.file("folder"), withIntermediateDirectories: false)
        #expect(mknod(folder.path("socket"), S_IFSOCK | 0o600, 0) == 0)
        for (name, kind) in [("pipe", "a FIFO"), ("link", "a FIFO"), ("folder", "a folder"), ("socket", "a socket")] {
            let error = refusal(folder.path(name))
            #expect(error?.code == .cannotOpenFile)
            #expect(error?.message.hasPrefix("cannot write \(folder.path(name)): it is \(kind)") == true)
        }
    }

    /// `/dev/stdout` is such a link.
    @Test func linkToADescriptorOfTheProcessIsRefused() throws {
        try folder.write("x", to: "file")
        let descriptor = open(folder.path("file"), O_RDONLY | O_CLOEXEC)
        try link("stdout", to: "/proc/self/fd/\(descriptor)")
        #expect(refusal(folder.path("stdout"))?.message.hasSuffix("it is a descriptor of this process") == true)
        close(descriptor)
        #expect(refusal(folder.path("stdout"))?.message.hasSuffix("it is a descriptor that is not open") == true)
    }
}
