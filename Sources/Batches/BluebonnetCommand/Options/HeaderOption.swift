// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// The value of `--header`, which may be invalid.
struct HeaderOption {
    let text: String
    /// The error message; nil if the field can be sent with every line.
    let problem: String?

    init(_ text: String) {
        self.text = text
        guard text.utf8.last != UInt8(ascii: ":") else {
            problem = "a header field has no value: put name and value in quotation marks, as in 'Name: value'"
            return
        }
        var settings = RequestLineRunner.Settings()
        do throws(NetworkingError) {
            try settings.addHeader(text)
            problem = nil
        } catch {
            problem = error.message
        }
    }
}
