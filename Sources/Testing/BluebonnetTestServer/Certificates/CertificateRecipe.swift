// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How one of the test certificates is made. It knows no files.
struct CertificateRecipe: Sendable, Hashable {
    static let loopback = ["DNS:localhost", "IP:127.0.0.1", "IP:::1"]

    /// Also the name of its files.
    let name: String
    var commonName = "localhost"
    /// In the words of `openssl`; nil is the common name alone.
    var subject: String?
    /// In the words of `openssl`; empty for no extension.
    var alternativeNames = CertificateRecipe.loopback
    /// Nil means that it signs itself.
    var issuer: TestCertificate.Authority? = .root
    var key = TestCertificate.Key.ecdsa
    var isAuthority = false
    /// In the words of `openssl`: what an authority may vouch for.
    var permittedNames: [String] = []
    /// Extensions by their names, in the words of `openssl`, besides the usual ones or instead of them.
    var extensions: [String: String] = [:]
    /// Whether it is of version 1 of X.509, which has no extensions.
    var isVersionOne = false
    /// What it is signed with.
    var digest = "sha256"
    /// Nil is a random one. With a number, it is valid from now on for a while.
    var serialNumber: Int?
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
        guard !isVersionOne else { return "" }
        let lines = usualExtensions.merging(extensions) { $1 }.map { "\($0)=\($1)" }.sorted()
        return """
            [extensions]
            \(lines.joined(separator: "\n"))
            [names]
            \(Self.numbered(alternativeNames))
            [permitted]
            \(Self.numbered(permittedNames.map { "permitted;" + $0 }))

            """
    }

    private var usualExtensions: [String: String] {
        let usage = isAuthority ? "critical,keyCertSign,cRLSign,digitalSignature" : "critical,digitalSignature"
        var extensions = [
            "basicConstraints": isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE",
            "keyUsage": usage + (key.isRSA ? ",keyEncipherment" : ""), "subjectKeyIdentifier": "hash",
        ]
        if !alternativeNames.isEmpty { extensions["subjectAltName"] = "@names" }
        if !permittedNames.isEmpty { extensions["nameConstraints"] = "critical,@permitted" }
        return extensions
    }

    // A list in one line would be too long for openssl when there are very many.
    private static func numbered(_ names: [String]) -> String {
        names.enumerated().map { index, name in
            let parts = name.split(separator: ":", maxSplits: 1)
            return "\(parts[0]).\(index) = \(parts.dropFirst().joined())"
        }.joined(separator: "\n")
    }
}
