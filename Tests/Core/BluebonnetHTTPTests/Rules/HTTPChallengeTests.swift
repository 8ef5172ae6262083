// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite(.timeLimit(.minutes(1))) struct HTTPChallengeTests {
    @Test func challengeHasSchemeAndParameters() {
        #expect(
            HTTPChallenge.parse(["Digest realm=\"r\", Nonce=abc , QOP = \"auth\""]) == [
                HTTPChallenge(scheme: "digest", parameters: ["realm": "r", "nonce": "abc", "qop": "auth"])
            ])
    }

    @Test func fieldMayHoldSeveralChallenges() {
        #expect(
            HTTPChallenge.parse(["Basic realm=\"a, b\", Digest realm=\"c\", nonce=\"d\",Bearer"]) == [
                HTTPChallenge(scheme: "basic", parameters: ["realm": "a, b"]),
                HTTPChallenge(scheme: "digest", parameters: ["realm": "c", "nonce": "d"]),
                HTTPChallenge(scheme: "bearer"),
            ])
    }

    @Test func challengesOfSeveralFieldsKeepOrder() {
        let challenges = HTTPChallenge.parse(["Basic realm=a", "Digest nonce=b"])
        #expect(challenges.map(\.scheme) == ["basic", "digest"])
    }

    @Test func token68IsIgnored() {
        #expect(
            HTTPChallenge.parse(["Negotiate YIIabc/+==, Basic realm=\"r\""]) == [
                HTTPChallenge(scheme: "negotiate"), HTTPChallenge(scheme: "basic", parameters: ["realm": "r"]),
            ])
        #expect(HTTPChallenge.parse(["NTLM TlRMTVNTUAAC="]) == [HTTPChallenge(scheme: "ntlm")])
    }

    @Test func quoteFollowedByCombiningAccentEndsString() {
        let accent = "\u{301}"
        let challenge = HTTPChallenge.parse(["Digest realm=\"a\"\(accent), nonce=\"b\""]).first
        #expect(challenge?.parameters["realm"] == "a")
        let escaped = HTTPChallenge.parse([#"Basic realm="\""# + accent + "\""]).first
        #expect(escaped?.parameters["realm"]?.unicodeScalars.elementsEqual(["\"", "\u{301}"]) == true)
    }

    @Test func quotedStringKeepsCommasAndEscapedCharacters() {
        let challenge = HTTPChallenge.parse([#"Basic realm="a \"b\", c=\\d""#]).first
        #expect(challenge?.parameters["realm"] == #"a "b", c=\d"#)
    }

    @Test(arguments: ["", " ", ",,,", "=", "=x"]) func fieldWithoutChallengeGivesNone(field: String) {
        #expect(HTTPChallenge.parse([field]) == [])
    }

    @Test(arguments: ["Digest realm=\"never closed", "Digest =", "Digest realm=", "Basic realm", "\"", "a\tb=c", "é=é"])
    func malformedFieldGivesAtMostTwoChallenges(field: String) {
        #expect(HTTPChallenge.parse([field]).count <= 2)
    }

    @Test(
        arguments: [
            ("Basic realm=r", true), ("Basic", true), ("Bearer realm=r", false), ("Negotiate", false),
            ("Digest realm=r", false), ("Digest nonce=n", true), ("Digest nonce=n, algorithm=MD5", true),
            ("Digest nonce=n, algorithm=md5-sess", true), ("Digest nonce=n, algorithm=SHA-256", true),
            ("Digest nonce=n, algorithm=sha-256-sess", true), ("Digest nonce=n, algorithm=SHA-512-256", false),
            ("Digest nonce=n, qop=\"auth-int\"", false), ("Digest nonce=n, qop=\"auth-int, auth\"", true),
        ])
    func supportedSchemesAreBasicAndDigestWithKnownAlgorithms(field: String, isSupported: Bool) {
        #expect(HTTPChallenge.parse([field]).map(\.isSupported) == [isSupported])
    }

    @Test(
        arguments: [
            ("Digest nonce=n", false), ("Digest nonce=n, stale=false", false), ("Digest nonce=n, stale=true", true),
            ("Digest nonce=n, stale=\"TRUE\"", true),
        ])
    func staleNonceIsRead(field: String, isStale: Bool) {
        #expect(HTTPChallenge.parse([field]).map(\.isStale) == [isStale])
    }

    @Test func sha256DigestIsStrongestAndBasicWeakest() {
        let challenges = HTTPChallenge.parse(["Basic realm=r, Digest nonce=n, Digest nonce=n, algorithm=SHA-256"])
        let strengths = challenges.map(\.strength)
        #expect(strengths == strengths.sorted())
        #expect(Set(strengths).count == 3)
    }
}
