// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The HTTP version. HTTP/2 carries a request's head of at most 64 KiB: a larger head is sent over HTTP/1.1, and is an
/// error with `http2PriorKnowledge`.
public enum HTTPProtocolVersion: String, Sendable, Hashable, Codable {
    /// HTTP/2 when TLS negotiates it, else HTTP/1.1.
    case negotiated
    /// HTTP/1.1 only.
    case http1 = "1.1"
    /// HTTP/2 over TLS, and by upgrade without.
    case http2 = "2"
    /// HTTP/2 without asking, also over plain TCP.
    case http2PriorKnowledge = "2-prior-knowledge"
}
