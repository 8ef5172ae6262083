// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CLinux
import Foundation
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct NamelessFileTests {
    private let fixture: PartialFileFixture

    init() throws { fixture = try PartialFileFixture() }

    @Test func smallFileHasNoNameBeforeItIsComplete() throws {
        let file = try fixture.open()
        try fixture.write("abc", to: file)
        #expect(fixture.folder.names == [])
        try file.moveIntoPlace()
        #expect(fixture.folder.names == ["out"])
        #expect(fixture.folder.text("out") == "abc")
        let attributes = try FileManager.default.attributesOfItem(atPath: fixture.folder.path("out"))
        let mask = umask(0)
        umask(mask)
        #expect(attributes[.posixPermissions] as? mode_t == 0o666 & ~mask)
    }

    @Test func smallFileReplacesAnotherWhenItIsComplete() throws {
        try fixture.folder.write("a longer old text", to: "out")
        let file = try fixture.open()
        try fixture.write("new", to: file)
        #expect(fixture.folder.names == ["out"])
        #expect(fixture.folder.text("out") == "a longer old text")
        try file.moveIntoPlace()
        #expect(fixture.folder.names == ["out"])
        #expect(fixture.folder.text("out") == "new")
    }

    @Test(arguments: [true, false]) func abandonedSmallFileLeavesNothing(isDropped: Bool) throws {
        do {
            let file = try fixture.open()
            try fixture.write("abc", to: file)
            if !isDropped { file.keepOrRemove(canContinue: false) }
        }
        #expect(fixture.folder.names == [])
    }

    /// A killed process leaves a named file, but nothing of a file without a name.
    @Test func fileKeepsItsBytesWhenItGetsItsName() throws {
        let file = try fixture.open()
        try fixture.write("abc", to: file)
        try file.giveName()
        #expect(fixture.folder.text("out.bluebonnet-partial") == "abc")
        try file.giveName()
        try fixture.write("def", at: 3, to: file)
        #expect(fixture.folder.text("out.bluebonnet-partial") == "abcdef")
    }

    /// Another process has begun in the meantime.
    @Test func nameTakenInTheMeantimeIsLeftAlone() throws {
        let file = try fixture.open()
        try fixture.write("abc", to: file)
        try fixture.folder.write("other", to: "out.bluebonnet-partial")
        try fixture.folder.write("{}", to: "out.bluebonnet-partial.json")
        #expect(PartialFileFixture.refusal { try file.giveName() } == .cannotOpenFile)
        #expect(PartialFileFixture.refusal { try file.setRecord(fixture.record) } == .cannotOpenFile)
        #expect(fixture.folder.text("out.bluebonnet-partial") == "other")
        #expect(fixture.folder.text("out.bluebonnet-partial.json") == "{}")
        file.keepOrRemove(canContinue: false)
        #expect(fixture.folder.names == ["out.bluebonnet-partial", "out.bluebonnet-partial.json"])
    }

    @Test func namedFileIsLocked() throws {
        let file = try fixture.openNamed()
        let descriptor = Glibc.open(fixture.folder.path("out.bluebonnet-partial"), O_RDWR)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == -1)
        file.unlock()
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    @Test func destinationIsReservedForOneDownload() throws {
        let first = try fixture.open()
        #expect(PartialFileFixture.refusal { _ = try fixture.open() } == .cannotOpenFile)
        #expect(throws: Never.self) { _ = try PartialFile(destination: fixture.folder.path("other"), url: fixture.url) }
        try first.moveIntoPlace()
        first.unlock()
        #expect(PartialFileFixture.refusal { _ = try fixture.open() } == nil)
        withExtendedLifetime(first) {}
    }

    @Test func destinationWithoutAFolderUsesTheCurrentFolder() throws {
        let opened = try #require(OpenedPartialFile.nameless(for: "\(UUID().uuidString).bluebonnet-partial"))
        defer { close(opened.descriptor) }
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(opened.descriptor)")
        #expect(link.hasPrefix(FileManager.default.currentDirectoryPath + "/#"))
    }

    /// An existing file is opened by its name.
    @Test func newFileIsNamelessAndAnOldFileIsNamed() throws {
        let path = fixture.folder.path("out.bluebonnet-partial")
        let opened = try #require(OpenedPartialFile.nameless(for: path))
        #expect(!opened.isNamed && opened.byteCount == 0)
        close(opened.descriptor)
        try fixture.folder.write("abc", to: "out.bluebonnet-partial")
        #expect(OpenedPartialFile.nameless(for: path) == nil)
        #expect(OpenedPartialFile.nameless(for: fixture.folder.path("none/out.bluebonnet-partial")) == nil)
        #expect(OpenedPartialFile.nameless(for: "/proc/self/out.bluebonnet-partial") == nil)  // no O_TMPFILE there
        let named = try #require(try OpenedPartialFile.locked(path, in: nil))
        #expect(named.isNamed && named.byteCount == 3)
        close(named.descriptor)
    }

    /// By the descriptor alone where the kernel allows that, and by its path where it does not.
    @Test(arguments: [false, true]) func namelessFileIsLinkedOnlyToAFreeName(isByPath: Bool) throws {
        let path = fixture.folder.path("out")
        let opened = try #require(OpenedPartialFile.nameless(for: path))
        defer { close(opened.descriptor) }
        #expect(Glibc.write(opened.descriptor, "abc", 3) == 3)
        let link = isByPath ? bluebonnet_link_by_path : bluebonnet_link
        #expect(link(opened.descriptor, AT_FDCWD, path) == 0)
        #expect(fixture.folder.text("out") == "abc")
        #expect(link(opened.descriptor, AT_FDCWD, path) == -1 && errno == EEXIST)
        #expect(link(opened.descriptor, AT_FDCWD, fixture.folder.path("none/out")) == -1 && errno == ENOENT)
        #expect(fixture.folder.names == ["out"])
    }
}
