// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How one of the test certificates is made.
struct CertificateRecipe {
    /// Who signs it.
    enum Issuer: String {
        case root, other, intermediate, itself
    }

    private static let loopback = "DNS:localhost,IP:127.0.0.1,IP:::1"

    let name: String
    var commonName = "localhost"
    var alternativeNames: String? = CertificateRecipe.loopback
    var issuer = Issuer.root
    var isAuthority = false
    var begin = "240101000000Z"
    var end = "480101000000Z"

    init(_ name: String, _ change: (inout CertificateRecipe) -> Void = { _ in }) {
        self.name = name
        change(&self)
    }

    /// All certificates, issuers before what they issue.
    static var all: [CertificateRecipe] {
        authorities + [
            CertificateRecipe("localhost"),
            CertificateRecipe("other-key"),
            CertificateRecipe("expired") { ($0.begin, $0.end) = ("200101000000Z", "210101000000Z") },
            CertificateRecipe("future") { ($0.begin, $0.end) = ("480101000000Z", "490101000000Z") },
            CertificateRecipe("wrong-host") {
                ($0.commonName, $0.alternativeNames) = ("wrong.example", "DNS:wrong.example")
            },
            CertificateRecipe("common-name-only") { $0.alternativeNames = nil },
            CertificateRecipe("self-signed") { $0.issuer = .itself },
            CertificateRecipe("untrusted") { $0.issuer = .other },
            CertificateRecipe("chained") { $0.issuer = .intermediate },
            CertificateRecipe("incomplete") { $0.issuer = .intermediate },
            CertificateRecipe("client") {
                ($0.commonName, $0.alternativeNames) = ("test client", "email:client@example.com")
            },
        ]
    }

    private static var authorities: [CertificateRecipe] {
        [("root", Issuer.itself), ("other-root", .itself), ("intermediate", .root)].map { name, issuer in
            CertificateRecipe(name) {
                ($0.commonName, $0.alternativeNames) = ("Bluebonnet test \(name)", nil)
                ($0.issuer, $0.isAuthority) = (issuer, true)
            }
        }
    }

    /// The name of the files of the certificate that signs this one.
    var issuerName: String {
        switch issuer {
        case .root, .intermediate: issuer.rawValue
        case .other: "other-root"
        case .itself: name
        }
    }

    /// Its extensions, as a section of a configuration file of `openssl`.
    var section: String {
        let constraints = isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"
        let usage = isAuthority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature"
        let names = alternativeNames.map { "subjectAltName=\($0)\n" } ?? ""
        return """
            [\(name)]
            basicConstraints=\(constraints)
            keyUsage=\(usage)
            subjectKeyIdentifier=hash
            \(names)
            """
    }
}
