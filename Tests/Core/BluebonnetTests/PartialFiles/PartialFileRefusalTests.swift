// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct PartialFileRefusalTests {
    private let fixture: PartialFileFixture

    init() throws { fixture = try PartialFileFixture() }

    @Test func twoDownloadsDoNotWriteToOneFile() throws {
        let first = try fixture.openNamed()
        #expect(PartialFileFixture.refusal { _ = try fixture.open() } == .cannotOpenFile)
        try fixture.write("abc", to: first)
        #expect(fixture.folder.text("out.bluebonnet-partial") == "abc")
    }

    /// As another process would lock it: with the lock alone.
    @Test func lockedFileIsNotWrittenTo() throws {
        try fixture.folder.write("abc", to: "out.bluebonnet-partial")
        let descriptor = Glibc.open(fixture.folder.path("out.bluebonnet-partial"), O_RDWR)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)
        #expect(PartialFileFixture.refusal { _ = try fixture.open() } == .cannotOpenFile)
        #expect(fixture.folder.text("out.bluebonnet-partial") == "abc")
    }

    @Test func lockIsReleasedWithTheLastReference() throws {
        do { _ = try fixture.open() }
        #expect(PartialFileFixture.refusal { _ = try fixture.open() } == nil)
    }

    @Test func lockCanBeReleasedBeforeTheLastReference() throws {
        let first = try fixture.open()
        first.unlock()
        #expect(PartialFileFixture.refusal { _ = try fixture.open() } == nil)
        withExtendedLifetime(first) {}
    }

    @Test func symbolicLinkIsRefusedWithoutChangingItsTarget() throws {
        try fixture.folder.write("precious", to: "target")
        try FileManager.default.createSymbolicLink(
            at: fixture.folder.file("out.bluebonnet-partial"), withDestinationURL: fixture.folder.file("target"))
        #expect(PartialFileFixture.refusal { _ = try fixture.open() } == .cannotOpenFile)
        #expect(fixture.folder.text("target") == "precious")
    }

    @Test func symbolicLinkAtTheRecordPathIsRefused() throws {
        try fixture.folder.write("precious", to: "target")
        let file = try fixture.openNamed()
        try FileManager.default.createSymbolicLink(
            at: fixture.folder.file("out.bluebonnet-partial.json"), withDestinationURL: fixture.folder.file("target"))
        #expect(PartialFileFixture.refusal { try file.setRecord(fixture.record) } == .cannotWriteFile)
        #expect(fixture.folder.text("target") == "precious")
    }

    @Test func pipeIsRefusedWithoutWaiting() {
        #expect(mkfifo(fixture.folder.path("out.bluebonnet-partial"), 0o600) == 0)
        #expect(PartialFileFixture.refusal { _ = try fixture.open() } == .cannotOpenFile)
    }

    @Test func folderIsRefused() throws {
        try FileManager.default.createDirectory(
            at: fixture.folder.file("out.bluebonnet-partial"), withIntermediateDirectories: false)
        #expect(PartialFileFixture.refusal { _ = try fixture.open() } == .cannotOpenFile)
    }

    @Test func missingFolderIsAnError() {
        #expect(
            PartialFileFixture.refusal {
                _ = try PartialFile(destination: fixture.folder.path("none/out"), url: fixture.url)
            } == .cannotOpenFile)
    }

    @Test func destinationThatIsAFolderCannotBeReplaced() throws {
        try FileManager.default.createDirectory(at: fixture.folder.file("out"), withIntermediateDirectories: false)
        #expect(PartialFileFixture.refusal { _ = try fixture.open() } == .cannotWriteFile)
    }
}
