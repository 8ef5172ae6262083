// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The wording of errors about certificates.
@Suite struct TrustWordsTests {
    private func words(_ hosts: [String]) -> String {
        ServerTrustFacts(presented: [], authorityResult: .verified([]), namesHost: false, otherHosts: hosts).nameWords
    }

    @Test func hostsOfTheCertificateAreNamed() {
        #expect(words([]) == ": it names no host in subjectAltName")
        #expect(words(["a.test"]) == ": it names a.test")
        #expect(words(["a.test", "*.b.test", "127.0.0.1"]) == ": it names a.test, *.b.test, 127.0.0.1")
        #expect(words(["a", "b", "c", "d", "e"]) == ": it names a, b, c and 2 more")
    }

    @Test func serverNamesAreEscapedAndShortenedForLogs() {
        #expect(words(["a\r\nb\u{0}"]) == ": it names a??b?")
        #expect(words([String(repeating: "a", count: 300)]) == ": it names \(String(repeating: "a", count: 80))…")
    }
}
