// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct HTTPAuthenticationTests {
    private static let url = url("http://www.example.org/dir/index.html")

    private static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("\(text) is no URL") }
        return url
    }

    private func authentication(
        user: String? = "Mufasa", password: String = "Circle of Life", clientNonce: String = "c"
    ) -> HTTPAuthentication {
        let credential = user.map { URLCredential(user: $0, password: password, persistence: .none) }
        return HTTPAuthentication(
            credential: credential, origin: SchedulerTests.origin("www.example.org"),
            makeClientNonce: { clientNonce })
    }

    /// The parameters of an Authorization field, as the challenge parser reads them.
    private func parameters(_ field: String?) -> [String: String] {
        HTTPChallenge.parse([field ?? ""]).first?.parameters ?? [:]
    }
}

// MARK: - Published examples

extension HTTPAuthenticationTests {
    private static let challenge7616 = """
        Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=ALGORITHM, \
        nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
        opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
        """

    @Test(arguments: [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
    func exampleOfRFC7616IsAnsweredAsPrinted(algorithm: String, response: String) {
        var authentication = authentication(clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        let field = Self.challenge7616.replacingOccurrences(of: "ALGORITHM", with: algorithm)
        #expect(authentication.accepts([field]) == true)
        let answer = authentication.authorization(method: "GET", url: Self.url)
        #expect(answer?.hasPrefix("Digest ") == true)
        #expect(
            parameters(answer) == [
                "username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html",
                "algorithm": algorithm, "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "nc": "00000001",
                "cnonce": "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "qop": "auth", "response": response,
                "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
            ])
    }

    @Test func strongerOfTwoChallengesIsAnswered() {
        var authentication = authentication(clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        let fields = ["MD5", "SHA-256"].map { Self.challenge7616.replacingOccurrences(of: "ALGORITHM", with: $0) }
        #expect(authentication.accepts(fields.reversed()) == true)
        let answer = parameters(authentication.authorization(method: "GET", url: Self.url))
        #expect(answer["response"] == "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1")
    }

    @Test func exampleOfRFC2617IsAnsweredAsPrinted() {
        var authentication = authentication(password: "Circle Of Life", clientNonce: "0a4f113b")
        #expect(
            authentication.accepts([
                """
                Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
                opaque="5ccc069c403ebaf9f0171e9517f40e41"
                """
            ]) == true)
        let answer = authentication.authorization(method: "GET", url: Self.url)
        #expect(
            parameters(answer) == [
                "username": "Mufasa", "realm": "testrealm@host.com", "nonce": "dcd98b7102dd2f0e8b11d0f600bfb0c093",
                "uri": "/dir/index.html", "qop": "auth", "nc": "00000001", "cnonce": "0a4f113b",
                "response": "6629fae49393a05397450978507c4ef1", "opaque": "5ccc069c403ebaf9f0171e9517f40e41",
            ])
        // RFC 7616, 3.4 requires these tokens without quotation marks.
        #expect(answer?.contains("qop=auth,") == true)
        #expect(answer?.contains("nc=00000001,") == true)
    }

    /// Compared as scalars: for Swift, a quotation mark with an accent is another character than one without.
    @Test func quotationMarkWithAnAccentIsEscaped() throws {
        let accent = "\u{301}"
        var authentication = authentication(user: "u\"" + accent + ", x=\"\\" + accent)
        #expect(authentication.accepts([#"Digest realm="r", nonce="n""#]) == true)
        let field = authentication.authorization(method: "GET", url: Self.url)
        let answer = try #require(field)
        let start = #"Digest username="u\""# + accent + #", x=\"\\"# + accent + #"", realm="#
        #expect(answer.utf8.starts(with: start.utf8))
    }

    /// RFC 2069, 2.4, with the response as corrected by its errata.
    @Test func exampleOfRFC2069IsAnsweredAsCorrected() {
        var authentication = authentication(password: "CircleOfLife")
        #expect(
            authentication.accepts([
                #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#
            ]) == true)
        let answer = parameters(authentication.authorization(method: "GET", url: Self.url))
        #expect(answer["response"] == "1949323746fe6a43ef61f9606e7febea")
        #expect(answer["qop"] == nil)
        #expect(answer["nc"] == nil)
        #expect(answer["cnonce"] == nil)
    }

    /// The example of RFC 7616 with `A1` as defined in 3.4.2, computed by other means.
    @Test(arguments: [
        ("MD5-sess", "e783283f46242139c486a698fec7211d"),
        ("SHA-256-sess", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"),
    ])
    func sessionAlgorithmIncludesTheNonces(algorithm: String, response: String) {
        var authentication = authentication(clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        let field = Self.challenge7616.replacingOccurrences(of: "ALGORITHM", with: algorithm)
        #expect(authentication.accepts([field]) == true)
        #expect(parameters(authentication.authorization(method: "GET", url: Self.url))["response"] == response)
    }

    /// RFC 7617, 2.
    @Test func exampleOfBasicIsAnsweredAsPrinted() {
        var authentication = authentication(user: "Aladdin", password: "open sesame")
        #expect(authentication.accepts(["Basic realm=\"WallyWorld\""]) == true)
        #expect(
            authentication.authorization(method: "GET", url: Self.url) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }

    /// RFC 7617, 2.1: "test" with the password "123£" in UTF-8.
    @Test func basicSendsUTF8() {
        var authentication = authentication(user: "test", password: "123\u{A3}")
        #expect(authentication.accepts(["Basic realm=\"foo\", charset=\"UTF-8\""]) == true)
        #expect(authentication.authorization(method: "GET", url: Self.url) == "Basic dGVzdDoxMjPCow==")
    }
}

// MARK: - Conditions

extension HTTPAuthenticationTests {
    @Test func credentialIsNotSentBeforeAChallenge() {
        var authentication = authentication()
        #expect(authentication.authorization(method: "GET", url: Self.url) == nil)
    }

    @Test func challengeIsNotAcceptedWithoutACredential() {
        var authentication = authentication(user: nil)
        #expect(authentication.accepts(["Basic realm=r"]) == false)
        #expect(authentication.authorization(method: "GET", url: Self.url) == nil)
    }

    @Test func refusedAnswerIsNotTriedAgain() {
        var authentication = authentication()
        #expect(authentication.accepts(["Basic realm=r"]) == true)
        #expect(authentication.accepts(["Basic realm=r"]) == false)
        #expect(authentication.accepts(["Digest nonce=n, realm=r"]) == false)
    }

    @Test func staleNonceIsRetriedOnce() {
        var authentication = authentication()
        #expect(authentication.accepts(["Digest nonce=one, realm=r"]) == true)
        #expect(authentication.accepts(["Digest nonce=two, realm=r, stale=true"]) == true)
        #expect(parameters(authentication.authorization(method: "GET", url: Self.url))["nonce"] == "two")
        #expect(authentication.accepts(["Digest nonce=three, realm=r, stale=true"]) == false)
    }

    @Test func unknownSchemeIsNotAccepted() {
        var authentication = authentication()
        #expect(authentication.accepts([]) == false)
        #expect(authentication.accepts(["Bearer realm=r", "Negotiate"]) == false)
        #expect(authentication.accepts(["Bearer realm=r", "Basic realm=r"]) == true)
    }

    @Test func basicIsNotUsedForANameWithAColon() {
        var authentication = authentication(user: "a:b")
        #expect(authentication.accepts(["Basic realm=r"]) == false)
        #expect(authentication.accepts(["Basic realm=r, Digest nonce=n, realm=r"]) == true)
    }

    @Test func challengeWithControlCharactersIsNotAnswered() {
        var authentication = authentication()
        #expect(authentication.accepts(["Digest nonce=\"a\r\nX: y\", realm=r"]) == false)
        #expect(authentication.accepts(["Digest nonce=n, realm=\"a\0b\""]) == false)
    }

    @Test(arguments: [
        "https://www.example.org/dir/index.html", "http://example.org/dir/index.html",
        "http://www.example.org:8080/dir/index.html", "http://www.example.org.evil.test/",
        "http://evil.test/http://www.example.org/",
    ])
    func answerNeverGoesToAnotherOrigin(text: String) {
        var authentication = authentication()
        #expect(authentication.accepts(["Basic realm=r"]) == true)
        #expect(authentication.authorization(method: "GET", url: Self.url(text)) == nil)
        #expect(authentication.authorization(method: "GET", url: Self.url) != nil)
    }

    @Test func eachUseOfANonceIsCounted() {
        var authentication = authentication(password: "Circle Of Life", clientNonce: "0a4f113b")
        #expect(
            authentication.accepts([
                #"Digest realm="testrealm@host.com", qop=auth, nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#
            ]) == true)
        _ = authentication.authorization(method: "GET", url: Self.url)
        let second = parameters(authentication.authorization(method: "GET", url: Self.url))
        #expect(second["nc"] == "00000002")
        #expect(second["response"] == "15b6bb427e3fecd23a43cb702ce447d5")
    }

    /// Where OpenSSL is configured for FIPS 140, there is no MD5.
    @Test(
        arguments: [
            (["Digest nonce=n, realm=r"], nil), (["Digest nonce=n, realm=r, algorithm=MD5-sess"], nil),
            (["Digest nonce=n, realm=r", "Basic realm=r"], "basic"),
            (["Digest nonce=n, realm=r, algorithm=MD5", "Digest nonce=n, realm=r, algorithm=SHA-256"], "digest"),
        ] as [([String], String?)])
    func challengesWithoutTheirDigestAreNotAnswered(fields: [String], scheme: String?) {
        let authentication = HTTPAuthentication(
            credential: URLCredential(user: "u", password: "p", persistence: .none),
            origin: SchedulerTests.origin("www.example.org"), isAvailable: { $0 != .md5 })
        let challenge = authentication.challenge(in: fields)
        #expect(challenge?.scheme == scheme)
        if scheme == "digest" { #expect(challenge?.usesSHA256 == true) }
    }

    @Test func clientNonceIsNewEachTime() {
        var authentication = HTTPAuthentication(
            credential: URLCredential(user: "u", password: "p", persistence: .none),
            origin: SchedulerTests.origin("www.example.org"))
        #expect(authentication.accepts(["Digest nonce=n, realm=r, qop=auth"]) == true)
        let nonces = (0..<20).compactMap { _ in
            parameters(authentication.authorization(method: "GET", url: Self.url))["cnonce"]
        }
        #expect(Set(nonces).count == 20)
    }

    @Test(arguments: [
        ("http://www.example.org", "/"), ("http://www.example.org/", "/"), ("http://www.example.org/a?b=c#d", "/a?b=c"),
        ("http://www.example.org?b=c", "/?b=c"), ("http://u:p@www.example.org/a%20b", "/a%20b"),
        ("http://www.example.org/a//b;c?http://x/?", "/a//b;c?http://x/?"),
    ])
    func answerIsForTheRequestTarget(text: String, target: String) {
        var authentication = authentication()
        #expect(authentication.accepts(["Digest nonce=n, realm=r"]) == true)
        #expect(parameters(authentication.authorization(method: "GET", url: Self.url(text)))["uri"] == target)
    }

    @Test func quotationMarksInNamesAreEscaped() {
        var authentication = authentication(user: #"a"b\c"#)
        #expect(authentication.accepts([#"Digest nonce="n", realm="x\"y""#]) == true)
        let answer = authentication.authorization(method: "GET", url: Self.url)
        #expect(answer?.contains(#"username="a\"b\\c""#) == true)
        #expect(answer?.contains(#"realm="x\"y""#) == true)
    }
}

extension HTTPAuthentication {
    /// Answers a 401 with the default credential, as without a challenge block.
    fileprivate mutating func accepts(_ fields: [String]) -> Bool {
        challenge(in: fields).map { useDefaultCredential(for: $0) } ?? false
    }
}
