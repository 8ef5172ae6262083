// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// The texts of URLs and header fields without secrets.
package enum ShownText {
    /// Fields whose values are URLs.
    private static let addresses: Set = ["location", "content-location", "referer", "link"]

    /// Returns a URL without user information, fragment and the values of secret parameters; the placeholder, if the
    /// text is not a URL.
    package static func url(_ text: String) -> String {
        // Foundation repairs texts, and would make a path of any text.
        URL(string: text, encodingInvalidCharacters: false) == nil ? Redaction.placeholder : Redaction.url(text)
    }

    /// Returns the value of a field; the placeholder, if its name is that of a secret.
    package static func value(ofField name: String, _ value: String) -> String {
        if addresses.contains(name.lowercased()) { return url(value) }
        return Redaction.isSecret(name) && !value.isEmpty ? Redaction.placeholder : value
    }
}
