// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Files that are written by replacement: tokens, cookies and bodies. A rename by root would replace a device, too.
@Suite(.timeLimit(.minutes(1))) struct ReplacementRefusalTests {
    private static let names = ["device", "pipe", "pipe-link", "socket", "socket-link", "folder"]
    private let folder: ScratchFolder

    init() throws {
        folder = try ScratchFolder()
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(mknod(folder.path("socket"), S_IFSOCK | 0o600, 0) == 0)
        for (name, target) in [
            ("device", "/dev/null"), ("pipe-link", folder.path("pipe")), ("socket-link", folder.path("socket")),
        ] {
            try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
        }
        try FileManager.default.createDirectory(at: folder.file("folder"), withIntermediateDirectories: false)
    }

    /// The type of each name, and of `/dev/null`, so that a replaced device is noticed.
    private var kinds: [String: FileAttributeType] {
        var kinds: [String: FileAttributeType] = [:]
        for name in folder.names { kinds[name] = Self.kind(folder.path(name)) }
        kinds["/dev/null"] = Self.kind("/dev/null")
        return kinds
    }

    private static func kind(_ path: String) -> FileAttributeType? {
        try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    }

    private func refusal(_ body: () throws -> Void) -> NetworkingError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? NetworkingError)?.code
        }
    }

    @Test(arguments: names) func tokenFileReplacesOnlyRegularFiles(name: String) {
        let before = kinds
        let path = folder.path(name)
        for isAlone in [false, true] {
            let code = refusal { try PrivateFile.replace(path, with: Data("x".utf8), isAlone: isAlone) }
            #expect(code == .cannotWriteFile)
        }
        #expect(refusal { try PrivateFile.remove(path) } == .cannotWriteFile)
        #expect(kinds == before)
        #expect(before["/dev/null"] == .typeCharacterSpecial)
    }

    @Test(arguments: names) func cookieFileReplacesOnlyRegularFiles(name: String) {
        let before = kinds
        #expect(refusal { try CookieFile.write([], to: folder.path(name)) } == .cannotWriteFile)
        #expect(kinds == before)
    }

    @Test(arguments: names) func bodyReplacesOnlyRegularFiles(name: String) throws {
        let before = kinds
        let url = URL(string: "http://h/file")
        #expect(refusal { _ = try PartialFile(destination: folder.path(name), url: url) } == .cannotWriteFile)
        #expect(kinds == before)
    }
}
