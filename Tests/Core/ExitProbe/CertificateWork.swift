// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Work with OpenSSL outside the network thread: reads certificates, computes their digests and looks up ciphers.
enum CertificateWork {
    /// Repeats the work until the process ends.
    static func start(authorityFile: String) {
        Thread.detachNewThread {
            while true { _ = try? once(authorityFile: authorityFile) }
        }
    }

    /// Does the work once and returns the names in the certificates.
    static func once(authorityFile: String) throws -> [String] {
        let certificates = try PinSet(certificateFiles: [authorityFile]).certificates
        _ = try TLSOptions(ciphers: ["ECDHE-RSA-AES128-GCM-SHA256"])
        return certificates.flatMap { [$0.subject, $0.fingerprint] + $0.dnsNames }
    }
}
