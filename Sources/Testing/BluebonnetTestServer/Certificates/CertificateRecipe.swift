// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The parameters with which one test certificate is made. It accesses no files.
struct CertificateRecipe: Sendable, Hashable {
    static let loopback = ["DNS:localhost", "IP:127.0.0.1", "IP:::1"]

    /// The name of the certificate and of its files.
    let name: String
    var commonName = "localhost"
    /// The subject, in the notation of `openssl`; nil is the common name alone.
    var subject: String?
    /// The alternative names, in the notation of `openssl`; empty for no such extension.
    var alternativeNames = CertificateRecipe.loopback
    /// The issuer; nil means self-signed.
    var issuer: TestCertificate.Authority? = .root
    var key = TestCertificate.Key.ecdsa
    var isAuthority = false
    /// The names that an authority may issue certificates for, in the notation of `openssl`.
    var permittedNames: [String] = []
    /// Extensions by name, in the notation of `openssl`. They are added to the usual extensions, or replace them.
    var extensions: [String: String] = [:]
    /// Whether the certificate is of X.509 version 1, which has no extensions.
    var isVersionOne = false
    /// The digest of the signature.
    var digest = "sha256"
    /// The serial number; nil is a random one. With a number, the certificate is valid from now for 365 days.
    var serialNumber: Int?
    var begin = "240101000000Z"
    var end = "480101000000Z"
    /// Whether a server sends the intermediate authorities too.
    var sendsIntermediates = true
    /// The least number of bytes that a server sends, reached by repeating its last certificate.
    var paddedByteCount = 0

    init(_ name: String, _ change: (inout CertificateRecipe) -> Void = { _ in }) {
        self.name = name
        change(&self)
    }

    /// The extensions, as a section of a configuration file of `openssl`.
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

    // One line for each name: a single line would be too long for openssl when there are very many names.
    private static func numbered(_ names: [String]) -> String {
        names.enumerated().map { index, name in
            let parts = name.split(separator: ":", maxSplits: 1)
            return "\(parts[0]).\(index) = \(parts.dropFirst().joined())"
        }.joined(separator: "\n")
    }
}
