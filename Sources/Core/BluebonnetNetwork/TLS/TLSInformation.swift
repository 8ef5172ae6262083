// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The negotiated parameters of a TLS connection. They say nothing about trust.
public struct TLSInformation: Sendable, Hashable {
    /// The negotiated version of TLS.
    public let version: TLSProtocolVersion
    /// OpenSSL's name of the cipher, for example "TLS_AES_256_GCM_SHA384".
    public let cipher: String
    /// The protocol negotiated by ALPN (RFC 7301), for example "h2"; nil if none was negotiated.
    public let applicationProtocol: String?
    /// When the server's certificate expires; nil if the date cannot be parsed.
    public let certificateExpiry: Date?
}
