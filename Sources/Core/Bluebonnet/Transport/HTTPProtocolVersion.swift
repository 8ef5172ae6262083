// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The HTTP version. HTTP/2 carries a request's head of at most 64 KiB: a larger head is sent over HTTP/1.1, and is an
/// error with `http2PriorKnowledge`.
public enum HTTPProtocolVersion: String, Sendable, Hashable, Codable {
    /// HTTP/2 when TLS negotiates it, else HTTP/1.1.
    case negotiated
    /// HTTP/1.1 only.
    case http1 = "1.1"
    /// HTTP/2 where TLS negotiates it, and by upgrade without TLS; else HTTP/1.1. `http2PriorKnowledge` fails instead.
    case http2 = "2"
    /// HTTP/2 or nothing. Over TLS, a server that does not negotiate HTTP/2 is the error `secureConnectionFailed`, and
    /// nothing was sent; over plain TCP, HTTP/2 is spoken without asking.
    case http2PriorKnowledge = "2-prior-knowledge"
}
