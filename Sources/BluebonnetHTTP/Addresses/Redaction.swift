// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// What must not stand in a log: knows names, not values.
package enum Redaction {
    /// What stands in the place of a secret.
    package static let placeholder = "REDACTED"

    private static let marks = [
        "authorization", "cookie", "token", "secret", "password", "passwd", "apikey", "authkey", "accesskey",
        "privatekey", "signature", "session", "credential", "passphrase", "assertion", "codeverifier",
    ]

    /// Names that are too short to be looked for in other names.
    private static let wholeNames: Set<String> = ["jwt", "key", "pwd", "sig"]

    /// Whether a field or a parameter of that name holds a secret.
    package static func isSecret(_ name: String) -> Bool {
        let bare = name.lowercased().filter { $0 != "-" && $0 != "_" }
        return marks.contains { bare.contains($0) } || wholeNames.contains(bare)
    }

    /// The URL without user information, fragment and the values of secret parameters.
    package static func url(_ text: String) -> String {
        let bare = URLText.withoutUserInfo(text)
        let hadUserInfo = bare != text && !bare.contains(placeholder)
        var shown = String(Substring(bare.utf8.prefix { $0 != UInt8(ascii: "#") }))
        if hadUserInfo, let start = shown.range(of: "//") {
            shown.insert(contentsOf: placeholder + "@", at: start.upperBound)
        }
        guard let mark = shown.firstIndex(of: "?") else { return shown }
        return shown[...mark] + pairs(shown[shown.index(after: mark)...])
    }

    /// A query, or a URL-encoded form, without the values of secret items.
    package static func pairs(_ text: some StringProtocol) -> String {
        let pairs = text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            let name = pair.prefix { $0 != "=" }
            let plain = name.removingPercentEncoding ?? String(name)
            let isCode = plain.lowercased() == "code"  // RFC 6749, 4.1.2
            let isHidden = name.count < pair.count && (isSecret(plain) || isCode)
            return isHidden ? "\(name)=\(placeholder)" : String(pair)
        }
        return pairs.joined(separator: "&")
    }

    /// Text of any kind, without what follows the name of a secret and `=` or `:`, up to the end of the word.
    package static func text(_ text: String) -> String {
        text.replacing(#/([\w.\-]+)(["']?\s*[=:]\s*["']?)((?:(?:[Bb]earer|[Bb]asic|[Dd]igest)\s+)?[^\s"'&<>;,]+)/#) {
            match in
            isSecret(String(match.1)) ? "\(match.1)\(match.2)\(placeholder)" : String(match.0)
        }
    }
}
