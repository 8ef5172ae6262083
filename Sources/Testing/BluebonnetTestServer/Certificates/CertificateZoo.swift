// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension TestCertificate {
    /// Good for localhost, 127.0.0.1 and ::1.
    public static let localhost = TestCertificate("localhost")
    /// Good for localhost too, with another key.
    public static let otherKey = TestCertificate("other-key")
    /// Good for localhost, with an RSA key.
    public static let rsa = TestCertificate("rsa") { $0.key = .rsa }
    /// Good for localhost, but not since 2021.
    public static let expired = TestCertificate("expired") { ($0.begin, $0.end) = ("200101000000Z", "210101000000Z") }
    /// Good for localhost, but not before 2048.
    public static let future = TestCertificate("future") { ($0.begin, $0.end) = ("480101000000Z", "490101000000Z") }
    /// Good for wrong.example only.
    public static let wrongHost = TestCertificate("wrong-host") {
        ($0.commonName, $0.alternativeNames) = ("wrong.example", ["DNS:wrong.example"])
    }
    /// Good for localhost by its common name alone.
    public static let commonNameOnly = TestCertificate("common-name-only") { $0.alternativeNames = [] }
    /// Good for 127.0.0.1 only.
    public static let addressOnly = TestCertificate("address-only") {
        ($0.commonName, $0.alternativeNames) = ("address", ["IP:127.0.0.1"])
    }
    /// Names 127.0.0.1 as if it were a host's name, which is no address.
    public static let addressAsName = TestCertificate("address-as-name") {
        ($0.commonName, $0.alternativeNames) = ("127.0.0.1", ["DNS:127.0.0.1"])
    }
    /// Good for all names right under example.test.
    public static let wildcard = TestCertificate("wildcard") {
        ($0.commonName, $0.alternativeNames) = ("wildcard", ["DNS:*.example.test"])
    }
    /// Has a wildcard for a part of a name, which is none (RFC 9525, 6.3): "a*.example.test".
    public static let partialWildcard = TestCertificate("partial-wildcard") {
        ($0.commonName, $0.alternativeNames) = ("partial wildcard", ["DNS:a*.example.test"])
    }
    /// Good for localhost, signed by itself.
    public static let selfSigned = TestCertificate("self-signed") { $0.issuer = nil }
    /// Good for localhost, issued by an authority that nobody trusts.
    public static let untrusted = TestCertificate("untrusted") { $0.issuer = .otherRoot }
    /// Good for localhost, issued by an intermediate authority, which is sent along.
    public static let chained = TestCertificate("chained") { $0.issuer = .intermediate }
    /// Like `chained`, without the intermediate.
    public static let incomplete = TestCertificate("incomplete") {
        ($0.issuer, $0.sendsIntermediates) = (.intermediate, false)
    }
    /// Good for localhost, issued by an authority that may vouch for localhost and 127.0.0.0/8.
    public static let constraintKept = TestCertificate("constraint-kept") {
        ($0.issuer, $0.alternativeNames) = (.localOnly, ["DNS:localhost", "IP:127.0.0.1"])
    }
    /// Names localhost, issued by an authority that may vouch for other names only.
    public static let constraintViolated = TestCertificate("constraint-violated") {
        ($0.issuer, $0.alternativeNames) = (.elsewhereOnly, ["DNS:localhost", "IP:127.0.0.1"])
    }
    /// Good for localhost, in a chain of more than 1 MB.
    public static let longChain = TestCertificate("long-chain") {
        ($0.issuer, $0.paddedByteCount) = (.intermediate, 1_048_576)
    }
    /// Good for localhost, as far as its own fields go: `ocspAnswer(.revoked)` says otherwise.
    public static let revoked = TestCertificate("revoked")

    /// A client's.
    public static let client = TestCertificate("client") {
        ($0.commonName, $0.alternativeNames) = ("test client", ["email:client@example.com"])
    }
    /// A client's, issued by an authority that nobody trusts.
    public static let untrustedClient = TestCertificate("untrusted-client") {
        ($0.commonName, $0.alternativeNames) = ("stranger", ["email:stranger@example.com"])
        $0.issuer = .otherRoot
    }
    /// A client's, issued by an intermediate authority, which is in its file.
    public static let chainedClient = TestCertificate("chained-client") {
        ($0.commonName, $0.alternativeNames) = ("chained client", ["email:client@example.com"])
        $0.issuer = .intermediate
    }
}
