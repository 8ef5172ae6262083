// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The request fields that selected a response: the names in its `Vary`, with their values (RFC 9111, 4.1).
package struct CacheVariance: Sendable, Hashable, Codable {
    /// A field that `Vary` names.
    struct Selector: Sendable, Hashable, Codable {
        /// In lower case.
        let name: String
        /// The normalized value; nil if the request had no such field.
        let value: String?
        /// Whether `value` is a digest of the normalized value.
        var isHashed: Bool?
        /// The value as sent, if that was one line. Equal lines need not be normalized.
        let line: String?

        init(_ name: String, _ request: HeaderFields) {
            (self.name, value) = (name, CacheVariance.value(of: name, in: request))
            let lines = request.values(for: name)
            line = lines.count == 1 ? lines[0] : nil
        }

        private init(name: String, digest: String?) { (self.name, value, isHashed, line) = (name, digest, true, nil) }

        /// The selector with a digest instead of the value, which may be a secret.
        var hashed: Selector {
            isHashed == true ? self : Selector(name: name, digest: value.map(SHA256.hexadecimal))
        }

        func matches(_ request: HeaderFields) -> Bool {
            if let line, let other = request[name], FieldSyntax.isSameText(line, other) { return true }
            let other = CacheVariance.value(of: name, in: request)
            if isHashed == true { return other.map(SHA256.hexadecimal) == value }
            return other.map(ByteString.init) == value.map(ByteString.init)
        }
    }

    private(set) var selectors: [Selector]
    /// The language of the response, if `Content-Language` names one.
    private let language: String?

    /// Makes the variance of a response to a request with these fields; nil for `Vary: *`, which no request matches.
    init?(response: HeaderFields, request: HeaderFields) {
        let names = ResponseHead.list(response.values(for: "Vary"))
        guard !names.contains("*") else { return nil }
        selectors = names.uniqueTexts.sorted().map { Selector($0, request) }
        let languages = ResponseHead.list(response.values(for: "Content-Language"))
        language = names.contains("accept-language") && languages.count == 1 ? languages[0] : nil
    }

    /// The variance with digests instead of values, for a store outside of the process.
    var hashed: CacheVariance {
        var hashed = self
        hashed.selectors = selectors.map(\.hashed)
        return hashed
    }

    /// Returns whether the server would select this response for a request with these fields, too.
    func matches(_ request: HeaderFields) -> Bool {
        selectors.allSatisfy { selector in
            if selector.matches(request) { return true }
            guard selector.name == "accept-language", let language,
                let value = Self.value(of: selector.name, in: request)
            else { return false }
            return Self.preferredLanguage(in: value) == language
        }
    }

    /// Fields whose members have no order and no case.
    private static let unorderedNames: Set = ["accept-language", "accept-encoding", "accept-charset"]

    /// Returns the value of a field from all its lines, without white space around its members.
    private static func value(of name: String, in request: HeaderFields) -> String? {
        let lines = request.values(for: name)
        guard !lines.isEmpty else { return nil }
        if unorderedNames.contains(name) {
            let members = ResponseHead.list(lines).map { $0.filter { $0 != " " && $0 != "\t" } }
            return members.sorted().joined(separator: ",")
        }
        guard lines.count > 1 || lines[0].hasByte(UInt8(ascii: ",")) || lines[0].hasByte(0x20) else { return lines[0] }
        return lines.flatMap(members).joined(separator: ",")
    }

    /// Splits a line at the commas outside of quotes.
    private static func members(_ line: String) -> [String] {
        var isQuoted = false
        let pieces = line[...].utf8.split { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return pieces.map { String(Substring(FieldSyntax.trimmed($0))) }.filter { !$0.isEmpty }
    }

    /// Returns the language that a normalized `Accept-Language` prefers to all others; nil without such a language. The
    /// server has a response in that language if it sent one before, and would select it.
    private static func preferredLanguage(in value: String) -> String? {
        let weighed = value.split(separator: ",").map { member -> (name: Substring, weight: Double) in
            let parts = member.split(separator: ";", maxSplits: 1)
            let weight = parts.count > 1 && parts[1].hasPrefix("q=") ? Double(parts[1].dropFirst(2)) ?? 0 : 1
            return (parts.first ?? "", weight)
        }
        guard let best = weighed.max(by: { $0.weight < $1.weight }), best.weight > 0, best.name != "*",
            weighed.filter({ $0.weight == best.weight }).count == 1
        else { return nil }
        return String(best.name)
    }
}
