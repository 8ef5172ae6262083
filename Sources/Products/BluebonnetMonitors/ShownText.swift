// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// Texts of URLs without secrets.
package enum ShownText {
    /// Returns a URL without user information, fragment and the values of secret parameters; the placeholder, if the
    /// text is not a URL.
    package static func url(_ text: String) -> String {
        // Foundation repairs texts, and would make a path of any text.
        URL(string: text, encodingInvalidCharacters: false) == nil ? Redaction.placeholder : Redaction.url(text)
    }
}
