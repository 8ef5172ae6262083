// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The negotiated parameters of a TLS connection. They say nothing about trust.
public struct TLSInformation: Sendable, Hashable {
    /// The version of the protocol.
    public let version: TLSProtocolVersion
    /// OpenSSL's name of the cipher, for instance "TLS_AES_256_GCM_SHA384".
    public let cipher: String
    /// What was negotiated by ALPN (RFC 7301), for instance "h2"; nil when nothing was.
    public let applicationProtocol: String?
    /// When the server's certificate expires; nil when its date cannot be parsed.
    public let certificateExpiry: Date?
}
