// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a `TransferMachine` asks its owner for, and only when its answer depends on it.
package protocol TransferEvidence {
    /// The bytes of the request's body that have left.
    var sentByteCount: Int64 { get }
    /// The bytes of the response's body that libcurl has handed out. libcurl 8.14 counts the sizes of chunks too.
    var receivedByteCount: Int64 { get }
    /// Whether the response comes in chunks, of which the last one has not arrived.
    var lacksLastChunk: Bool { get }
    /// Whether the TLS connection has ended with the close_notify that it needs.
    var hasCloseNotice: Bool { get }
    var http2End: HTTP2EndEvidence { get }
    /// Whether the connection may have ended with the response. Only for `HTTP2EndEvidence.openConnection`.
    var mayHaveLostConnection: Bool { get }
}

/// How it is known that a server ended a response's HTTP/2 stream (END_STREAM; RFC 9113, 8.1).
package enum HTTP2EndEvidence {
    /// The frames that nghttp2 received are observed below libcurl.
    case frames
    /// Frames cannot be observed, and libcurl reports broken connections (from 8.1 on). RST_STREAM with NO_ERROR before
    /// the end of a response without length is not noticed.
    case libcurl
    /// Frames cannot be observed, and libcurl does not report all broken connections: a response without length counts
    /// as truncated when its connection is closed together with the response's end. This refuses some complete
    /// responses.
    case openConnection
}

/// What is known of a request's way to its server when a transfer has failed.
package enum SendEvidence: Sendable, Equatable {
    /// Nothing of the request was sent: there was no address, connection, tunnel or handshake.
    case nothingSent
    /// An HTTP/2 server has said that it did not look at the request (REFUSED_STREAM, or GOAWAY below its stream;
    /// RFC 9113, 8.7).
    case refused
    /// The server may have acted on the request.
    case mayHaveArrived

    /// Whether the server has not acted on the request.
    var isHarmless: Bool { self != .mayHaveArrived }
}
