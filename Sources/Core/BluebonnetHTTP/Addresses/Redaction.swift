// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Removes secrets from text for logs, as the descriptions of requests, responses and errors do. Secrets are recognized
/// by their names, not by their values: a password in a path, or in a field with another name, stays.
///
/// Any thread. The functions never fail: a text that cannot be parsed is returned without the recognized secrets.
public enum Redaction {
    /// The replacement for a secret: `REDACTED`.
    public static let placeholder = "REDACTED"

    private static let marks = [
        "authorization", "cookie", "token", "secret", "password", "passwd", "apikey", "authkey", "accesskey",
        "privatekey", "signature", "session", "credential", "passphrase", "assertion", "codeverifier",
    ]

    /// Names that are too short to be searched for inside other names.
    private static let wholeNames: Set<String> = ["jwt", "key", "pwd", "sig"]

    /// Returns whether a field or a parameter with that name contains a secret: `Authorization`, `access_token`,
    /// `X-Amz-Signature`.
    public static func isSecret(_ name: String) -> Bool {
        let bare = name.lowercased().filter { $0 != "-" && $0 != "_" }
        return marks.contains { bare.contains($0) } || wholeNames.contains(bare)
    }

    /// Fields with secrets whose names do not say so: nonces of a Digest exchange (RFC 7615).
    private static let secretFields: Set = ["authentication-info", "proxy-authentication-info"]
    /// Fields with URLs.
    private static let urlFields: Set = ["location", "content-location", "referer", "link"]

    /// Returns the value of a header field without secrets: `REDACTED` if the name of the field marks a secret,
    /// otherwise the value without the values of secret parameters. An empty value stays empty.
    public static func value(_ value: String, ofField name: String) -> String {
        let lowercased = name.lowercased()
        if isSecret(name) || secretFields.contains(lowercased) { return value.isEmpty ? "" : placeholder }
        return urlFields.contains(lowercased) ? url(value) : text(value)
    }

    /// Returns the URL without user information, fragment and the values of secret parameters.
    public static func url(_ text: String) -> String {
        let bare = URLText.withoutUserInfo(text)
        let hadUserInfo = bare != text && !bare.contains(placeholder)
        var shown = String(Substring(bare.utf8.prefix { $0 != UInt8(ascii: "#") }))
        if hadUserInfo, let start = shown.range(of: "//") {
            shown.insert(contentsOf: placeholder + "@", at: start.upperBound)
        }
        guard let mark = shown.firstIndex(of: "?") else { return shown }
        return shown[...mark] + pairs(shown[shown.index(after: mark)...])
    }

    /// Returns a query, or a URL-encoded form, without the values of secret items.
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

    /// Returns any text without the values of secrets: the word after a secret's name and `=` or `:` is replaced. Takes
    /// linear time for any text.
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
            if let start = startOfValue(in: bytes, afterNameTo: end),
                isSecret(String(decoding: bytes[position..<end], as: UTF8.self)),
                case let stop = endOfValue(in: bytes, from: start), stop > start
            {
                shown += bytes[end..<start] + Array(placeholder.utf8)
                position = stop
            } else {
                position = end
            }
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Returns the position of the value after a name and `=` or `:`, without its quotation mark; nil without `=` or
    /// `:`.
    private static func startOfValue(in bytes: [UInt8], afterNameTo end: Int) -> Int? {
        func skipQuote(_ position: Int) -> Int {
            position < bytes.count && "\"'".utf8.contains(bytes[position]) ? position + 1 : position
        }
        let separator = skip(skipQuote(end), in: bytes, while: isBlank)
        guard separator < bytes.count, "=:".utf8.contains(bytes[separator]) else { return nil }
        return skipQuote(skip(separator + 1, in: bytes, while: isBlank))
    }

    /// Returns the end of a word, or of the scheme of a credential and the following word.
    private static func endOfValue(in bytes: [UInt8], from start: Int) -> Int {
        let end = skip(start, in: bytes, while: isValueByte)
        let word = String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
        guard ["basic", "bearer", "digest"].contains(word) else { return end }
        return skip(skip(end, in: bytes, while: isBlank), in: bytes, while: isValueByte)
    }

    private static func skip(_ position: Int, in bytes: [UInt8], while isPart: (UInt8) -> Bool) -> Int {
        bytes[position...].firstIndex { !isPart($0) } ?? bytes.count
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "_.-".utf8.contains(byte)
    }

    private static func isValueByte(_ byte: UInt8) -> Bool { !isBlank(byte) && !"\"'&<>;,".utf8.contains(byte) }
}
