// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// Answers the Basic (RFC 7617) and Digest (RFC 7616) challenges of one origin, or of the proxy on the way to it. A
/// value. It never tries more than twice, and tries the same credential a second time only if the server reports that
/// its nonce was stale.
struct HTTPAuthentication {
    private let defaultCredential: URLCredential?
    let origin: Origin
    /// Whether the challenges come from a proxy, which receives absolute URLs.
    private let isForProxy: Bool
    private var credential: URLCredential?
    private var challenge: HTTPChallenge?
    /// How often a credential was sent to the server.
    private(set) var tryCount = 0
    private var nonceCount = 0
    private let makeClientNonce: () -> String
    private let isAvailable: (MessageDigest.Algorithm) -> Bool

    /// - Parameters:
    ///   - credential: the default credential, which is used without asking.
    ///   - isForProxy: whether the challenges come from the proxy on the way to the origin.
    ///   - makeClientNonce: returns a new random value for each Digest answer.
    ///   - isAvailable: whether a digest can be computed.
    init(
        credential: URLCredential?, origin: Origin, isForProxy: Bool = false,
        makeClientNonce: @escaping () -> String = { UUID().uuidString.replacingOccurrences(of: "-", with: "") },
        isAvailable: @escaping (MessageDigest.Algorithm) -> Bool = { $0.isAvailable }
    ) {
        defaultCredential = credential
        self.origin = origin
        self.isForProxy = isForProxy
        self.makeClientNonce = makeClientNonce
        self.isAvailable = isAvailable
    }

    /// Returns the strongest challenge of a 401 that can be answered; nil if there is no such challenge, or after two
    /// tries.
    func challenge(in fields: [String]) -> HTTPChallenge? {
        guard tryCount < 2 else { return nil }
        return HTTPChallenge.parse(fields).filter { $0.isSupported && $0.isPrintable && canCompute($0) }
            .max { $0.strength < $1.strength }
    }

    private func canCompute(_ challenge: HTTPChallenge) -> Bool {
        challenge.scheme != "digest" || isAvailable(challenge.digest)
    }

    /// Answers with a credential from the next request on. Returns false if the credential cannot be sent.
    mutating func use(_ credential: URLCredential, for challenge: HTTPChallenge) -> Bool {
        guard tryCount < 2, Self.canAnswer(challenge, with: credential) else { return false }
        self.credential = credential
        self.challenge = challenge
        tryCount += 1
        nonceCount = 0
        return true
    }

    /// Answers with the credential of this origin, if there is one and it was not refused: the default credential at
    /// first, later the last credential if its nonce was stale.
    mutating func useDefaultCredential(for challenge: HTTPChallenge) -> Bool {
        guard let candidate = tryCount == 0 ? defaultCredential : credential, tryCount == 0 || challenge.isStale else {
            return false
        }
        return use(candidate, for: challenge)
    }

    /// Whether a credential was sent to the server.
    var hasAnswered: Bool { tryCount > 0 }

    /// Whether the user name can be sent: it is part of a header field, and in Basic a colon would end it (RFC 7617,
    /// 2).
    private static func canAnswer(_ challenge: HTTPChallenge, with credential: URLCredential) -> Bool {
        guard let user = credential.user?.utf8, !user.contains(where: FieldSyntax.isForbiddenInValue) else {
            return false
        }
        return challenge.scheme != "basic" || !user.contains(UInt8(ascii: ":"))
    }

    /// Returns the `Authorization` or `Proxy-Authorization` field for a request, once a challenge was accepted; nil for
    /// another origin.
    mutating func authorization(method: String, url: URL) -> String? {
        guard let challenge, let user = credential?.user, Origin(url) == origin else { return nil }
        let password = credential?.password ?? ""
        guard challenge.scheme == "digest" else {
            return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
        }
        nonceCount += 1
        return DigestAnswer(
            challenge: challenge, user: user, password: password, method: method, target: target(of: url),
            clientNonce: makeClientNonce(), nonceCount: nonceCount
        ).field
    }

    /// Returns the request target (RFC 9112, 3.2.1) that the answer is computed for.
    private func target(of url: URL) -> String {
        let parts = URLText(url.absoluteString)
        let remainder = parts.remainder.prefix { $0 != "#" }
        let path = remainder.hasPrefix("/") ? String(remainder) : "/" + remainder
        guard isForProxy else { return path }
        return "\(origin.scheme)://\(parts.host)\(parts.port.map { ":" + $0 } ?? "")\(path)"
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

    /// The value that proves knowledge of the password.
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
        MessageDigest.hexadecimalDigest(of: Data(text.utf8), challenge.digest)
    }

    /// Escapes by Unicode scalars: a quotation mark followed by a combining accent is a different `Character`, but
    /// still ends the string.
    private func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        return "\"" + String(quoted) + "\""
    }
}

extension HTTPChallenge {
    /// The digest algorithm of the answer to a Digest challenge.
    fileprivate var digest: MessageDigest.Algorithm { usesSHA256 ? .sha256 : .md5 }
}
