// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

/// The rules of the HTML standard (9.2.5 and 9.2.6) as a table.
@Suite struct EventStreamDecoderTests {
    struct Rule: Sendable, CustomTestStringConvertible {
        let name: String
        let stream: [UInt8]
        let events: [ServerSentEvent]

        init(_ name: String, _ stream: String, _ events: ServerSentEvent...) {
            (self.name, self.stream, self.events) = (name, Array(stream.utf8), events)
        }

        var testDescription: String { name }
    }

    private static func event(
        _ data: String, _ event: String = "message", id: String = "", retry: Int? = nil
    ) -> ServerSentEvent {
        ServerSentEvent(event: event, data: data, id: id, retry: retry.map { .milliseconds($0) })
    }

    private static let rules = lines + fields + identifiers + retries + ends

    private static let lines = [
        Rule("LF", "data: a\n\n", event("a")),
        Rule("CR", "data: a\r\r", event("a")),
        Rule("CR LF", "data: a\r\n\r\n", event("a")),
        Rule(
            "mixed line ends", "data: a\r\ndata: b\rdata: c\n\rdata: d\n\r\ndata: e\r\n\n", event("a\nb\nc"),
            event("d"), event("e")),
        Rule("LF CR is two line ends", "data: a\n\rdata: b\n\n", event("a"), event("b")),
        Rule("LF after CR LF is a line end", "data: a\r\n\ndata: b\r\n\n", event("a"), event("b")),
        Rule("empty lines", "\n\r\n\rdata: a\n\n\n\n", event("a")),
        Rule(
            "other line ends are data", "data: a\u{85}b\u{2028}c\u{B}d\u{C}e\n\n",
            event("a\u{85}b\u{2028}c\u{B}d\u{C}e")),
        Rule("one byte order mark", "\u{FEFF}data: a\n\n", event("a")),
        Rule("a second byte order mark is part of the name", "\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", event("b")),
        Rule(
            "a later byte order mark is part of the name", "data: a\n\n\u{FEFF}data: b\n\ndata: c\n\n", event("a"),
            event("c")),
        Rule("a byte order mark before an empty line", "\u{FEFF}\ndata: a\n\n", event("a")),
        Rule("a byte order mark in data", "data: \u{FEFF}a\n\n", event("\u{FEFF}a")),
    ]

    private static let fields = [
        Rule("data lines are joined", "data: a\ndata: b\n\n", event("a\nb")),
        Rule("empty data lines", "data\ndata:\ndata: \n\n", event("\n\n")),
        Rule("one empty data line is an event", "data\n\ndata:\n\n", event(""), event("")),
        Rule("last LF only is removed", "data: a\ndata\n\n", event("a\n")),
        Rule(
            "one space is removed", "data:a\ndata: b\ndata:  c\ndata:\td\ndata: \u{A0}e\n\n",
            event("a\nb\n c\n\td\n\u{A0}e")),
        Rule("colons in data", "data::\ndata: :a: b\n\n", event(":\n:a: b")),
        Rule("NUL in data", "data: a\0b\n\n", event("a\0b")),
        Rule("NUL in a name", "data\0: a\n\ndata: b\n\n", event("b")),
        Rule("type", "event: add\ndata: a\n\ndata: b\n\n", event("a", "add"), event("b")),
        Rule("type after data", "data: a\nevent: add\n\n", event("a", "add")),
        Rule("last type counts", "event: a\nevent:b\ndata: c\n\n", event("c", "b")),
        Rule("empty type is message", "event: add\nevent:\ndata: a\n\n", event("a")),
        Rule("type without data is dropped", "event: add\n\ndata: a\n\n", event("a")),
        Rule("a type keeps its spaces", "event:  add \ndata: a\n\n", event("a", " add ")),
        Rule("comments", ": a\n:\n:data: b\ndata: c\n: d\n\n", event("c")),
        Rule("names are exact", "Data: a\n data: b\ndata : c\ndat: d\ndatas: e\nEVENT: f\ndata: g\n\n", event("g")),
        Rule("unknown fields", "cheese: a\nid2: b\nfoo\n\ndata: c\nx:\n\n", event("c")),
    ]

    private static let identifiers = [
        Rule("identifier", "id: 1\ndata: a\n\n", event("a", id: "1")),
        Rule(
            "identifier stays", "id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n", event("a", id: "1"),
            event("b", id: "1"), event("c", id: "2")),
        Rule("identifier without data stays", "id: 1\n\ndata: a\n\n", event("a", id: "1")),
        Rule(
            "empty identifier", "id: 1\ndata: a\n\nid\ndata: b\n\nid: 2\nid:\ndata: c\n\n", event("a", id: "1"),
            event("b"), event("c")),
        Rule("identifier with NUL is ignored", "id: 1\nid: 2\0\nid: \0\nid:\u{0}3\ndata: a\n\n", event("a", id: "1")),
        Rule("identifier keeps spaces and colons", "id:  1: 2 \ndata: a\n\n", event("a", id: " 1: 2 ")),
    ]

    private static let retries = [
        Rule("retry", "retry: 1500\ndata: a\n\ndata: b\n\n", event("a", retry: 1500), event("b")),
        Rule("retry without a space", "retry:0\ndata: a\n\n", event("a", retry: 0)),
        Rule("last valid retry counts", "retry: 1\nretry: 2\nretry: x\ndata: a\n\n", event("a", retry: 2)),
        Rule("leading zeros", "retry: 0010\ndata: a\n\n", event("a", retry: 10)),
        Rule("empty retry", "retry\nretry:\nretry: \ndata: a\n\n", event("a")),
        Rule(
            "retry with more than digits",
            "retry: 1.5\nretry: -1\nretry: +1\nretry: 1 \nretry:  1\nretry: 1s\nretry: ١\ndata: a\n\n", event("a")),
        Rule("retry of a dropped event", "retry: 5\n\ndata: a\n\n", event("a")),
        Rule("huge retry", "retry: 99999999999999999999\ndata: a\n\n", event("a", retry: .max)),
    ]

    private static let ends = [
        Rule("nothing", ""),
        Rule("no empty line", "data: a\n\ndata: b\n", event("a")),
        Rule("no line end", "data: a\n\ndata: b", event("a")),
        Rule("CR at the end", "data: a\n\r", event("a")),
        Rule("half of the last line end", "data: a\r\n\r", event("a")),
    ]

    @Test(arguments: rules) func streamIsDecodedByTheRules(rule: Rule) {
        let reading = EventStreamReading(rule.stream)
        #expect(reading.events == rule.events)
        #expect(reading.error == nil)
    }

    @Test(arguments: rules) func slicesDoNotChangeTheEvents(rule: Rule) {
        let whole = EventStreamReading(rule.stream)
        for byteCount in 1...max(rule.stream.count, 1) {
            #expect(EventStreamReading(rule.stream, sliceByteCount: byteCount) == whole, "\(byteCount) bytes")
        }
    }

    @Test func eventIsReturnedWithItsLastLineEnd() throws {
        for (start, end) in [("data: a\n", "\n"), ("data: a\r", "\r"), ("data: a\r\n", "\r")] {
            var decoder = EventStreamDecoder()
            decoder.append(start.utf8)
            #expect(try decoder.next() == nil)
            decoder.append(end.utf8)
            #expect(try decoder.next() == .event(ServerSentEvent(data: "a")))
        }
    }

    @Test func commentsAreReported() {
        let outputs = EventStreamReading(":\n\n: ping\ndata: a\n:x\n\n:").outputs
        #expect(outputs == [.comment, .comment, .comment, .event(ServerSentEvent(data: "a"))])
    }

    @Test func identifierAppliesAtTheEmptyLine() throws {
        var decoder = EventStreamDecoder(lastEventID: "0")
        decoder.append("id: 1\ndata: a\n".utf8)
        #expect(try decoder.next() == nil)
        #expect(decoder.lastEventID == "0")
        decoder.append("\n".utf8)
        #expect(try decoder.next() != nil)
        #expect(decoder.lastEventID == "1")
    }

    @Test func identifierOfTheFormerStreamStays() {
        let reading = EventStreamReading(Array("data: a\n\nid\ndata: b\n\n".utf8), lastEventID: "7")
        #expect(reading.events.map(\.id) == ["7", ""])
        #expect(EventStreamReading(Array("id: 8\n".utf8), lastEventID: "7").lastEventID == "7")
        #expect(EventStreamReading(Array("id: 8\n\n".utf8), lastEventID: "7").lastEventID == "8")
    }

    @Test func retryAppliesAtOnce() {
        #expect(EventStreamReading("data: a\n\n").reconnectionTime == nil)
        #expect(EventStreamReading("retry: 7\n").reconnectionTime == .milliseconds(7))
        #expect(EventStreamReading("retry: 7\n\ndata: a\n\nretry: x\n\n").reconnectionTime == .milliseconds(7))
    }

    @Test(arguments: [
        ("", false), ("data: a\n\n", false), ("data: a\r\r", false), (": ping\n", false), ("\n", false),
        ("retry: 1\n", false), ("x: y\n", false), ("data: a\r\n\r\n", false),
        ("d", true), (": ping", true), ("data: a\n", true), ("data\n", true), ("event: a\n", true), ("id: 1\n", true),
    ])
    func discardedEndIsReported(stream: String, isUnfinished: Bool) {
        #expect(EventStreamReading(stream).hasUnfinishedEvent == isUnfinished)
    }

    @Test func eventsAreCounted() throws {
        var decoder = EventStreamDecoder()
        decoder.append(": a\n\ndata: a\n\nid: 1\n\ndata: b\n\n".utf8)
        while try decoder.next() != nil {}
        #expect(decoder.eventCount == 2)
    }
}
