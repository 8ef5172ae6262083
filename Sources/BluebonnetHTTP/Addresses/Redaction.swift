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

    /// Text of any kind without the values of secrets: without the word after the name of a secret and `=` or `:`. The
    /// time is linear, whatever the text.
    package static func text(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var (shown, position) = ([UInt8](), 0)
        while position < bytes.count {
            let end = bytes[position...].firstIndex { !isNameByte($0) } ?? bytes.count
            guard end > position else {
                shown.append(bytes[position])
                position += 1
                continue
            }
            shown += bytes[position..<end]
            if let value = value(in: bytes, afterNameTo: end),
                isSecret(String(decoding: bytes[position..<end], as: UTF8.self))
            {
                shown += bytes[end..<value.lowerBound] + Array(placeholder.utf8)
                position = value.upperBound
            } else {
                position = end
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// The word after a name and `=` or `:`, with the scheme of a credential; nil without one.
    private static func value(in bytes: [UInt8], afterNameTo end: Int) -> Range<Int>? {
        func skip(_ position: Int, while isPart: (UInt8) -> Bool) -> Int {
            bytes[position...].firstIndex { !isPart($0) } ?? bytes.count
        }
        func skipQuote(_ position: Int) -> Int {
            position < bytes.count && "\"'".utf8.contains(bytes[position]) ? position + 1 : position
        }
        let separator = skip(skipQuote(end), while: isBlank)
        guard separator < bytes.count, "=:".utf8.contains(bytes[separator]) else { return nil }
        let start = skipQuote(skip(separator + 1, while: isBlank))
        let first = skip(start, while: isValueByte)
        let word = String(decoding: bytes[start..<first], as: UTF8.self).lowercased()
        let next = skip(first, while: isBlank)
        let stop = ["basic", "bearer", "digest"].contains(word) ? skip(next, while: isValueByte) : first
        return stop > start ? start..<stop : nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "_.-".utf8.contains(byte)
    }

    private static func isValueByte(_ byte: UInt8) -> Bool { !isBlank(byte) && !"\"'&<>;,".utf8.contains(byte) }
}
