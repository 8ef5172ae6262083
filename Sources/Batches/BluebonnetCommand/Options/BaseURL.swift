// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// The value of `--base-url`, which may be wrong.
struct BaseURL {
    /// The URL against which others are resolved; nil if the text is not such a URL.
    let url: URL?
    /// The text without user information.
    let shown: String

    init(_ text: String) {
        // A URL with "@" and without its colon looks relative, and may have a password nevertheless.
        let visible = URLText.withoutUserInfo(text)
        let mark = visible == text ? visible.lastIndex(of: "@") : nil
        shown = mark.map { "REDACTED\(visible[$0...])" } ?? visible
        let url = URL(string: text)
        let isUsable = ["http", "https"].contains(url?.scheme?.lowercased()) && url?.host?.isEmpty == false
        self.url = isUsable ? url : nil
    }
}
