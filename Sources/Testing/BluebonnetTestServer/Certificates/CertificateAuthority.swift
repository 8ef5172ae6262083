// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension TestCertificate {
    /// The issuers of test certificates: authorities, and issuers that are not entitled to issue certificates.
    public enum Authority: String, Sendable, Hashable {
        /// The root that tests trust.
        case root
        /// An untrusted root.
        case otherRoot = "other-root"
        /// An untrusted root with the name of `root`.
        case impostor
        /// A root that has expired.
        case expiredRoot = "expired-root"
        /// An intermediate authority under `root`.
        case intermediate
        /// An intermediate authority under `intermediate`.
        case below = "below-intermediate"
        /// An intermediate authority under `root` that may issue certificates for localhost and 127.0.0.0/8 only (RFC
        /// 5280, 4.2.1.10).
        case localOnly = "local-only"
        /// An intermediate authority under `root` that may issue certificates for example.com and 10.0.0.0/8 only.
        case elsewhereOnly = "elsewhere-only"
        /// An intermediate authority under `root` that must not issue certificates for secret.example.test.
        case notSecret = "not-secret"
        /// An intermediate authority under `root` that has expired.
        case expiredIntermediate = "expired-intermediate"
        /// An intermediate authority under `root`, signed with SHA-1.
        case signedWithSHA1 = "signed-with-sha1"
        /// An intermediate authority under `root` with an RSA key of 2048 bits.
        case withRSA = "with-rsa"
        /// An intermediate authority under `root` with an RSA key of 1024 bits.
        case withShortKey = "with-short-key"
        /// An intermediate authority under `root` that may issue client certificates only.
        case clientsOnly = "clients-only"
        /// An intermediate authority under `root` with a path length of zero: no further authority may follow (RFC
        /// 5280, 4.2.1.9).
        case lastOne = "last-one"
        /// An intermediate authority under `lastOne`, in violation of its path length.
        case belowTheLast = "below-the-last"
        /// An issuer under `root` whose certificate is of X.509 version 1, which has no extension to mark an
        /// authority.
        case versionOne = "version-one"
        /// An issuer under `root` whose certificate is not marked as an authority, although its key usage includes
        /// signing certificates.
        case noAuthority = "no-authority"
        /// An issuer under `root` with an ordinary server certificate.
        case server = "server-as-issuer"

        /// The issuer's own certificate.
        public var certificate: TestCertificate { TestCertificate(recipe) }

        private var recipe: CertificateRecipe {
            CertificateRecipe(rawValue) {
                ($0.commonName, $0.alternativeNames) = ("Bluebonnet test \(rawValue)", [])
                ($0.issuer, $0.isAuthority) = (.root, true)
                specialize(&$0)
            }
        }

        private func specialize(_ recipe: inout CertificateRecipe) {
            switch self {
            case .intermediate: break
            case .below: recipe.issuer = .intermediate
            case .root, .otherRoot: recipe.issuer = nil
            case .impostor: (recipe.issuer, recipe.commonName) = (nil, "Bluebonnet test root")
            case .expiredRoot: (recipe.issuer, recipe.begin, recipe.end) = (nil, "200101000000Z", "210101000000Z")
            case .localOnly: recipe.permittedNames = ["DNS:localhost", "IP:127.0.0.0/255.0.0.0"]
            case .elsewhereOnly: recipe.permittedNames = ["DNS:example.com", "IP:10.0.0.0/255.0.0.0"]
            case .notSecret: recipe.extensions["nameConstraints"] = "critical,excluded;DNS:secret.example.test"
            case .expiredIntermediate: (recipe.begin, recipe.end) = ("200101000000Z", "210101000000Z")
            case .signedWithSHA1: recipe.digest = "sha1"
            case .withRSA: recipe.key = .rsa
            case .withShortKey: recipe.key = .rsaOf(bitCount: 1024)
            case .clientsOnly: recipe.extensions["extendedKeyUsage"] = "clientAuth"
            case .lastOne: recipe.extensions["basicConstraints"] = "critical,CA:TRUE,pathlen:0"
            case .belowTheLast: recipe.issuer = .lastOne
            case .versionOne: recipe.isVersionOne = true
            case .noAuthority: recipe.extensions["basicConstraints"] = "critical,CA:FALSE"
            case .server: recipe.isAuthority = false
            }
        }
    }
}
