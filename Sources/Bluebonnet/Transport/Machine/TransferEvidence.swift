// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a `TransferMachine` asks its owner for, and only when its answer depends on it.
protocol TransferEvidence {
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

/// What is known of a request's way to its server when a transfer has failed.
enum SendEvidence: Sendable, Equatable {
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
