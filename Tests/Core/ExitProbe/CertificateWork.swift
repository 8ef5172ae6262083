// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Work with OpenSSL that is not the network thread's: certificates are read and their digests computed, ciphers are
/// looked up.
enum CertificateWork {
    /// Goes on for as long as the process does.
    static func start(authorityFile: String) {
        Thread.detachNewThread {
            while true { _ = try? once(authorityFile: authorityFile) }
        }
    }

    /// The names that were read.
    static func once(authorityFile: String) throws -> [String] {
        let certificates = try PinSet(certificateFiles: [authorityFile]).certificates
        _ = try TLSOptions(ciphers: ["ECDHE-RSA-AES128-GCM-SHA256"])
        return certificates.flatMap { [$0.subject, $0.fingerprint] + $0.dnsNames }
    }
}
