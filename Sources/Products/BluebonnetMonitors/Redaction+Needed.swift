// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// The texts of URLs and header fields without secrets. Secrets are those of `curlCommand()` and of the descriptions
/// of requests and fields, from which the texts are taken.
package enum ShownText {
    private static let placeholder = "REDACTED"

    /// Fields whose values are URLs.
    private static let addresses: Set = ["location", "content-location", "referer", "link"]

    /// Returns a URL without user information, fragment and the values of secret parameters; the placeholder, if the
    /// text is not a URL.
    package static func url(_ text: String) -> String {
        // Foundation repairs texts, and would make a path of any text.
        guard let url = URL(string: text, encodingInvalidCharacters: false) else { return placeholder }
        return String(Substring(HTTPRequest("GET", url: url).description.utf8.dropFirst("GET ".utf8.count)))
    }

    /// Returns the value of a field; the placeholder, if its name is that of a secret.
    package static func value(ofField name: String, _ value: String) -> String {
        if addresses.contains(name.lowercased()) { return url(value) }
        let shown = HeaderFields.Field(name: name, value: value).description
        return String(Substring(shown.utf8.dropFirst(name.utf8.count + ": ".utf8.count)))
    }
}
