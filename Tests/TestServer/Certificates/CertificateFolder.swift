// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Synchronization

/// The files of the test certificates.
struct CertificateFolder: Sendable {
    /// The folder of this process, made at the first use.
    static let shared = Result { try CertificateFolder() }

    /// Held while a certificate is made: `openssl` keeps a list of them in one file.
    private static let turn = Mutex(())

    private let folder: TemporaryFolder
    private let watchdog: Watchdog

    private init() throws {
        folder = try TemporaryFolder()
        watchdog = try Watchdog([], in: folder)
        try folder.write("database", "")
        for recipe in CertificateRecipe.all { try make(recipe) }
        let chain = ["chained", "intermediate"].map { ChildProcess.contents(of: path($0 + ".pem")) }
        try folder.write("chained-chain.pem", chain.joined())
    }

    /// Makes a certificate, its key and its public key.
    func make(_ recipe: CertificateRecipe) throws {
        let (name, issuer) = (recipe.name, recipe.issuerName)
        let settings = try folder.write(name + ".conf", configuration + recipe.section)
        try openssl(
            "req", "-config", settings, "-new", "-subj", "/CN=" + recipe.commonName, "-out", path(name + ".csr"),
            "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-keyout", path(name + ".key"))
        let signer = recipe.issuer == .itself ? ["-selfsign"] : ["-cert", path(issuer + ".pem")]
        try Self.turn.withLock { _ in
            try openssl(
                ["ca", "-config", settings, "-batch", "-notext", "-extensions", name]
                    + ["-startdate", recipe.begin, "-enddate", recipe.end, "-keyfile", path(issuer + ".key")]
                    + ["-in", path(name + ".csr"), "-out", path(name + ".pem")] + signer)
        }
        try openssl("pkey", "-in", path(name + ".key"), "-pubout", "-out", path(name + ".pub"))
    }

    /// The path of one of the files.
    func path(_ name: String) -> String { folder.path(name) }

    /// What is between the first two marker lines of a PEM file.
    static func der(fromPEM path: String) throws -> Data {
        let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        let text = lines.drop { !$0.hasPrefix("-----BEGIN") }.dropFirst().prefix { !$0.hasPrefix("-----END") }
        guard let data = Data(base64Encoded: text.joined()) else { throw TestServerError("\(path) is not PEM") }
        return data
    }

    private var configuration: String {
        """
        [req]
        distinguished_name=subject
        [subject]
        [ca]
        default_ca=authority
        [authority]
        new_certs_dir=\(folder.url.path)
        database=\(path("database"))
        rand_serial=yes
        unique_subject=no
        default_md=sha256
        policy=subject_policy
        [subject_policy]
        commonName=supplied

        """
    }

    private func openssl(_ arguments: String...) throws {
        try openssl(arguments)
    }

    private func openssl(_ arguments: [String]) throws {
        try ChildProcess.run(["openssl"] + arguments, in: folder)
    }
}
