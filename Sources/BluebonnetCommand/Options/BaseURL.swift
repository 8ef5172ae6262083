// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// The value of `--base-url`, which may be wrong.
struct BaseURL {
    /// What others can be resolved against; nil for a text that is no such URL.
    let url: URL?
    /// The text without user information.
    let shown: String

    init(_ text: String) {
        shown = URLText.withoutUserInfo(text)
        let url = URL(string: text)
        let isUsable = ["http", "https"].contains(url?.scheme?.lowercased()) && url?.host?.isEmpty == false
        self.url = isUsable ? url : nil
    }
}
