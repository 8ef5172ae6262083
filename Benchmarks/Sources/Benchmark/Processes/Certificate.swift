// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Processes

/// A certificate for 127.0.0.1 and its authority, made for one run by the `openssl` command.
enum Certificate {
    /// The file of the authority, which clients must trust.
    static let authorityFile = "authority.pem"
    /// The file of the server's certificate, and the file of its key.
    static let chainFile = "server.pem"
    static let keyFile = "server.key"

    /// Makes the files in a folder. Keys are of P-256.
    static func make(in folder: URL) throws {
        guard let openssl = Spawning.find("openssl") else {
            throw BenchmarkError("the openssl command is not installed (on Debian and Ubuntu: the package openssl)")
        }
        let path = { (name: String) in folder.appendingPathComponent(name).path }
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-sha256", "-days", "7"]
        try run(
            [openssl, "req", "-x509", "-subj", "/CN=Benchmark authority"] + key
                + ["-addext", "keyUsage=critical,keyCertSign", "-keyout", path("authority.key")]
                + ["-out", path(authorityFile)])
        try run(
            [openssl, "req", "-x509", "-subj", "/CN=Benchmark server"] + key
                + ["-addext", "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=serverAuth"]
                + ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
                + ["-CA", path(authorityFile), "-CAkey", path("authority.key")]
                + ["-keyout", path(keyFile), "-out", path(chainFile)])
    }

    /// Runs openssl. Its progress output is discarded.
    private static func run(_ words: [String]) throws {
        let outcome = try ChildProcess(words: ["/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"] + words).run()
        guard outcome.status == 0 else {
            throw BenchmarkError("openssl made no certificate: \(String(decoding: outcome.output, as: UTF8.self))")
        }
    }
}
