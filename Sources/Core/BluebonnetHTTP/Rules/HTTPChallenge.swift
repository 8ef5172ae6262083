// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// One challenge of a `WWW-Authenticate` field (RFC 9110, 11.6.1): a scheme and its parameters, with names in lower
/// case.
package struct HTTPChallenge: Equatable {
    package let scheme: String
    package var parameters: [String: String] = [:]

    package init(scheme: String, parameters: [String: String] = [:]) {
        self.scheme = scheme
        self.parameters = parameters
    }

    private var algorithm: String { (parameters["algorithm"] ?? "MD5").uppercased() }

    package var isSession: Bool { algorithm.hasSuffix("-SESS") }
    package var usesSHA256: Bool { algorithm.hasPrefix("SHA-256") }
    package var isStale: Bool { parameters["stale"]?.lowercased() == "true" }

    /// Whether the server accepts the protection `auth`. False without any `qop`: the server then accepts the older
    /// form.
    package var offersAuth: Bool {
        let offers = parameters["qop"]?.split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
        return offers?.contains("auth") ?? false
    }

    /// Whether all parameters may be sent back in a field.
    package var isPrintable: Bool {
        parameters.values.allSatisfy { !$0.utf8.contains(where: FieldSyntax.isForbiddenInValue) }
    }

    package var isSupported: Bool {
        switch scheme {
        case "basic": true
        case "digest":
            ["MD5", "MD5-SESS", "SHA-256", "SHA-256-SESS"].contains(algorithm) && parameters["nonce"] != nil
                && (parameters["qop"] == nil || offersAuth)
        default: false
        }
    }

    /// The rank of the challenge. The challenge with the highest rank is answered.
    package var strength: Int { scheme == "digest" ? (usesSHA256 ? 2 : 1) : 0 }

    /// Parses the challenges of all fields, in order. Unintelligible challenges are skipped.
    package static func parse(_ fields: [String]) -> [HTTPChallenge] {
        fields.flatMap { field in
            var parser = ChallengeParser(field)
            return parser.challenges()
        }
    }
}

/// Parses the list of challenges of one field, in which commas separate both challenges and parameters. The parser
/// reads Unicode scalars: a quotation mark with a combining accent is another character, but still ends the string.
private struct ChallengeParser {
    private var rest: Substring.UnicodeScalarView
    private var result: [HTTPChallenge] = []

    init(_ field: String) { rest = field.unicodeScalars[...] }

    mutating func challenges() -> [HTTPChallenge] {
        while true {
            rest = rest.drop { $0 == " " || $0 == "," || $0 == "\t" }
            let name = consumeToken()
            guard !name.isEmpty else { return result }
            let spaces = rest.prefix { $0 == " " }
            let afterSpaces = rest.dropFirst(spaces.count)
            if afterSpaces.first == "=", !result.isEmpty {
                rest = afterSpaces.dropFirst()
                result[result.count - 1].parameters[name.lowercased()] = consumeValue()
            } else {
                result.append(HTTPChallenge(scheme: name.lowercased()))
                skipToken68()
            }
        }
    }

    private static func endsToken(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "," || scalar == "=" || scalar == "\"" || scalar == "\t"
    }

    private mutating func consumeToken() -> String {
        let token = rest.prefix { !Self.endsToken($0) }
        rest = rest.dropFirst(token.count)
        return String(token)
    }

    private mutating func consumeValue() -> String {
        rest = rest.drop { $0 == " " }
        guard rest.first == "\"" else { return consumeToken() }
        rest = rest.dropFirst()
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            if scalar == "\\", let escaped = rest.popFirst() {
                value.append(escaped)
            } else {
                value.append(scalar)
            }
        }
        return String(value)
    }

    /// Skips the token68 that may follow a scheme instead of parameters (`Negotiate abc==`). It is not used here.
    private mutating func skipToken68() {
        let candidate = rest.drop { $0 == " " }
        let token = candidate.prefix { !Self.endsToken($0) }
        let padding = candidate.dropFirst(token.count).prefix { $0 == "=" }
        let after = candidate.dropFirst(token.count + padding.count).drop { $0 == " " }
        if !token.isEmpty, after.isEmpty || after.first == ",", padding.count != 1 || after.isEmpty {
            rest = after
        }
    }
}
