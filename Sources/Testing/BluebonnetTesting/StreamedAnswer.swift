// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

extension TestAnswer {
    /// A part of a body that arrives over time.
    public struct Part: Sendable {
        enum Kind: Sendable {
            case bytes(Data)
            case silence(Duration)
            case cut
            case stall
        }

        let kind: Kind

        /// Bytes, which arrive together.
        public static func data(_ data: Data) -> Part { Part(kind: .bytes(data)) }

        /// A text in UTF-8, which arrives at once.
        public static func text(_ text: String) -> Part { data(Data(text.utf8)) }

        /// A line of text with its line feed.
        public static func line(_ text: String) -> Part { self.text(text + "\n") }

        /// A JSON value on a line, as in NDJSON.
        public static func jsonLine(_ value: JSONValue) -> Part { line(value.jsonText) }

        /// A server-sent event.
        ///
        /// - Parameters:
        ///   - data: the data; each of its lines becomes a field `data`.
        ///   - type: the type of the event, on one line. Default nil: `message`, which is not sent.
        ///   - id: the identifier, on one line. Default nil: no identifier.
        ///   - retry: the time before a reconnection, sent in whole milliseconds. Default nil: none.
        public static func event(
            _ data: String, type: String? = nil, id: String? = nil, retry: Duration? = nil
        ) -> Part {
            precondition(
                ((type ?? "") + (id ?? "")).unicodeScalars.allSatisfy { $0 != "\r" && $0 != "\n" },
                "the type and the id of an event cannot have line breaks")
            var lines: [String] = []
            if let type { lines.append("event: \(type)") }
            if let id { lines.append("id: \(id)") }
            if let retry { lines.append("retry: \(Int(retry / .milliseconds(1)))") }
            lines += Self.lines(data).map { "data: \($0)" }
            return text(lines.joined(separator: "\n") + "\n\n")
        }

        /// A comment of an event stream, which servers send as a sign of life. Each line becomes a comment.
        public static func comment(_ text: String = "") -> Part {
            self.text(lines(text).map { ":\($0)\n" }.joined() + "\n")
        }

        /// The lines of a text, which end with LF, CR or CR LF.
        private static func lines(_ text: String) -> [Substring] {
            text.split(omittingEmptySubsequences: false) { ["\n", "\r", "\r\n"].contains($0) }
        }

        /// Nothing arrives for this time. With a `TestClock`, the pause follows that clock.
        public static func pause(_ duration: Duration) -> Part { Part(kind: .silence(duration)) }

        /// The server closes the connection: the body is not complete, and the operation fails with
        /// `badServerResponse`. Later parts do not arrive.
        public static let cut = Part(kind: .cut)

        /// Nothing further arrives, and the connection stays open. Later parts do not arrive.
        public static let stall = Part(kind: .stall)
    }

    /// Returns a response whose body arrives in parts, without a `Content-Length`.
    ///
    /// ```swift
    /// let feed = TestAnswer.stream(.line("one"), .pause(.seconds(5)), .line("two"))
    /// ```
    ///
    /// The body is complete after the last part. Cuts and stalls by number of bytes, and delays apply to streamed
    /// answers, too. Pieces and ranges do not.
    public static func stream(
        _ parts: Part..., type: String = "application/octet-stream", status: Int = 200
    ) -> TestAnswer {
        stream(parts, type: type, status: status)
    }

    /// Returns a response whose body arrives in these parts.
    public static func stream(
        _ parts: [Part], type: String = "application/octet-stream", status: Int = 200
    ) -> TestAnswer {
        TestAnswer(status: status, headers: ["Content-Type": type]).with { $0.parts = parts }
    }

    /// Returns a stream of server-sent events.
    ///
    /// ```swift
    /// let news = TestAnswer.events(.event("first", id: "1"), .pause(.seconds(30)), .comment(), .cut)
    /// ```
    public static func events(_ parts: Part...) -> TestAnswer { stream(parts, type: "text/event-stream") }

    /// Returns the answer with a trailer section after its complete body. The body is then sent in chunks, without a
    /// `Content-Length`.
    public func trailers(_ fields: HeaderFields) -> TestAnswer { with { $0.trailers = fields } }
}
