// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct PartialFileRecordTests {
    private let fixture: PartialFileFixture

    init() throws { fixture = try PartialFileFixture() }

    @Test func movingIntoPlaceRemovesTheRecord() throws {
        let file = try fixture.open()
        try file.setRecord(fixture.record)
        try fixture.write("0123456789", to: file)
        try file.moveIntoPlace()
        #expect(fixture.folder.names == ["out"])
    }

    @Test func partThatCanBeContinuedIsKeptWithItsRecord() throws {
        try fixture.leavePart("01234")
        #expect(fixture.folder.names == ["out.bluebonnet-partial", "out.bluebonnet-partial.json"])
        let next = try fixture.open()
        #expect(next.initialByteCount == 5)
        #expect(next.initialRecord == fixture.record)
        try fixture.write("56789", at: 5, to: next)
        try next.moveIntoPlace()
        #expect(fixture.folder.text("out") == "0123456789")
    }

    /// A killed process may leave a record without its file.
    @Test func recordWithoutItsFileIsRemoved() throws {
        try fixture.folder.write("{}", to: "out.bluebonnet-partial.json")
        let file = try fixture.openNamed()
        #expect(fixture.folder.names == ["out.bluebonnet-partial"])
        try fixture.write("new", to: file)
        try file.moveIntoPlace()
        #expect(fixture.folder.names == ["out"])
    }

    @Test func bytesWithoutARecordAreDropped() throws {
        try fixture.folder.write("01234", to: "out.bluebonnet-partial")
        let file = try fixture.open()
        #expect(file.initialByteCount == 0)
        #expect(file.initialRecord == nil)
        #expect(fixture.folder.text("out.bluebonnet-partial") == "")
    }

    @Test func bytesOfAnotherURLAreDropped() throws {
        try fixture.leavePart("01234")
        let file = try PartialFile(destination: fixture.folder.path("out"), url: URL(string: "http://h/other"))
        #expect(file.initialByteCount == 0)
        #expect(file.initialRecord == nil)
        #expect(fixture.folder.text("out.bluebonnet-partial") == "")
    }

    @Test func recordWithoutBytesIsIgnored() throws {
        try fixture.folder.write(
            String(decoding: fixture.record.encoded(), as: UTF8.self), to: "out.bluebonnet-partial.json")
        let file = try fixture.open()
        #expect(file.initialByteCount == 0)
        #expect(file.initialRecord == nil)
    }

    @Test(arguments: ["", "{", "[]", "{\"url\":\"http://h/file\"}"])
    func invalidRecordIsIgnored(text: String) throws {
        try fixture.folder.write("01234", to: "out.bluebonnet-partial")
        try fixture.folder.write(text, to: "out.bluebonnet-partial.json")
        #expect(try fixture.open().initialRecord == nil)
    }

    @Test func recordCanBeRemoved() throws {
        let file = try fixture.open()
        try file.setRecord(fixture.record)
        #expect(PartialRecord.read(file.path + ".json") == fixture.record)
        file.removeRecord()
        #expect(fixture.folder.names == ["out.bluebonnet-partial"])
    }

    @Test func recordOfAnotherURLIsRemoved() throws {
        try fixture.leavePart("01234")
        let file = try PartialFile(destination: fixture.folder.path("out"), url: URL(string: "http://h/other"))
        #expect(file.initialRecord == nil)
        #expect(fixture.folder.names == ["out.bluebonnet-partial"])
    }

    @Test func recordReplacesALongerOne() throws {
        let file = try fixture.open()
        let long = PartialRecord(
            requestURL: fixture.url, responseURL: fixture.url,
            validator: .entityTag("\"" + String(repeating: "x", count: 500) + "\""),
            totalByteCount: 1
        )
        try file.setRecord(long)
        try file.setRecord(fixture.record)
        #expect(PartialRecord.read(file.path + ".json") == fixture.record)
    }

    @Test func recordContainsNoSecretAndIsPrivate() throws {
        let secret = try #require(URL(string: "http://user:password@h/file?token=secret"))
        let file = try PartialFile(destination: fixture.folder.path("out"), url: secret)
        try file.setRecord(
            PartialRecord(requestURL: secret, responseURL: secret, validator: .entityTag("\"v1\""), totalByteCount: 1))
        let text = try #require(fixture.folder.text("out.bluebonnet-partial.json"))
        #expect(!text.contains("password") && !text.contains("secret"))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path + ".json")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func recordIsEncodedAndDecoded() throws {
        for total in [nil, 0, Int64.max] {
            let record = PartialRecord(
                requestURL: fixture.url, responseURL: fixture.url, validator: .entityTag("\"a\\\u{e9}\""),
                totalByteCount: total)
            try record.encoded().write(to: fixture.folder.file("record"))
            #expect(PartialRecord.read(fixture.folder.path("record")) == record)
        }
    }

    /// The query of a signed URL changes from run to run.
    @Test(
        arguments: [
            ("http://h/file?sig=2", 10, true), ("http://h/file?sig=2", nil, false), ("http://h/other?sig=1", 10, false),
            ("http://other/file?sig=1", 10, false), ("http://h/file?sig=1", nil, true),
        ] as [(String, Int64?, Bool)])
    func partWithAnotherQueryIsContinuedByTagAndLength(text: String, total: Int64?, isTaken: Bool) throws {
        let first = try #require(URL(string: "http://h/file?sig=1"))
        func record(_ validator: StrongValidator) -> PartialRecord {
            PartialRecord(requestURL: first, responseURL: first, validator: validator, totalByteCount: total)
        }
        let url = try #require(URL(string: text))
        #expect(record(.entityTag("\"v1\"")).canBeContinued(by: url) == isTaken)
        #expect(record(.lastModified("Tue, 01 Jan 2030 00:00:00 GMT")).canBeContinued(by: url) == (url == first))
    }

    @Test func partOfASignedURLIsContinuedUnderAnotherSignature() throws {
        func open(_ query: String) throws -> PartialFile {
            try PartialFile(destination: fixture.folder.path("out"), url: URL(string: "http://h/file?\(query)"))
        }
        let signed = try #require(URL(string: "http://h/file?X-Amz-Signature=1"))
        let record = PartialRecord(
            requestURL: signed, responseURL: signed, validator: .entityTag("\"v1\""), totalByteCount: 10)
        do {
            let file = try open("X-Amz-Signature=1")
            try file.setRecord(record)
            try fixture.write("01234", to: file)
            file.keepOrRemove(canContinue: true)
        }
        #expect(try open("X-Amz-Signature=2").initialByteCount == 5)
    }

    @Test func recordOfAnOlderVersionNeedsItsOwnURL() throws {
        let fields = try JSONSerialization.jsonObject(with: fixture.record.encoded()) as? [String: Any]
        var old = try #require(fields)
        old["requestResourceDigest"] = nil
        let data = try JSONSerialization.data(withJSONObject: old)
        let record = try JSONDecoder().decode(PartialRecord.self, from: data)
        #expect(record.canBeContinued(by: fixture.url))
        #expect(try !record.canBeContinued(by: #require(URL(string: "http://h/file?a"))))
    }
}
