// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A certificate (RFC 5280) that a server presented, that a chain was built with, or that is pinned.
///
/// It keeps the bytes; what is asked for is read from them each time, so keep an answer that is used often.
public struct ServerCertificate: Sendable, Hashable {
    /// The certificate as DER.
    public let der: Data
    /// The SHA-256 pin of its public key.
    public let publicKeyPin: PublicKeyPin

    /// Reads one certificate from DER.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` when the bytes are no certificate, or more than one.
    public init(der: Data) throws(NetworkingError) {
        self.der = der
        publicKeyPin = try CertificateReader.publicKeyPin(ofDER: der)
    }

    /// For bytes that were read before.
    init(der: Data, publicKeyPin: PublicKeyPin) {
        self.der = der
        self.publicKeyPin = publicKeyPin
    }

    public static func == (one: ServerCertificate, other: ServerCertificate) -> Bool { one.der == other.der }

    public func hash(into hasher: inout Hasher) { hasher.combine(publicKeyPin) }
}

extension ServerCertificate {
    /// Whom it is for, as RFC 2253 writes it: `CN=example.com,O=Example`.
    public var subject: String { CertificateReader.reading(self, \.subject) }

    /// Who vouches for it, as RFC 2253 writes it.
    public var issuer: String { CertificateReader.reading(self, \.issuer) }

    /// Its serial number in upper-case hexadecimal.
    public var serialNumber: String { CertificateReader.reading(self, \.serialNumber) }

    /// The host names that it is good for (subjectAltName), wildcards as they are.
    public var dnsNames: [String] { CertificateReader.reading(self, \.dnsNames) }

    /// The IP addresses that it is good for (subjectAltName), as text.
    public var ipAddresses: [String] { CertificateReader.reading(self, \.ipAddresses) }

    /// From when it is valid.
    public var validFrom: Date { CertificateReader.reading(self, \.validFrom) }

    /// Until when it is valid.
    public var validUntil: Date { CertificateReader.reading(self, \.validUntil) }

    /// SHA-256 of the whole certificate, in lower-case hexadecimal.
    public var fingerprint: String { MessageDigest.hexadecimalDigest(of: der) }
}

extension ServerCertificate: CustomStringConvertible {
    public var description: String { "\(subject) (\(publicKeyPin))" }
}
