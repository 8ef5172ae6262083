// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct ResponseHeadParserTests {
    private static let url = URL(string: "http://h/")!

    private func makeParser(limit: Int = 256 * 1024) -> ResponseHeadParser {
        ResponseHeadParser(url: Self.url, limit: limit)
    }

    /// Feeds the text line by line, split after each line feed, and returns the events.
    private func feed(_ text: String, to parser: inout ResponseHeadParser) throws -> [ResponseHeadParser.Event] {
        try feed(Array(text.utf8), to: &parser)
    }

    private func feed(_ bytes: [UInt8], to parser: inout ResponseHeadParser) throws -> [ResponseHeadParser.Event] {
        var events: [ResponseHeadParser.Event] = []
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            let event = try (line + [0x0A]).withUnsafeBytes { try parser.consume(line: $0) }
            if let event { events.append(event) }
        }
        return events
    }

    private func head(_ text: String) throws -> ResponseHead {
        var parser = makeParser()
        let events = try feed(text, to: &parser)
        #expect(parser.isComplete)
        return try #require(events.last?.head)
    }

    // MARK: - Valid heads

    @Test func headHasStatusVersionAndFieldsInOrder() throws {
        let head = try head("HTTP/1.1 404 Not Found\r\nB: 1\r\na:2\r\nB: \t 3 \t\r\nEmpty:\r\n\r\n")
        #expect(head.url == Self.url)
        #expect(head.statusCode == 404)
        #expect(head.reasonPhrase == "Not Found")
        #expect(head.httpVersion == "1.1")
        #expect(head.headers.map(\.name) == ["B", "a", "B", "Empty"])
        #expect(head.headers.map(\.value) == ["1", "2", "3", ""])
    }

    @Test(arguments: [
        ("HTTP/1.0 200 OK", "1.0", "OK"), ("HTTP/1.1 200 OK", "1.1", "OK"), ("HTTP/1.1 200 ", "1.1", ""),
        ("HTTP/1.1 200", "1.1", ""), ("HTTP/2 200 ", "2", ""), ("HTTP/2 200", "2", ""), ("HTTP/3 200 ", "3", ""),
        ("HTTP/1.7 200 x y", "1.1", "x y"), ("HTTP/1.1 200 Gr\u{FC}n", "1.1", "Grün"),
    ])
    func statusLinesOfEveryVersionAreRead(line: String, version: String, reason: String) throws {
        let head = try head(line + "\r\nx: y\r\n\r\n")
        #expect(head.statusCode == 200)
        #expect(head.httpVersion == version)
        #expect(head.reasonPhrase == reason)
    }

    @Test func linesMayEndWithLineFeed() throws {
        let head = try head("HTTP/1.1 200 OK\nA: 1\nB: 2\r\n\n")
        #expect(head.headers.map(\.value) == ["1", "2"])
    }

    @Test(arguments: [
        ("A: b\r\n c\r\n", "b c"), ("A: b\r\n\t \tc \r\n  d\r\n", "b c d"), ("A:\r\n b\r\n", "b"),
        ("A: b\r\n \r\n", "b"),
    ])
    func foldedValueIsJoinedWithOneSpace(fields: String, value: String) throws {
        let head = try head("HTTP/1.1 200 OK\r\n\(fields)Z: z\r\n\r\n")
        #expect(head.headers.map(\.value) == [value, "z"])
    }

    @Test func nonUTF8ValuesAreReadAsLatin1() throws {
        var parser = makeParser()
        let bytes = Array("HTTP/1.1 302 x\r\nLocation: /".utf8) + [0xE9] + Array("\r\nName: é\r\n\r\n".utf8)
        let head = try #require(try feed(bytes, to: &parser).last?.head)
        #expect(head.headers.map(\.value) == ["/é", "é"])
        #expect(head.locations == ["/%E9"])
    }

    // MARK: - Several heads

    @Test func interimResponsesAreDroppedWithTheirFields() throws {
        var parser = makeParser()
        let interim = try feed(
            "HTTP/1.1 100 Continue\r\nA: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nB: 2\r\n\r\n", to: &parser)
        #expect(interim.map(\.interimStatus) == [100, 103])
        #expect(!parser.isComplete)
        let final = try feed("HTTP/1.1 204 Gone\r\nC: 3\r\n\r\n", to: &parser)
        #expect(final.map { $0.head?.headers.map(\.name) } == [["C"]])
    }

    @Test func linesAfterFinalHeadAreIgnoredTrailers() throws {
        var parser = makeParser()
        _ = try feed("HTTP/1.1 200 OK\r\n\r\n", to: &parser)
        #expect(try feed("Content-Length: x\r\nHTTP/1.1 500 No\r\n\r\n", to: &parser).isEmpty)
        #expect(parser.isComplete)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nA: 1\r\n", "HTTP/1.1 100 Continue\r\n\r\n"])
    func truncatedHeadIsIncomplete(text: String) throws {
        var parser = makeParser()
        #expect(try feed(text, to: &parser).allSatisfy { $0.head == nil })
        #expect(!parser.isComplete)
    }

    /// RFC 9110, 15: a client treats such a status code as a server error, so the response is delivered.
    @Test(arguments: ["HTTP/1.1", "HTTP/1.0", "HTTP/2"], [600, 700, 999])
    func unknownStatusClassIsDelivered(version: String, status: Int) throws {
        for reason in [" ", " Reason", "", " Ünknown"] {
            var parser = makeParser()
            let events = try feed("\(version) \(status)\(reason)\r\nContent-Length: 2\r\n\r\n", to: &parser)
            let head = try #require(events.first?.head)
            #expect(head.statusCode == status)
            #expect(head.hasBody(for: "GET"))
            #expect(parser.isComplete)
        }
    }

    @Test func unrequestedProtocolSwitchIsRefused() {
        expectRefusal("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", .badServerResponse)
    }

    // MARK: - Invalid heads

    @Test(arguments: [
        "\r\n", "<html>\r\n", "HTTP/0.9 200 OK\r\n", "HTTP/1.1\r\n", "HTTP/4 200 OK\r\n", "http/1.1 200 OK\r\n",
        "HTTP/1.10 200 OK\r\n", "HTTP/1.1  200 OK\r\n", "HTTP/1.1 099 x\r\n", "HTTP/1.1 000 x\r\n",
        "HTTP/1.1 1000 x\r\n", "HTTP/1.1 99 x\r\n",
        "HTTP/1.1 9999 x\r\n",
        "HTTP/1.1 20 x\r\n", "HTTP/1.1 +20 x\r\n", "HTTP/1.1 2 0\r\n", "HTTP/1.1 200 O\u{0}K\r\n",
        "HTTP/1.1 200 O\rK\r\n",
        "A: 1\r\n", " HTTP/1.1 200 OK\r\n", "\u{16}\u{3}\u{1}\r\n",
    ])
    func malformedStatusLineIsRefused(line: String) {
        expectRefusal(line, .badServerResponse)
    }

    @Test(arguments: [
        "Content-Length : 2", "A\t: 1", "A B: 1", ": 1", "A(: 1", "Ä: 1", "no colon", "A: 1\u{0}2", "A: 1\r2", "A: 1\r",
        " folded first",
    ])
    func malformedFieldIsRefused(line: String) {
        expectRefusal("HTTP/1.1 200 OK\r\n\(line)\r\n\r\n", .badServerResponse)
    }

    @Test func controlCharacterInFoldedLineIsRefused() {
        expectRefusal("HTTP/1.1 200 OK\r\nA: 1\r\n 2\u{0}\r\n\r\n", .badServerResponse)
    }

    /// libcurl reads only the first line of such a field.
    @Test(arguments: [
        "Transfer-Encoding:\r\n chunked", "Content-Length:\r\n\t5", "content-length: 5\r\n  ",
        "A: b\r\nTRANSFER-ENCODING: a\r\n b",
    ])
    func foldedFramingFieldIsRefused(fields: String) {
        expectRefusal("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n", .badServerResponse)
    }

    @Test func contradictoryLengthsAreRefusedInTheFinalHead() {
        expectRefusal("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", .badServerResponse)
    }

    // MARK: - Limits

    @Test func headerLimitIsExact() throws {
        let text = "HTTP/1.1 200 OK\r\nA: 1\r\n\r\n"
        var parser = makeParser(limit: text.utf8.count)
        #expect(try feed(text, to: &parser).count == 1)
        expectRefusal(text, .headersTooLarge, limit: text.utf8.count - 1)
    }

    @Test func interimHeadsAndTrailersCountAgainstTheLimit() {
        let interim = String(repeating: "HTTP/1.1 103 x\r\n\r\n", count: 20_000)
        expectRefusal(interim, .headersTooLarge)
        let trailers = String(repeating: "A: 1\r\n", count: 50_000)
        expectRefusal("HTTP/1.1 200 OK\r\n\r\n" + trailers, .headersTooLarge)
    }

    @Test func endlessLineIsTooLarge() {
        expectRefusal("HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 1_000_000) + "\r\n", .headersTooLarge)
    }

    private func expectRefusal(_ text: String, _ code: NetworkingError.Code, limit: Int = 256 * 1024) {
        var parser = makeParser(limit: limit)
        let error = #expect(throws: NetworkingError.self) { _ = try feed(text, to: &parser) }
        #expect(error?.code == code, "\(error?.message ?? "")")
        #expect(error?.message.utf8.contains { $0 < 0x20 } == false)
    }
}

extension ResponseHeadParser.Event {
    fileprivate var head: ResponseHead? { if case .complete(let head) = self { head } else { nil } }
    fileprivate var interimStatus: Int? { if case .informational(let status) = self { status } else { nil } }
}
