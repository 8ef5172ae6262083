// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// The value of `--header`, which may be wrong.
struct HeaderOption {
    let text: String
    /// What is wrong with it; nil when it can be sent with every line.
    let problem: String?

    init(_ text: String) {
        self.text = text
        var settings = RequestLineRunner.Settings()
        do throws(NetworkingError) {
            try settings.addHeader(text)
            problem = nil
        } catch {
            problem = error.message
        }
    }
}
