// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import FaultKit
import Foundation

/// The addresses of the servers and the client's task.
struct SoakPlace: Codable, Sendable {
    let seconds: Double
    let seed: UInt64
    /// A folder for the client.
    let folder: String
    /// Servers reached through proxies with faults.
    let targets: [FaultTarget]
    /// A server without faults.
    let canary: URL
    /// The certificate of all TLS servers, in PEM.
    let certificateFile: String
    /// A certificate that no server has.
    let otherCertificateFile: String
}
