// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Figures
import Foundation

/// The parameters with which the `openssl` command makes one certificate and its key.
struct CertificateRecipe {
    /// The name of the certificate and of its files.
    let name: String
    /// The name of the issuer's files; nil means self-signed.
    var issuer: String? = "root"
    var commonName: String
    /// The alternative names, in the notation of openssl; nil for none.
    var alternativeNames: String? = "DNS:localhost"
    var isAuthority = false
    /// Further extensions, in the notation of openssl.
    var extensions: [String] = []
    /// The first and the last moment of validity, in ASN.1 notation.
    var begin = "20240101000000Z"
    var end = "20480101000000Z"

    private init(authority name: String, issuer: String?, extensions: [String] = []) {
        (self.name, self.issuer, self.extensions) = (name, issuer, extensions)
        commonName = name
        alternativeNames = nil
        isAuthority = true
    }

    /// The authorities. Issuers precede the certificates that they issue.
    static let authorities: [CertificateRecipe] = {
        var expired = CertificateRecipe(authority: "expired-intermediate", issuer: "root")
        expired.end = "20250101000000Z"
        return [
            CertificateRecipe(authority: "root", issuer: nil),
            CertificateRecipe(authority: "unknown-root", issuer: nil),
            CertificateRecipe(authority: "intermediate", issuer: "root"), expired,
            CertificateRecipe(
                authority: "constrained", issuer: "root",
                extensions: ["nameConstraints=critical,permitted;DNS:example.com"]),
        ]
    }()

    init(_ identity: Identity) {
        name = identity.rawValue
        commonName = "server"
        switch identity {
        case .good: break
        case .goodByAddress: alternativeNames = "IP:127.0.0.1"
        case .goodWithIntermediate, .withoutIntermediate: issuer = "intermediate"
        case .expired: end = "20250101000000Z"
        case .notYetValid: begin = "20470101000000Z"
        case .otherHost: alternativeNames = "DNS:example.com"
        case .selfSigned: issuer = nil
        case .untrustedRoot: issuer = "unknown-root"
        case .expiredIntermediate: issuer = "expired-intermediate"
        case .forbiddenByConstraints: issuer = "constrained"
        case .issuedByServer: issuer = Identity.good.rawValue
        case .commonNameOnly: (commonName, alternativeNames) = ("localhost", nil)
        case .addressAsName: alternativeNames = "DNS:127.0.0.1"
        case .addressAsCommonName: (commonName, alternativeNames) = ("127.0.0.1", nil)
        case .clientsOnly: extensions = ["extendedKeyUsage=clientAuth"]
        case .unknownCriticalExtension: extensions = ["1.2.3.4.5=critical,DER:05:00"]
        }
    }

    /// Makes the files `NAME.pem` and `NAME.key`.
    func make(in folder: URL) throws {
        let path = { (name: String) in folder.appendingPathComponent(name).path }
        let settings = """
            [req]
            distinguished_name=subject
            [subject]
            [extensions]
            \(extensionLines.joined(separator: "\n"))
            [ca]
            default_ca=authority
            [authority]
            new_certs_dir=\(folder.path)
            database=\(path("database"))
            rand_serial=yes
            unique_subject=no
            default_md=sha256
            policy=policy
            [policy]
            commonName=supplied

            """
        try settings.write(toFile: path(name + ".conf"), atomically: false, encoding: .utf8)
        if !FileManager.default.fileExists(atPath: path("database")) {
            try Data().write(to: folder.appendingPathComponent("database"))
        }
        _ = try Self.openssl(
            ["req", "-new", "-config", path(name + ".conf"), "-subj", "/CN=\(commonName)", "-nodes", "-newkey", "ec"]
                + [
                    "-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", path(name + ".key"), "-out",
                    path(name + ".csr"),
                ])
        let signer = issuer ?? name
        _ = try Self.openssl(
            ["ca", "-config", path(name + ".conf"), "-batch", "-notext", "-extensions", "extensions"]
                + ["-startdate", begin, "-enddate", end, "-keyfile", path(signer + ".key"), "-in", path(name + ".csr")]
                + (issuer == nil ? ["-selfsign"] : ["-cert", path(signer + ".pem")]) + ["-out", path(name + ".pem")])
    }

    private var extensionLines: [String] {
        let usual =
            isAuthority
            ? ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"]
            : ["basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature"]
        let names = alternativeNames.map { ["subjectAltName=\($0)"] } ?? []
        return usual + ["subjectKeyIdentifier=hash"] + names + extensions
    }

    /// Runs the openssl command and returns its output.
    static func openssl(_ words: [String], input: Data? = nil) throws -> Data {
        let process = Process()
        let (output, errors, source) = (Pipe(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + words
        (process.standardOutput, process.standardError, process.standardInput) = (output, errors, source)
        try process.run()
        if let input { try source.fileHandleForWriting.write(contentsOf: input) }
        try source.fileHandleForWriting.close()
        // Reading one pipe after the other cannot block, because openssl's messages fit into a pipe.
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("openssl \(words[0]) failed: \(String(decoding: said, as: UTF8.self))")
        }
        return data
    }
}
