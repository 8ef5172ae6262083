// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A group for ephemeral Diffie-Hellman that is too small to be safe.
public enum DiffieHellmanGroup: Sendable {
    /// The second group of RFC 2409 (6.2).
    case of1024Bits

    /// A PEM file of it.
    public var path: String {
        get throws { try CertificateFolder.shared.get().write("group.pem", text) }
    }

    private var text: String {
        switch self {
        case .of1024Bits:
            """
            -----BEGIN DH PARAMETERS-----
            MIGHAoGBAP//////////yQ/aoiFowjTExmKLgNwc0SkCTgiKZ8x0Agu+pjsTmyJR
            Sgh5jjQE3e+VGbPNOkMbMCsKbfJfFDdP4TVtbVHCReSFtXZiXn7G9ExC6aY37WsL
            /1y29Aa37e44a/taiZ+lrp8kEXxLH+ZJKGZR7OZTgf//////////AgEC
            -----END DH PARAMETERS-----

            """
        }
    }
}
