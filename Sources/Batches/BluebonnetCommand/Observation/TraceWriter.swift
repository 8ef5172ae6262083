// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// Writes trace events as JSON text. Instants are nanoseconds since the start of the trace.
struct TraceWriter: Sendable {
    private var text = ""
    private var hasEvents = false

    /// Removes and returns the text so far.
    mutating func removeText() -> String {
        defer { text = "" }
        return text
    }

    /// Names a process (`M`).
    mutating func processName(_ name: String, _ process: Int) {
        append { text in
            text.member("ph", "M")
            text.member("name", "process_name")
            text.member("pid", process)
            text.member("tid", 0)
            text.key("args")
            text.object { $0.member("name", name) }
        }
    }

    /// Begins an asynchronous slice (`b`). Its end has the same category, id and process.
    mutating func begin(_ name: String, _ category: String, _ id: Int, _ process: Int, at instant: UInt64) {
        append { Self.asynchronous("b", name, category, id, process, instant, &$0) }
    }

    /// Ends an asynchronous slice (`e`).
    mutating func end(
        _ name: String, _ category: String, _ id: Int, _ process: Int, at instant: UInt64, outcome: String? = nil
    ) {
        append { text in
            Self.asynchronous("e", name, category, id, process, instant, &text)
            guard let outcome else { return }
            text.key("args")
            text.object { $0.member("outcome", outcome) }
        }
    }

    /// Writes values of counters (`C`).
    mutating func counter(_ values: [(String, Int)], at instant: UInt64) {
        append { text in
            text.member("ph", "C")
            text.member("name", "operations")
            text.member("pid", 1)
            text.member(at: instant)
            text.key("args")
            text.object { text in
                for (name, value) in values {
                    text.key(name)
                    text.token(String(value))
                }
            }
        }
    }

    /// Appends an event, given as JSON.
    mutating func append(_ event: String) {
        text += (hasEvents ? ",\n" : "\n") + event
        hasEvents = true
    }

    private mutating func append(_ write: (inout JSONText) -> Void) { append(Self.object(write)) }

    /// Returns an event as JSON.
    static func object(_ write: (inout JSONText) -> Void) -> String {
        var text = JSONText(expectedByteCount: 160)
        text.object(write)
        return text.string
    }

    private static func asynchronous(
        _ kind: String, _ name: String, _ category: String, _ id: Int, _ process: Int, _ instant: UInt64,
        _ text: inout JSONText
    ) {
        text.member("ph", kind)
        text.member("cat", category)
        text.member("name", name)
        text.member("id", id)
        text.member("pid", process)
        text.member("tid", 0)
        text.member(at: instant)
    }
}

extension JSONText {
    /// Writes the member `ts` of a trace event.
    mutating func member(at nanoseconds: UInt64) {
        key("ts")
        token(EventText.microseconds(nanoseconds))
    }
}
