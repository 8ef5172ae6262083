// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// Turns events into the text of a file. A value without a clock and a file.
///
/// The file is `head`, the texts that `receive` returns, and `tail`. It is complete after each event.
protocol EventExporter: Sendable {
    var head: String { get }
    var tail: String { get }

    /// Returns the text to append for an event; empty for an event that the file does not show.
    ///
    /// - Parameter line: the line of the event's operation; nil for an event without an operation.
    mutating func receive(_ event: RequestEvent, of line: ObservedLine?) -> String
}

extension EventExporter {
    /// Returns a whole file of these events.
    ///
    /// - Parameter lines: the lines by operation number.
    mutating func file(_ events: [RequestEvent], lines: [Int: ObservedLine] = [:]) -> String {
        head + events.map { receive($0, of: $0.operation.flatMap { lines[$0] }) }.joined() + tail
    }
}
