// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A certificate with its key, made for this run of the tests.
///
/// All are made together at the first use, by the `openssl` command, in a folder that goes away with this process.
public struct TestCertificate: Sendable, Hashable {
    /// Its name, also that of its files.
    public let name: String

    /// Good for localhost, 127.0.0.1 and ::1.
    public static let localhost = TestCertificate(name: "localhost")
    /// Good for localhost too, with another key.
    public static let otherKey = TestCertificate(name: "other-key")
    /// Good for localhost, but not since 2021.
    public static let expired = TestCertificate(name: "expired")
    /// Good for localhost, but not before 2048.
    public static let future = TestCertificate(name: "future")
    /// Good for wrong.example only.
    public static let wrongHost = TestCertificate(name: "wrong-host")
    /// Good for localhost by its common name alone.
    public static let commonNameOnly = TestCertificate(name: "common-name-only")
    /// Good for localhost, signed by itself.
    public static let selfSigned = TestCertificate(name: "self-signed")
    /// Good for localhost, issued by an authority that nobody trusts.
    public static let untrusted = TestCertificate(name: "untrusted")
    /// Good for localhost, issued by an intermediate authority, which is sent along.
    public static let chained = TestCertificate(name: "chained")
    /// The same as `chained`, without the intermediate.
    public static let incomplete = TestCertificate(name: "incomplete")
    /// A client's.
    public static let client = TestCertificate(name: "client")

    /// Makes another certificate, issued by the root. The alternative names are in the words of `openssl`, as in
    /// "DNS:*.example.com" and "IP:127.0.0.1".
    public static func issue(commonName: String, alternativeNames: [String]) throws -> TestCertificate {
        let recipe = CertificateRecipe("issued-\(UUID().uuidString)") {
            $0.commonName = commonName
            $0.alternativeNames = alternativeNames.isEmpty ? nil : alternativeNames.joined(separator: ",")
        }
        try CertificateFolder.shared.get().make(recipe)
        return TestCertificate(name: recipe.name)
    }

    /// The PEM file of the root that vouches for it. `selfSigned` and `untrusted` have their own.
    public var caPath: String {
        get throws { try file(recipe.issuer == .itself ? name : recipe.issuer == .other ? "other-root" : "root") }
    }

    /// The PEM file of the certificate, with those that a server sends along.
    public var certificatePath: String {
        get throws { try file(recipe.issuer == .intermediate && name != "incomplete" ? name + "-chain" : name) }
    }

    /// The PEM file of the certificate alone.
    public var leafPath: String {
        get throws { try file(name) }
    }

    /// The PEM file of the intermediate authority, which issued `chained` and `incomplete`.
    public static var intermediatePath: String {
        get throws { try TestCertificate(name: "intermediate").leafPath }
    }

    /// The PEM file of the private key.
    public var keyPath: String {
        get throws { try CertificateFolder.shared.get().path(name + ".key") }
    }

    /// The certificate alone, as DER.
    public var der: Data {
        get throws { try CertificateFolder.der(fromPEM: leafPath) }
    }

    /// The public key (SubjectPublicKeyInfo), as DER.
    public var publicKeyDER: Data {
        get throws { try CertificateFolder.der(fromPEM: CertificateFolder.shared.get().path(name + ".pub")) }
    }

    private func file(_ name: String) throws -> String {
        try CertificateFolder.shared.get().path(name + ".pem")
    }

    private var recipe: CertificateRecipe {
        CertificateRecipe.all.first { $0.name == name } ?? CertificateRecipe(name)
    }
}
