// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Comparison
import Figures
package import Foundation
import NIOSSL

/// The certificates of all identities, made by the `openssl` command in a folder.
package struct IdentityFolder: Sendable {
    private let folder: URL
    private static let root = "root.pem"

    /// Makes the certificates, which takes one or two seconds.
    package init(in folder: URL) throws {
        self.folder = folder
        for recipe in CertificateRecipe.authorities + Identity.allCases.map(CertificateRecipe.init) {
            try recipe.make(in: folder)
        }
    }

    /// The PEM file of the authority that clients must trust.
    package var authorityFile: String { folder.appendingPathComponent(Self.root).path }

    /// Returns the digest of an identity's public key, in Base64.
    package func pin(of identity: Identity) throws -> String {
        let key = try CertificateRecipe.openssl(
            ["pkey", "-in", path("\(identity.rawValue).key"), "-pubout", "-outform", "DER"])
        let digest = try CertificateRecipe.openssl(["dgst", "-sha256", "-binary"], input: key)
        return digest.base64EncodedString()
    }

    func configuration(_ identity: Identity) throws -> TLSConfiguration {
        var chain = try NIOSSLCertificate.fromPEMFile(path("\(identity.rawValue).pem"))
        switch identity {
        case .goodWithIntermediate, .forbiddenByConstraints, .expiredIntermediate, .issuedByServer:
            if let issuer = CertificateRecipe(identity).issuer {
                chain += try NIOSSLCertificate.fromPEMFile(path("\(issuer).pem"))
            }
        default: break
        }
        let key = try NIOSSLPrivateKey(file: path("\(identity.rawValue).key"), format: .pem)
        return TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}
