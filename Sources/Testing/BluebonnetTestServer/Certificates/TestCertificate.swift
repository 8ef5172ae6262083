// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A certificate with its key, made for this run of the tests.
///
/// The `openssl` command makes each certificate at its first use, in a folder that is deleted with this process.
public struct TestCertificate: Sendable, Hashable, CustomStringConvertible {
    let recipe: CertificateRecipe
    /// The certificates that a server sends after its own chain.
    private(set) var appended: [TestCertificate] = []

    init(_ recipe: CertificateRecipe) {
        self.recipe = recipe
    }

    init(_ name: String, _ change: (inout CertificateRecipe) -> Void = { _ in }) {
        recipe = CertificateRecipe(name, change)
    }

    /// The name of the certificate and of its files.
    public var name: String { recipe.name }

    public var description: String { ([self] + appended).map(\.name).joined(separator: "+") }

    /// Makes another certificate, valid for its alternative names. These are in the notation of `openssl`, such as
    /// "DNS:*.example.com" and "IP:127.0.0.1". A nil authority means self-signed.
    public static func issue(
        commonName: String, alternativeNames: [String], by authority: Authority? = .root, key: Key = .ecdsa
    ) throws -> TestCertificate {
        TestCertificate("issued-\(UUID().uuidString)") {
            ($0.commonName, $0.alternativeNames) = (commonName, alternativeNames)
            ($0.issuer, $0.key) = (authority, key)
        }
    }

    /// Returns a copy of the certificate with which a server sends further certificates, in this order, after its own
    /// chain.
    public func appending(_ others: TestCertificate...) -> TestCertificate {
        var longer = self
        longer.appended += others
        return longer
    }

    /// The certificates from this one, which is first, up to its root.
    public var issuers: [TestCertificate] {
        [self] + (recipe.issuer?.certificate.issuers ?? [])
    }
}

// MARK: - Files

extension TestCertificate {
    /// The path of the PEM file of the certificate's root. A self-signed certificate is its own root.
    public var caPath: String {
        get throws { try (issuers.last ?? self).leafPath }
    }

    /// The path of the PEM file of the certificate, with the other certificates that a server sends.
    public var certificatePath: String {
        get throws { try CertificateFolder.shared.get().chainPath(of: self) }
    }

    /// The number of bytes of certificates that a server sends, in DER.
    public var chainByteCount: Int {
        get throws {
            let lines = try String(contentsOfFile: certificatePath, encoding: .utf8).components(separatedBy: "\n")
            return lines.reduce(0) { $0 + ($1.hasPrefix("-") ? 0 : (Data(base64Encoded: $1)?.count ?? 0)) }
        }
    }

    /// The path of the PEM file of the certificate alone.
    public var leafPath: String {
        get throws { try file(".pem") }
    }

    /// The path of the PEM file of the intermediate authority that issued `chained` and `incomplete`.
    public static var intermediatePath: String {
        get throws { try Authority.intermediate.certificate.leafPath }
    }

    /// The path of the PEM file of the private key.
    public var keyPath: String {
        get throws { try file(".key") }
    }

    /// The certificate alone, in DER.
    public var der: Data {
        get throws { try CertificateFolder.der(fromPEM: leafPath) }
    }

    /// The private key (PKCS#8), in DER.
    public var keyDER: Data {
        get throws { try CertificateFolder.der(fromPEM: keyPath) }
    }

    /// The public key (SubjectPublicKeyInfo), in DER.
    public var publicKeyDER: Data {
        get throws { try CertificateFolder.der(fromPEM: file(".pub")) }
    }

    /// Makes a PEM file of the private key, encrypted with a password.
    public func encryptedKeyPath(password: String) throws -> String {
        try CertificateFolder.shared.get().make("encrypted.key") { path in
            ["pkey", "-in", try keyPath, "-aes256", "-passout", "pass:" + password, "-out", path]
        }
    }

    /// Makes a PKCS#12 file of the certificate, its chain and its key.
    public func pkcs12Path(password: String) throws -> String {
        try CertificateFolder.shared.get().make("identity.p12") { path in
            ["pkcs12", "-export", "-in", try certificatePath, "-inkey", try keyPath]
                + ["-passout", "pass:" + password, "-out", path]
        }
    }

    /// The path of a PEM file of the certificate with its trusted uses, in OpenSSL's own format.
    public var trustedPath: String {
        get throws {
            try CertificateFolder.shared.get().make("trusted.pem") { path in
                ["x509", "-in", try leafPath, "-trustout", "-addtrust", "serverAuth", "-out", path]
            }
        }
    }

    private func file(_ ending: String) throws -> String {
        try CertificateFolder.shared.get().path(recipe, ending)
    }
}
