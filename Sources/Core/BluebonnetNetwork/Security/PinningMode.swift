// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The part of a server's certificates that is compared with a policy's pins.
public enum PinningMode: String, Sendable, Hashable, Codable {
    /// No pinning: only the certificate authorities count.
    case none
    /// The public key of any certificate of the verified chain.
    case publicKey
    /// A certificate of the verified chain, byte for byte; the pinned certificates are the only anchors of that chain.
    case certificate
}
