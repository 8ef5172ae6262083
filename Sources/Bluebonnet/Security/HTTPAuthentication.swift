// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// Answers the Basic (RFC 7617) and Digest (RFC 7616) challenges of one origin with one credential. A value; it never
/// tries more than twice, the second time only when the server says that its nonce was stale.
struct HTTPAuthentication {
    private let credential: URLCredential?
    private let origin: Origin
    private var challenge: HTTPChallenge?
    private var tryCount = 0
    private var nonceCount = 0
    private let makeClientNonce: () -> String

    /// - Parameter makeClientNonce: a new random value for each Digest answer.
    init(
        credential: URLCredential?, origin: Origin,
        makeClientNonce: @escaping () -> String = { UUID().uuidString.replacingOccurrences(of: "-", with: "") }
    ) {
        self.credential = credential
        self.origin = origin
        self.makeClientNonce = makeClientNonce
    }

    /// Whether the challenges of a 401 can be answered, so that the request is worth sending again.
    mutating func accepts(_ fields: [String]) -> Bool {
        guard credential?.user != nil, tryCount < 2 else { return false }
        let answerable = HTTPChallenge.parse(fields).filter { $0.isSupported && canAnswer($0) && $0.isPrintable }
        guard let strongest = answerable.max(by: { $0.strength < $1.strength }) else { return false }
        guard tryCount == 0 || strongest.isStale else { return false }
        challenge = strongest
        tryCount += 1
        nonceCount = 0
        return true
    }

    /// Whether the server was given the credential.
    var hasAnswered: Bool { tryCount > 0 }

    /// A colon would end the name in Basic's form (RFC 7617, 2).
    private func canAnswer(_ challenge: HTTPChallenge) -> Bool {
        challenge.scheme != "basic" || credential?.user?.utf8.contains(UInt8(ascii: ":")) == false
    }

    /// The `Authorization` field for a request, once a challenge was accepted; nil for another origin.
    mutating func authorization(method: String, url: URL) -> String? {
        guard let challenge, let user = credential?.user, Origin(url) == origin else { return nil }
        let password = credential?.password ?? ""
        guard challenge.scheme == "digest" else {
            return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        }
        nonceCount += 1
        return DigestAnswer(
            challenge: challenge, user: user, password: password, method: method, target: Self.target(of: url),
            clientNonce: makeClientNonce(), nonceCount: nonceCount
        ).field
    }

    /// The request target (RFC 9112, 3.2.1) that the answer is made for.
    private static func target(of url: URL) -> String {
        let text = url.absoluteString.prefix { $0 != "#" }
        guard let authority = text.range(of: "://") else { return "/" }
        let rest = text[authority.upperBound...].drop { $0 != "/" && $0 != "?" }
        return rest.hasPrefix("/") ? String(rest) : "/" + rest
    }
}

/// One answer to a Digest challenge (RFC 7616, 3.4).
struct DigestAnswer {
    let challenge: HTTPChallenge
    let user: String
    let password: String
    let method: String
    let target: String
    let clientNonce: String
    let nonceCount: Int

    var field: String {
        var parts = [
            "username=\(quoted(user))", "realm=\(quoted(realm))", "nonce=\(quoted(nonce))", "uri=\(quoted(target))",
            "response=\"\(response)\"",
        ]
        if let algorithm = challenge.parameters["algorithm"] { parts.append("algorithm=\(algorithm)") }
        if let opaque = challenge.parameters["opaque"] { parts.append("opaque=\(quoted(opaque))") }
        if challenge.offersAuth { parts += ["qop=auth", "nc=\(count)", "cnonce=\(quoted(clientNonce))"] }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// The proof that the password is known.
    private var response: String {
        let secret = hash("\(user):\(realm):\(password)")
        let first = challenge.isSession ? hash("\(secret):\(nonce):\(clientNonce)") : secret
        let second = hash("\(method):\(target)")
        guard challenge.offersAuth else { return hash("\(first):\(nonce):\(second)") }
        return hash("\(first):\(nonce):\(count):\(clientNonce):auth:\(second)")
    }

    private var realm: String { challenge.parameters["realm"] ?? "" }
    private var nonce: String { challenge.parameters["nonce"] ?? "" }
    private var count: String {
        let digits = String(nonceCount, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    private func hash(_ text: String) -> String {
        MessageDigest.hexadecimalDigest(of: Data(text.utf8), challenge.usesSHA256 ? .sha256 : .md5)
    }

    private func quoted(_ text: String) -> String {
        "\"" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }
}
