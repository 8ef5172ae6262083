// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// Removes secrets from URLs and header fields of events, as `curlCommand()` and recordings do, and the values of
/// environment variables, as result lines do.
struct EventRedaction: Sendable {
    /// Secret fields whose names do not say that they are secret.
    private static let secretFields: Set = ["authentication-info", "proxy-authentication-info"]
    /// Fields that are URLs.
    private static let urlFields: Set = ["location", "content-location", "referer"]

    private let line: ObservedLine?

    init(_ line: ObservedLine?) { self.line = line }

    /// Returns a URL without user information, fragment and the values of secret parameters.
    func url(_ text: String) -> String { hiding(Redaction.url(text)) }

    /// Returns the value of a header field to show.
    func value(_ value: String, of name: String) -> String {
        let lowercased = name.lowercased()
        if Redaction.isSecret(name) || Self.secretFields.contains(lowercased) {
            return value.isEmpty ? "" : Redaction.placeholder
        }
        return Self.urlFields.contains(lowercased) ? url(value) : hiding(Redaction.text(value))
    }

    /// Returns fields to show, in order.
    func fields(_ fields: [(name: String, value: String)]) -> [(name: String, value: String)] {
        fields.map { ($0.name, value($0.value, of: $0.name)) }
    }

    /// Returns a text without the values of environment variables.
    func hiding(_ text: String) -> String { line?.hidden?.hide(in: text) ?? text }
}
