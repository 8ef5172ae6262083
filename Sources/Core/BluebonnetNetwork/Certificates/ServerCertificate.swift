// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A certificate (RFC 5280) that a server presented, that is part of a built chain, or that is pinned.
///
/// The value stores the bytes, and each property parses them. Store the value of a property that you use often.
public struct ServerCertificate: Sendable, Hashable {
    /// The certificate as DER.
    public let der: Data
    /// The SHA-256 pin of its public key.
    public let publicKeyPin: PublicKeyPin

    /// Parses one certificate from DER.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` if the bytes are not exactly one certificate.
    public init(der: Data) throws(NetworkingError) {
        self.der = der
        publicKeyPin = try CertificateReader.publicKeyPin(ofDER: der)
    }

    /// Parses the certificates in the bytes, in their order: one as DER, or any number as PEM.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` if the bytes contain no certificate, or anything in
    ///   addition to certificates.
    public static func certificates(in data: Data) throws(NetworkingError) -> [ServerCertificate] {
        try certificates(in: data, "the certificate data")
    }

    /// - Parameter source: the name of the bytes for messages.
    static func certificates(in data: Data, _ source: String) throws(NetworkingError) -> [ServerCertificate] {
        var certificates: [ServerCertificate] = []
        for bytes in try blocks(in: data, source) {
            guard let certificate = try? ServerCertificate(der: bytes) else {
                throw NetworkingError(
                    .invalidSecurityPolicy, "\(source) contains data that is not a certificate in DER or PEM")
            }
            certificates.append(certificate)
        }
        guard !certificates.isEmpty else {
            throw NetworkingError(.invalidSecurityPolicy, "\(source) contains no certificate")
        }
        return certificates
    }

    private static func blocks(in data: Data, _ source: String) throws(NetworkingError) -> [Data] {
        guard PEMText.isPEM(data) else { return [data] }
        do throws(PEMError) {
            return try PEMText(data).certificates()
        } catch {
            throw NetworkingError(.invalidSecurityPolicy, "\(source) is not a list of certificates: \(error.words)")
        }
    }

    /// Makes a value from bytes that were parsed before.
    package init(der: Data, publicKeyPin: PublicKeyPin) {
        self.der = der
        self.publicKeyPin = publicKeyPin
    }

    public static func == (one: ServerCertificate, other: ServerCertificate) -> Bool { one.der == other.der }

    public func hash(into hasher: inout Hasher) { hasher.combine(publicKeyPin) }
}

extension ServerCertificate {
    /// The subject in the form of RFC 2253: `CN=example.com,O=Example`.
    public var subject: String { CertificateReader.reading(self, \.subject) }

    /// The issuer in the form of RFC 2253.
    public var issuer: String { CertificateReader.reading(self, \.issuer) }

    /// The serial number in upper-case hexadecimal.
    public var serialNumber: String { CertificateReader.reading(self, \.serialNumber) }

    /// The host names of the certificate (subjectAltName), wildcards included.
    public var dnsNames: [String] { CertificateReader.reading(self, \.dnsNames) }

    /// The IP addresses of the certificate (subjectAltName), as text.
    public var ipAddresses: [String] { CertificateReader.reading(self, \.ipAddresses) }

    /// The start of the certificate's validity.
    public var validFrom: Date { CertificateReader.reading(self, \.validFrom) }

    /// The end of the certificate's validity.
    public var validUntil: Date { CertificateReader.reading(self, \.validUntil) }

    /// The SHA-256 of the whole certificate, in lower-case hexadecimal.
    public var fingerprint: String { MessageDigest.hexadecimalDigest(of: der) }
}

extension ServerCertificate: CustomStringConvertible {
    public var description: String { "\(subject) (\(publicKeyPin))" }
}

extension ServerCertificate: Codable {
    /// Decodes the bytes of a certificate in DER.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let der = try container.decode(Data.self)
        do throws(NetworkingError) { try self.init(der: der) } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
        }
    }

    /// Encodes the bytes of the certificate in DER.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(der)
    }
}
