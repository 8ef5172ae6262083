// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a `TransferMachine` asks its owner for, and only when its answer depends on it.
protocol TransferEvidence {
    /// The bytes of the request's body that have left.
    var sentByteCount: Int64 { get }
    /// The bytes of the response's body that libcurl has handed out.
    var receivedByteCount: Int64 { get }
    /// Whether the TLS connection has ended with the close_notify that it needs.
    var hasCloseNotice: Bool { get }
    var http2End: HTTP2EndEvidence { get }
    /// Whether the connection may have ended with the response. Only for `HTTP2EndEvidence.openConnection`.
    var mayHaveLostConnection: Bool { get }
}

/// How it is known that a server ended a response's HTTP/2 stream (END_STREAM; RFC 9113, 8.1). libcurl before 8.1 takes
/// some connections that break for the end of the response.
enum HTTP2EndEvidence {
    /// libcurl tells: from 8.1 on.
    case libcurl
    /// The frames that nghttp2 received are observed below libcurl.
    case frames
    /// The frames cannot be observed: a response without length counts as cut short when its connection is closed
    /// together with the response's end. This refuses some responses that are complete.
    case openConnection
}
