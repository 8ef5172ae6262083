// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Certificates for localhost that differ in how they were made.
extension TestCertificate {
    public static let ecdsa384 = TestCertificate("ecdsa-384") { $0.key = .ecdsa384 }
    public static let rsa4096 = TestCertificate("rsa-4096") { $0.key = .rsaOf(bitCount: 4096) }
    public static let rsa8192 = TestCertificate("rsa-8192") { $0.key = .rsaOf(bitCount: 8192) }
    public static let rsa1024 = TestCertificate("rsa-1024") { $0.key = .rsaOf(bitCount: 1024) }
    public static let rsa512 = TestCertificate("rsa-512") { $0.key = .rsaOf(bitCount: 512) }

    public static let sha384 = TestCertificate("sha384") { $0.digest = "sha384" }
    public static let sha512 = TestCertificate("sha512") { $0.digest = "sha512" }
    public static let sha1 = TestCertificate("sha1") { $0.digest = "sha1" }
    /// Has an RSA issuer, because there is no ECDSA signature with MD5.
    public static let md5 = TestCertificate("md5") { ($0.digest, $0.issuer) = ("md5", .withRSA) }

    /// Has an organization as subject, without a common name.
    public static let noCommonName = TestCertificate("no-common-name") { $0.subject = "/O=Bluebonnet" }
    /// Has an empty subject. Its alternative names must then be critical (RFC 5280, 4.1.2.6).
    public static let noSubject = TestCertificate("no-subject") {
        $0.subject = "/"
        $0.extensions["subjectAltName"] = "critical,@names"
    }
    public static let negativeSerialNumber = TestCertificate("negative-serial-number") { $0.serialNumber = -1 }
    public static let zeroSerialNumber = TestCertificate("zero-serial-number") { $0.serialNumber = 0 }

    /// Has the extended key usage of a server.
    public static let serverPurpose = TestCertificate("server-purpose") {
        $0.extensions["extendedKeyUsage"] = "serverAuth"
    }
    /// Has the extended key usage of a client.
    public static let clientPurpose = TestCertificate("client-purpose") {
        $0.extensions["extendedKeyUsage"] = "clientAuth"
    }
    /// Has a key usage for signing certificates only.
    public static let authorityUsage = TestCertificate("authority-usage") {
        $0.extensions["keyUsage"] = "critical,keyCertSign,cRLSign"
    }
    /// Has an unknown extension that is not critical, so clients must ignore it.
    public static let unknownExtension = TestCertificate("unknown-extension") {
        $0.extensions["1.2.3.4.5"] = "DER:05:00"
    }
    /// Has an unknown extension that is critical, so clients must reject the certificate.
    public static let unknownCriticalExtension = TestCertificate("unknown-critical-extension") {
        $0.extensions["1.2.3.4.5"] = "critical,DER:05:00"
    }
    /// Names an issuer's key that the issuer does not have (RFC 5280, 4.2.1.1).
    public static let wrongIssuerKey = TestCertificate("wrong-issuer-key") {
        $0.extensions["authorityKeyIdentifier"] = "DER:30:06:80:04:01:02:03:04"
    }
}

// Certificates for localhost that differ in their issuers.
extension TestCertificate {
    public static let belowTwo = TestCertificate("below-two") { $0.issuer = .below }
    public static let belowTheLast = TestCertificate("below-below-the-last") { $0.issuer = .belowTheLast }
    public static let belowExpired = TestCertificate("below-expired") { $0.issuer = .expiredIntermediate }
    public static let belowExpiredRoot = TestCertificate("below-expired-root") { $0.issuer = .expiredRoot }
    /// Names its issuer's key.
    public static let ofImpostor = TestCertificate("of-impostor") { $0.issuer = .impostor }
    /// Does not name its issuer's key.
    public static let ofAnyImpostor = TestCertificate("of-any-impostor") {
        $0.issuer = .impostor
        $0.extensions["authorityKeyIdentifier"] = "none"
    }
    public static let ofServer = TestCertificate("of-server") { $0.issuer = .server }
    public static let ofNoAuthority = TestCertificate("of-no-authority") { $0.issuer = .noAuthority }
    public static let ofVersionOne = TestCertificate("of-version-one") { $0.issuer = .versionOne }
    public static let ofClientsOnly = TestCertificate("of-clients-only") { $0.issuer = .clientsOnly }
    public static let ofSHA1 = TestCertificate("of-sha1") { $0.issuer = .signedWithSHA1 }
    public static let ofShortKey = TestCertificate("of-short-key") { $0.issuer = .withShortKey }
}
