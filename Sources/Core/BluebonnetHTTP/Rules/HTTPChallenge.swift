// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// One challenge of a `WWW-Authenticate` field (RFC 9110, 11.6.1): a scheme and its parameters, names in lower case.
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

    /// Whether the server takes protection `auth`; without any `qop` it takes the older form.
    package var offersAuth: Bool {
        let offers = parameters["qop"]?.split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
        return offers?.contains("auth") ?? false
    }

    /// Whether what is sent back of it can stand in a field.
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

    /// The better of two challenges is the one to answer.
    package var strength: Int { scheme == "digest" ? (usesSHA256 ? 2 : 1) : 0 }

    /// The challenges of all fields, in order. What cannot be understood is left out.
    package static func parse(_ fields: [String]) -> [HTTPChallenge] {
        fields.flatMap { field in
            var parser = ChallengeParser(field)
            return parser.challenges()
        }
    }
}

/// Reads the list of challenges of one field: schemes and parameters are separated by the same comma. By scalars: with
/// an accent behind it, a quotation mark is another character, but ends the string all the same.
private struct ChallengeParser {
    private var rest: Substring.UnicodeScalarView
    private var result: [HTTPChallenge] = []

    init(_ field: String) { rest = field.unicodeScalars[...] }

    mutating func challenges() -> [HTTPChallenge] {
        while true {
            rest = rest.drop { $0 == " " || $0 == "," || $0 == "\t" }
            let name = takeToken()
            guard !name.isEmpty else { return result }
            let spaces = rest.prefix { $0 == " " }
            let afterSpaces = rest.dropFirst(spaces.count)
            if afterSpaces.first == "=", !result.isEmpty {
                rest = afterSpaces.dropFirst()
                result[result.count - 1].parameters[name.lowercased()] = takeValue()
            } else {
                result.append(HTTPChallenge(scheme: name.lowercased()))
                skipToken68()
            }
        }
    }

    private static func endsToken(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "," || scalar == "=" || scalar == "\"" || scalar == "\t"
    }

    private mutating func takeToken() -> String {
        let token = rest.prefix { !Self.endsToken($0) }
        rest = rest.dropFirst(token.count)
        return String(token)
    }

    private mutating func takeValue() -> String {
        rest = rest.drop { $0 == " " }
        guard rest.first == "\"" else { return takeToken() }
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

    /// A scheme may be followed by one token68 instead of parameters (`Negotiate abc==`): of no use here.
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
