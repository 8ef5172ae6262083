// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What of a server's certificates is compared with a policy's pins.
public enum PinningMode: String, Sendable, Hashable, Codable {
    /// Nothing: the authorities alone vouch for a server.
    case none
    /// The public key of any certificate of the verified chain.
    case publicKey
    /// A certificate of the verified chain, byte for byte; the pinned certificates are the only anchors of that chain.
    case certificate
}
