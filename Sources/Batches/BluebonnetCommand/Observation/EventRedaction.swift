// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// Removes secrets from URLs and header fields of events, as `curlCommand()` and recordings do, and the values of
/// environment variables, as result lines do.
struct EventRedaction: Sendable {
    private let line: ObservedLine?

    init(_ line: ObservedLine?) { self.line = line }

    /// Returns a URL without user information, fragment and the values of secret parameters.
    func url(_ text: String) -> String { hiding(Redaction.url(text)) }

    /// Returns the value of a header field to show.
    func value(_ value: String, of name: String) -> String { hiding(Redaction.value(value, ofField: name)) }

    /// Returns fields to show, in order.
    func fields(_ fields: [(name: String, value: String)]) -> [(name: String, value: String)] {
        fields.map { ($0.name, value($0.value, of: $0.name)) }
    }

    /// Returns a text without the values of environment variables.
    func hiding(_ text: String) -> String { line?.hidden?.hide(in: text) ?? text }
}
