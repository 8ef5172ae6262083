// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension TestCertificate {
    /// Valid for localhost, 127.0.0.1 and ::1.
    public static let localhost = TestCertificate("localhost")
    /// Valid for localhost, with a different key.
    public static let otherKey = TestCertificate("other-key")
    /// Valid for localhost, with an RSA key.
    public static let rsa = TestCertificate("rsa") { $0.key = .rsa }
    /// For localhost, expired since 2021.
    public static let expired = TestCertificate("expired") { ($0.begin, $0.end) = ("200101000000Z", "210101000000Z") }
    /// For localhost, not valid before 2048.
    public static let future = TestCertificate("future") { ($0.begin, $0.end) = ("480101000000Z", "490101000000Z") }
    /// Valid for wrong.example only.
    public static let wrongHost = TestCertificate("wrong-host") {
        ($0.commonName, $0.alternativeNames) = ("wrong.example", ["DNS:wrong.example"])
    }
    /// For localhost, which only its common name contains.
    public static let commonNameOnly = TestCertificate("common-name-only") { $0.alternativeNames = [] }
    /// Valid for 127.0.0.1 only.
    public static let addressOnly = TestCertificate("address-only") {
        ($0.commonName, $0.alternativeNames) = ("address", ["IP:127.0.0.1"])
    }
    /// Has 127.0.0.1 as a DNS name, which does not match an address.
    public static let addressAsName = TestCertificate("address-as-name") {
        ($0.commonName, $0.alternativeNames) = ("127.0.0.1", ["DNS:127.0.0.1"])
    }
    /// Valid for all names directly under example.test.
    public static let wildcard = TestCertificate("wildcard") {
        ($0.commonName, $0.alternativeNames) = ("wildcard", ["DNS:*.example.test"])
    }
    /// Has a wildcard for a part of a name, "a*.example.test", which is not valid (RFC 9525, 6.3).
    public static let partialWildcard = TestCertificate("partial-wildcard") {
        ($0.commonName, $0.alternativeNames) = ("partial wildcard", ["DNS:a*.example.test"])
    }
    /// For localhost, self-signed.
    public static let selfSigned = TestCertificate("self-signed") { $0.issuer = nil }
    /// For localhost, issued by an untrusted authority.
    public static let untrusted = TestCertificate("untrusted") { $0.issuer = .otherRoot }
    /// Valid for localhost, issued by an intermediate authority, which servers send too.
    public static let chained = TestCertificate("chained") { $0.issuer = .intermediate }
    /// Like `chained`, but servers do not send the intermediate.
    public static let incomplete = TestCertificate("incomplete") {
        ($0.issuer, $0.sendsIntermediates) = (.intermediate, false)
    }
    /// Valid for localhost, issued by an authority that may issue for localhost and 127.0.0.0/8.
    public static let constraintKept = TestCertificate("constraint-kept") {
        ($0.issuer, $0.alternativeNames) = (.localOnly, ["DNS:localhost", "IP:127.0.0.1"])
    }
    /// For localhost, issued by an authority that may issue for other names only.
    public static let constraintViolated = TestCertificate("constraint-violated") {
        ($0.issuer, $0.alternativeNames) = (.elsewhereOnly, ["DNS:localhost", "IP:127.0.0.1"])
    }
    /// Valid for localhost, in a chain of more than 1 MB.
    public static let longChain = TestCertificate("long-chain") {
        ($0.issuer, $0.paddedByteCount) = (.intermediate, 1_048_576)
    }
    /// Valid for localhost, but revoked according to `ocspAnswer(.revoked)`.
    public static let revoked = TestCertificate("revoked")

    /// A client certificate.
    public static let client = TestCertificate("client") {
        ($0.commonName, $0.alternativeNames) = ("test client", ["email:client@example.com"])
    }
    /// A client certificate issued by an untrusted authority.
    public static let untrustedClient = TestCertificate("untrusted-client") {
        ($0.commonName, $0.alternativeNames) = ("stranger", ["email:stranger@example.com"])
        $0.issuer = .otherRoot
    }
    /// A client certificate issued by an intermediate authority, which is in the certificate's file.
    public static let chainedClient = TestCertificate("chained-client") {
        ($0.commonName, $0.alternativeNames) = ("chained client", ["email:client@example.com"])
        $0.issuer = .intermediate
    }
}
