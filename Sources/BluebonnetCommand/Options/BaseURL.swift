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
        // What is left before an "@" may be a password of a URL that has no slashes.
        let rest = URLText.withoutUserInfo(text)
        shown = rest.lastIndex(of: "@").map { "…\(rest[$0...])" } ?? rest
        let url = URL(string: text)
        let isUsable = ["http", "https"].contains(url?.scheme?.lowercased()) && url?.host?.isEmpty == false
        self.url = isUsable ? url : nil
    }
}
