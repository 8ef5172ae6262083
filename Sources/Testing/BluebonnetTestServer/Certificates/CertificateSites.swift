// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Certificates that resemble the ones on badssl.com. Certificates with further uses are defined elsewhere.
extension TestCertificate {
    /// Valid for localhost, with the policy of extended validation (CA/Browser Forum).
    public static let extendedValidation = TestCertificate("extended-validation") {
        $0.subject = "/O=Bluebonnet"
        $0.extensions["certificatePolicies"] = "2.23.140.1.1"
    }
    /// Valid for localhost, with an empty list of certificate transparency timestamps (RFC 6962, 3.3).
    public static let emptyTimestamps = TestCertificate("empty-timestamps") {
        $0.extensions["1.3.6.1.4.1.11129.2.4.2"] = "DER:04:02:00:00"
    }
    /// Valid for all names directly under example.test, from an authority that must not issue for secret.example.test.
    public static let notSecret = TestCertificate("wildcard-not-secret") {
        ($0.issuer, $0.alternativeNames) = (.notSecret, ["DNS:*.example.test"])
    }
    /// Valid for localhost and a thousand other names.
    public static let thousandNames = TestCertificate("thousand-names") {
        $0.alternativeNames = CertificateRecipe.loopback + (0..<1_000).map { "DNS:many-\($0).example.test" }
    }
}
