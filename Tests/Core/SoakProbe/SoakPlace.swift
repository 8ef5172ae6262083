// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import FaultKit
import Foundation

/// Where the servers are, and what the client is to do.
struct SoakPlace: Codable, Sendable {
    let seconds: Double
    let seed: UInt64
    /// A folder of the client's own.
    let folder: String
    /// Servers behind proxies with faults.
    let targets: [FaultTarget]
    /// A server of which everything is right.
    let canary: URL
    /// The certificate of all servers with TLS, in PEM.
    let certificateFile: String
    /// A certificate that no server has.
    let otherCertificateFile: String
}
