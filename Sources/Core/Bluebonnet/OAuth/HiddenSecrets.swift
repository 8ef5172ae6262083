// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The secrets of one refresh, which a server may repeat in what it says of an error. Shows none itself.
struct HiddenSecrets {
    /// The longest first, so that no rest of one stays because another one is a part of it.
    private let texts: [String]

    /// What is shorter is no secret, and hiding it would hide all words.
    private static let shortest = 4

    init(_ secrets: [String?]) {
        let forms = secrets.compactMap(\.self).flatMap { secret -> [String] in
            let form = TokenEndpoint.escaped(secret)
            return [secret, form, form.replacingOccurrences(of: "+", with: "%20")]
        }
        texts = Set(forms).filter { $0.utf8.count >= Self.shortest }.sorted { $0.utf8.count > $1.utf8.count }
    }

    /// A text without the secrets, also where they are escaped as in a form, in any case of letters.
    func hidden(in text: String) -> String {
        texts.reduce(text) { text, secret in
            // Literally too: with an accent behind it, a secret ends in another character, but can be read.
            text.replacingOccurrences(of: secret, with: Redaction.placeholder, options: .caseInsensitive)
                .replacingOccurrences(of: secret, with: Redaction.placeholder, options: [.caseInsensitive, .literal])
        }
    }
}
