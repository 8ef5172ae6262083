// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The HTTP version of a request. HTTP/2 carries a request head of at most 64 KiB. A larger head is sent over
/// HTTP/1.1, and is an error with `http2PriorKnowledge`.
public enum HTTPProtocolVersion: String, Sendable, Hashable, Codable {
    /// HTTP/2 when TLS negotiates it, else HTTP/1.1.
    case negotiated
    /// HTTP/1.1 only.
    case http1 = "1.1"
    /// HTTP/2 where TLS negotiates it, and by upgrade without TLS; else HTTP/1.1. To fail instead of falling back, use
    /// `http2PriorKnowledge`.
    case http2 = "2"
    /// HTTP/2 only. Over TLS, a server that does not negotiate HTTP/2 causes the error `secureConnectionFailed`, and
    /// nothing is sent. Over plain TCP, HTTP/2 is used without negotiation.
    case http2PriorKnowledge = "2-prior-knowledge"
}
