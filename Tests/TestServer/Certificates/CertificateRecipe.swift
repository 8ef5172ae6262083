// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How one of the test certificates is made. It knows no files.
struct CertificateRecipe: Sendable, Hashable {
    static let loopback = ["DNS:localhost", "IP:127.0.0.1", "IP:::1"]

    /// Also the name of its files.
    let name: String
    var commonName = "localhost"
    /// In the words of `openssl`; empty for no extension.
    var alternativeNames = CertificateRecipe.loopback
    /// Nil means that it signs itself.
    var issuer: TestCertificate.Authority? = .root
    var key = TestCertificate.Key.ecdsa
    var isAuthority = false
    /// In the words of `openssl`: what an authority may vouch for.
    var permittedNames: [String] = []
    var begin = "240101000000Z"
    var end = "480101000000Z"
    /// Whether a server sends the intermediate authorities along.
    var sendsIntermediates = true
    /// How long what a server sends is made, by repeating its last certificate.
    var paddedByteCount = 0

    init(_ name: String, _ change: (inout CertificateRecipe) -> Void = { _ in }) {
        self.name = name
        change(&self)
    }

    /// Its extensions, as a section of a configuration file of `openssl`.
    var section: String {
        let constraints = isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"
        let usage = isAuthority ? "critical,keyCertSign,cRLSign,digitalSignature" : "critical,digitalSignature"
        return """
            [extensions]
            basicConstraints=\(constraints)
            keyUsage=\(usage)\(key == .rsa ? ",keyEncipherment" : "")
            subjectKeyIdentifier=hash
            \(alternativeNames.isEmpty ? "" : "subjectAltName=@names")
            \(permittedNames.isEmpty ? "" : "nameConstraints=critical,@permitted")
            [names]
            \(Self.numbered(alternativeNames))
            [permitted]
            \(Self.numbered(permittedNames.map { "permitted;" + $0 }))

            """
    }

    // A list in one line would be too long for openssl when there are very many.
    private static func numbered(_ names: [String]) -> String {
        names.enumerated().map { index, name in
            let parts = name.split(separator: ":", maxSplits: 1)
            return "\(parts[0]).\(index) = \(parts.dropFirst().joined())"
        }.joined(separator: "\n")
    }
}

extension TestCertificate {
    /// The kind of a private key.
    public enum Key: Sendable, Hashable {
        /// ECDSA on P-256.
        case ecdsa
        /// RSA with 2048 bits.
        case rsa

        /// What `openssl req` is told.
        var arguments: [String] {
            switch self {
            case .ecdsa: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
            case .rsa: ["-newkey", "rsa:2048"]
            }
        }
    }

    /// An authority that issues test certificates.
    public enum Authority: String, Sendable, Hashable {
        /// The root that tests trust.
        case root
        /// A root that nobody trusts.
        case otherRoot = "other-root"
        /// An intermediate authority under `root`.
        case intermediate
        /// An intermediate authority under `root` that may vouch for localhost and 127.0.0.0/8 only (RFC 5280, 4.2.1.10).
        case localOnly = "local-only"
        /// An intermediate authority under `root` that may vouch for example.com and 10.0.0.0/8 only.
        case elsewhereOnly = "elsewhere-only"

        /// Its own certificate.
        public var certificate: TestCertificate { TestCertificate(recipe) }

        private var recipe: CertificateRecipe {
            CertificateRecipe(rawValue) {
                ($0.commonName, $0.alternativeNames) = ("Bluebonnet test \(rawValue)", [])
                ($0.issuer, $0.isAuthority) = (issuer, true)
                $0.permittedNames = permittedNames
            }
        }

        private var issuer: Authority? {
            switch self {
            case .root, .otherRoot: nil
            case .intermediate, .localOnly, .elsewhereOnly: .root
            }
        }

        private var permittedNames: [String] {
            switch self {
            case .root, .otherRoot, .intermediate: []
            case .localOnly: ["DNS:localhost", "IP:127.0.0.0/255.0.0.0"]
            case .elsewhereOnly: ["DNS:example.com", "IP:10.0.0.0/255.0.0.0"]
            }
        }
    }
}
