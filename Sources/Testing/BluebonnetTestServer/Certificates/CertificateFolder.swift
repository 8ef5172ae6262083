// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Foundation

/// The files of the test certificates. The `openssl` command makes each certificate at its first use.
final class CertificateFolder: Sendable {
    /// The folder of this process, created at the first use.
    static let shared = Result { try CertificateFolder() }

    private let folder: TemporaryFolder
    private let watchdog: Watchdog
    /// The names of the certificates made so far. Locked while a certificate is made, because `openssl` keeps a list
    /// of all certificates in one file.
    private let made = Mutex<Set<String>>([])

    private init() throws {
        folder = try TemporaryFolder()
        watchdog = try Watchdog([], in: folder)
        try folder.write("database", "")
    }

    /// Returns the path of one file of a certificate. Makes the certificate if necessary.
    func path(_ recipe: CertificateRecipe, _ ending: String) throws -> String {
        try made.withLock { try make(recipe, &$0) }
        return folder.path(recipe.name + ending)
    }

    /// Returns the path of a PEM file with all certificates that a server sends for a certificate.
    func chainPath(of certificate: TestCertificate) throws -> String {
        let recipe = certificate.recipe
        let issuers = recipe.sendsIntermediates ? certificate.issuers.dropLast().dropFirst() : []
        let sent = [certificate] + issuers + certificate.appended
        guard sent.count > 1 || recipe.paddedByteCount > 0 else { return try certificate.leafPath }
        let texts = try sent.map { ChildProcess.contents(of: try $0.leafPath) }
        // In PEM, a byte of DER takes between one and two bytes.
        let padding = recipe.paddedByteCount * 2 / (texts.last?.utf8.count ?? 1)
        let text = texts.joined() + String(repeating: texts.last ?? "", count: padding)
        // Atomically, because another test may be reading the existing file.
        let path = folder.path(sent.map(\.name).joined(separator: "+") + ".chain.pem")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        return path
    }

    /// Writes a file under a unique name. Returns its path.
    func write(_ name: String, _ text: String) throws -> String {
        try folder.write("\(UUID().uuidString)-\(name)", text)
    }

    /// Runs `openssl` to write a file under a unique name. Returns its path.
    func make(_ name: String, _ arguments: (String) throws -> [String]) throws -> String {
        let path = folder.path("\(UUID().uuidString)-\(name)")
        try openssl(arguments(path))
        return path
    }

    /// Returns the serial number of the certificate in a PEM file, in hexadecimal digits.
    func serialNumber(of path: String) throws -> String {
        let output = try make("serial") { ["x509", "-in", path, "-noout", "-serial", "-out", $0] }
        let text = ChildProcess.contents(of: output).trimmingCharacters(in: .whitespacesAndNewlines)
        return String(text.drop { $0 != "=" }.dropFirst())
    }

    /// Returns the bytes between the first two marker lines of a PEM file.
    static func der(fromPEM path: String) throws -> Data {
        let lines = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n")
        let text = lines.drop { !$0.hasPrefix("-----BEGIN") }.dropFirst().prefix { !$0.hasPrefix("-----END") }
        guard let data = Data(base64Encoded: text.joined()) else { throw TestServerError("\(path) is not PEM") }
        return data
    }

    /// Makes a certificate, its key and its public key, after its issuers.
    private func make(_ recipe: CertificateRecipe, _ made: inout Set<String>) throws {
        guard !made.contains(recipe.name) else { return }
        if let issuer = recipe.issuer { try make(issuer.certificate.recipe, &made) }
        func file(_ ending: String) -> String { folder.path(recipe.name + ending) }
        let settings = try folder.write(recipe.name + ".conf", configuration + recipe.section)
        try openssl(
            ["req", "-config", settings, "-new", "-subj", recipe.subject ?? "/CN=" + recipe.commonName]
                + ["-out", file(".csr"), "-nodes", "-keyout", file(".key")] + recipe.key.arguments)
        try openssl(signing(recipe, settings) + ["-in", file(".csr"), "-out", file(".pem")])
        try openssl(["pkey", "-in", file(".key"), "-pubout", "-out", file(".pub")])
        made.insert(recipe.name)
    }

    /// Returns the `openssl` arguments for signing. `openssl ca` supports dates; `openssl x509` supports serial
    /// numbers that a proper authority would not use.
    private func signing(_ recipe: CertificateRecipe, _ settings: String) -> [String] {
        let issuer = folder.path(recipe.issuer?.rawValue ?? recipe.name)
        if let number = recipe.serialNumber {
            return ["x509", "-req", "-CA", issuer + ".pem", "-CAkey", issuer + ".key", "-set_serial", "\(number)"]
                + ["-extfile", settings, "-extensions", "extensions", "-days", "365"]
        }
        return ["ca", "-config", settings, "-batch", "-notext", "-md", recipe.digest, "-keyfile", issuer + ".key"]
            + ["-startdate", recipe.begin, "-enddate", recipe.end]
            + (recipe.isVersionOne ? [] : ["-extensions", "extensions"])
            + (recipe.issuer == nil ? ["-selfsign"] : ["-cert", issuer + ".pem"])
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
        database=\(folder.path("database"))
        rand_serial=yes
        unique_subject=no
        default_md=sha256
        policy=subject_policy
        [subject_policy]
        commonName=optional
        organizationName=optional

        """
    }

    private func openssl(_ arguments: [String]) throws {
        try ChildProcess.run(["openssl"] + arguments, in: folder)
    }
}
