// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

#if DEBUG || BLUEBONNET_FUZZING
    import Foundation
    import FoundationNetworking

    @testable import Bluebonnet
    @testable import BluebonnetNetwork

    extension FuzzTarget {
        /// `WWW-Authenticate`: the first line is the user name, the second line the path, the other lines are field
        /// values.
        static let challenges = FuzzTarget("challenges") { input in
            var input = input
            let (user, path) = (input.text(), input.text())
            let fields = input.lines.map { FieldBlock.text($0) }
            try checkParsed(fields)
            guard let url = try? RequestCheck.url("https://example.com/" + path), let origin = Origin(url) else {
                return
            }
            let credential = URLCredential(user: user, password: "secret", persistence: .none)
            var login = HTTPAuthentication(credential: credential, origin: origin, makeClientNonce: { "0a4f113b" })
            var count = 0
            while let challenge = login.challenge(in: fields) {
                try hold(challenge.isSupported && challenge.isPrintable, "\(challenge) can be answered")
                guard login.useDefaultCredential(for: challenge) else { break }
                count += 1
                guard let answer = login.authorization(method: "GET", url: url) else {
                    throw FuzzFinding("an accepted challenge has no answer: \(challenge)")
                }
                try check(answer, to: challenge, user: user, url: url)
            }
            try hold(count <= 2, "a credential is sent \(count) times")
            let elsewhere = try RequestCheck.url("https://example.org/")
            try hold(login.authorization(method: "GET", url: elsewhere) == nil, "an answer stays with its origin")
        }

        private static func checkParsed(_ fields: [String]) throws(FuzzFinding) {
            let challenges = HTTPChallenge.parse(fields)
            try holdSame(challenges, fields.flatMap { HTTPChallenge.parse([$0]) }, "fields are read one by one")
            for challenge in challenges {
                try hold(!challenge.scheme.isEmpty, "a challenge has a scheme")
                try hold(challenge.scheme == challenge.scheme.lowercased(), "a scheme is in lower case")
            }
        }

        /// The answer is one line. Its quoted strings have the values of the challenge and the credential.
        private static func check(
            _ answer: String, to challenge: HTTPChallenge, user: String, url: URL
        ) throws(FuzzFinding) {
            try hold(FieldSyntax.forbiddenByte(inValue: answer.utf8) == nil, "\(answer.debugDescription) can be sent")
            guard challenge.scheme == "digest" else {
                let text = Data(base64Encoded: String(answer.dropFirst("Basic ".count)))
                return try hold(text == Data("\(user):secret".utf8), "\(answer) is the credential")
            }
            let read = QuotedParameters.values(of: answer.dropFirst("Digest ".count))
            guard let read else { throw FuzzFinding("\(answer) cannot be read") }
            let expected = [
                "username": user, "realm": challenge.parameters["realm"] ?? "",
                "nonce": challenge.parameters["nonce"] ?? "", "opaque": challenge.parameters["opaque"],
            ]
            for (name, value) in expected {
                let isSame = read[name].map { one in value.map { FieldSyntax.isSameText($0, one) } ?? false }
                try hold(isSame ?? (value == nil), "\(name) of \(answer) is \(value ?? "nil")")
            }
            try hold(
                url.absoluteString.hasSuffix(read["uri"] ?? "-") || url.fragment != nil, "\(answer) names the path")
            let digits = read["response"] ?? ""
            try hold([32, 64].contains(digits.utf8.count) && digits.allSatisfy(\.isHexDigit), "\(answer) has a digest")
        }
    }

    /// Parses `name=token, name="quoted"` strictly as in RFC 9110 (5.6.4 and 5.6.6).
    private enum QuotedParameters {
        /// The values by name; nil for any other syntax.
        static func values(of text: Substring) -> [String: String]? {
            var (rest, values) = (text.unicodeScalars, [String: String]())
            while true {
                let name = rest.prefix { $0 != "=" }
                rest = rest.dropFirst(name.count + 1)
                guard FieldSyntax.isToken(String(name).utf8), let value = Self.value(&rest) else { return nil }
                guard values.updateValue(value, forKey: String(name)) == nil else { return nil }
                if rest.isEmpty { return values }
                guard rest.starts(with: ", ".unicodeScalars) else { return nil }
                rest = rest.dropFirst(2)
            }
        }

        private static func value(_ rest: inout Substring.UnicodeScalarView) -> String? {
            guard rest.first == "\"" else {
                let token = rest.prefix { $0 != "," }
                rest = rest.dropFirst(token.count)
                return FieldSyntax.isToken(String(token).utf8) ? String(token) : nil
            }
            rest.removeFirst()
            var value = String.UnicodeScalarView()
            while let scalar = rest.popFirst() {
                if scalar == "\"" { return String(value) }
                if scalar != "\\" { value.append(scalar) } else if let next = rest.popFirst() { value.append(next) }
            }
            return nil
        }
    }
#endif
