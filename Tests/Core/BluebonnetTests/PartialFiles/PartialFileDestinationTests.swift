// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct PartialFileDestinationTests {
    private let fixture: PartialFileFixture

    init() throws { fixture = try PartialFileFixture() }

    @Test func linkAtTheDestinationIsReplacedWithoutChangingItsTarget() throws {
        try fixture.folder.write("precious", to: "target")
        try FileManager.default.createSymbolicLink(
            at: fixture.folder.file("out"), withDestinationURL: fixture.folder.file("target"))
        let file = try fixture.open()
        try fixture.write("new", to: file)
        try file.moveIntoPlace()
        #expect(fixture.folder.text("target") == "precious")
        #expect(throws: (any Error).self) {
            try FileManager.default.destinationOfSymbolicLink(atPath: fixture.folder.path("out"))
        }
        #expect(fixture.folder.text("out") == "new")
    }

    @Test(arguments: [true, false]) func replacedFileKeepsItsPermissions(isNamed: Bool) throws {
        try fixture.folder.write("secret", to: "out")
        #expect(chmod(fixture.folder.path("out"), 0o600) == 0)
        let file = try isNamed ? fixture.openNamed() : fixture.open()
        try fixture.write("new", to: file)
        if isNamed { #expect(try permissions("out.bluebonnet-partial") == 0o600) }
        try file.moveIntoPlace()
        #expect(fixture.folder.text("out") == "new")
        #expect(try permissions("out") == 0o600)
    }

    @Test func readOnlyFileStaysReadOnlyAndItsPartContinues() throws {
        try fixture.folder.write("old", to: "out")
        #expect(chmod(fixture.folder.path("out"), 0o444) == 0)
        try fixture.leavePart("01234")
        #expect(try permissions("out.bluebonnet-partial") == 0o644)
        let file = try fixture.open()
        try fixture.write("56789", at: 5, to: file)
        try file.moveIntoPlace()
        #expect(fixture.folder.text("out") == "0123456789")
        #expect(try permissions("out") == 0o444)
    }

    private func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: fixture.folder.path(name))[.posixPermissions] as? Int
    }

    /// A device or a pipe may appear at the destination while the file is written.
    @Test func pipeThatAppearsAtTheDestinationIsNotReplaced() throws {
        let file = try fixture.openNamed()
        try fixture.write("new", to: file)
        #expect(mkfifo(fixture.folder.path("out"), 0o600) == 0)
        #expect(PartialFileFixture.refusal { try file.moveIntoPlace() } == .cannotWriteFile)
        file.keepOrRemove(canContinue: false)
        #expect(fixture.folder.names == ["out"])
    }

    @Test(arguments: [231, 232, 237, 255]) func longestPossibleNameIsWritten(byteCount: Int) throws {
        let name = String(repeating: "n", count: byteCount - 2) + "é"
        let path = fixture.folder.path(name)
        do {
            let file = try PartialFile(destination: path, url: fixture.url)
            try file.setRecord(fixture.record)
            try fixture.write("01234", to: file)
            file.keepOrRemove(canContinue: true)
        }
        #expect(
            FileManager.default.fileExists(atPath: RequestOperation.partialFile(of: fixture.folder.file(name)).path))
        let file = try PartialFile(destination: path, url: fixture.url)
        #expect(file.initialByteCount == 5)
        try fixture.write("56789", at: 5, to: file)
        try file.moveIntoPlace()
        #expect(fixture.folder.names == [name])
        #expect(fixture.folder.text(name) == "0123456789")
    }

    @Test func partialFileOfALongNameIsRemoved() throws {
        let name = String(repeating: "n", count: 250)
        do {
            let file = try PartialFile(destination: fixture.folder.path(name), url: fixture.url)
            try file.setRecord(fixture.record)
            try fixture.write("01234", to: file)
            file.keepOrRemove(canContinue: true)
        }
        #expect(fixture.folder.names.count == 2)
        RequestOperation.removePartialFile(of: fixture.folder.file(name))
        #expect(fixture.folder.names == [])
    }
}
