// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// The value of `--base-url`, which may be invalid.
struct BaseURL {
    /// The URL against which other URLs are resolved; nil if the text is not an absolute HTTP URL.
    let url: URL?
    /// The text without user information, for messages.
    let shown: String

    init(_ text: String) {
        // A URL with "@" whose colon is missing looks relative, but may still contain a password.
        let visible = URLText.withoutUserInfo(text)
        let mark = visible == text ? visible.lastIndex(of: "@") : nil
        shown = mark.map { "REDACTED\(visible[$0...])" } ?? visible
        let url = URL(string: text)
        let isUsable = ["http", "https"].contains(url?.scheme?.lowercased()) && url?.host?.isEmpty == false
        self.url = isUsable ? url : nil
    }

    /// The error message for an unusable URL.
    var problem: String {
        "--base-url must be an http:// or https:// URL with a host, but is \(RequestCheck.shown(shown))"
    }
}
