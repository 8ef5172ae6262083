// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Certificates as badssl.com's hosts have them, besides those that have other uses.
extension TestCertificate {
    /// Good for localhost, with the policy of extended validation (CA/Browser Forum).
    public static let extendedValidation = TestCertificate("extended-validation") {
        $0.subject = "/O=Bluebonnet"
        $0.extensions["certificatePolicies"] = "2.23.140.1.1"
    }
    /// Good for localhost, with a list of certificate transparency (RFC 6962, 3.3) in which there is nothing.
    public static let emptyTimestamps = TestCertificate("empty-timestamps") {
        $0.extensions["1.3.6.1.4.1.11129.2.4.2"] = "DER:04:02:00:00"
    }
    /// Good for all names right under example.test, by an authority that must not vouch for secret.example.test.
    public static let notSecret = TestCertificate("wildcard-not-secret") {
        ($0.issuer, $0.alternativeNames) = (.notSecret, ["DNS:*.example.test"])
    }
    /// Good for localhost and a thousand other names.
    public static let thousandNames = TestCertificate("thousand-names") {
        $0.alternativeNames = CertificateRecipe.loopback + (0..<1_000).map { "DNS:many-\($0).example.test" }
    }
}
