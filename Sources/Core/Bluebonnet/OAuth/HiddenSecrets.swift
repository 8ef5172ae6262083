// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Hides the secrets of one refresh in the texts of a server, which may repeat them in an error.
struct HiddenSecrets {
    /// The longest first, so that no remainder of a secret stays visible if another secret is a part of it.
    private let texts: [String]

    /// In bytes: shorter texts are not secrets, and hiding them would hide ordinary words.
    private static let shortest = 4

    init(_ secrets: [String?]) {
        let forms = secrets.compactMap(\.self).flatMap { secret -> [String] in
            let form = TokenEndpoint.escaped(secret)
            return [secret, form, form.replacingOccurrences(of: "+", with: "%20")]
        }
        texts = Set(forms).filter { $0.utf8.count >= Self.shortest }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// Returns a text without the secrets, including form-escaped secrets, in upper or lower case.
    func hidden(in text: String) -> String {
        texts.reduce(text) { text, secret in
            // Literally too: with an accent after it, a secret ends in another character, but stays readable.
            text.replacingOccurrences(of: secret, with: Redaction.placeholder, options: .caseInsensitive)
                .replacingOccurrences(of: secret, with: Redaction.placeholder, options: [.caseInsensitive, .literal])
        }
    }
}
