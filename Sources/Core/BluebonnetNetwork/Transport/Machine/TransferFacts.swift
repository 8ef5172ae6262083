// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The facts about a transfer that a `TransferMachine` requests from its owner. A fact is requested only if the
/// decision depends on it.
package protocol TransferFacts {
    /// The number of bytes of the request's body that were sent.
    var sentByteCount: Int64 { get }
    /// The number of bytes of the response's body that libcurl has delivered. libcurl 8.14 also counts chunk sizes.
    var receivedByteCount: Int64 { get }
    /// Whether the response is chunked and its last chunk has not arrived.
    var lacksLastChunk: Bool { get }
    /// Whether the TLS connection has ended with the close_notify alert that it needs.
    var hasCloseNotice: Bool { get }
    var http2End: HTTP2EndEvidence { get }
    /// Whether the connection may have ended with the response. Used for `HTTP2EndEvidence.openConnection` only.
    var mayHaveLostConnection: Bool { get }
}

/// How the library knows that a server ended a response's HTTP/2 stream (END_STREAM; RFC 9113, 8.1).
package enum HTTP2EndEvidence {
    /// From the frames that nghttp2 received, observed below libcurl.
    case frames
    /// From libcurl (8.1 or later), which reports broken connections. Frames cannot be observed. RST_STREAM with
    /// NO_ERROR before the end of a response without length is not detected.
    case libcurl
    /// From the state of the connection. Frames cannot be observed, and libcurl does not report all broken
    /// connections. A response without length counts as truncated if its connection closes together with the end of
    /// the response. Some complete responses are refused because of this.
    case openConnection
}

/// How certain it is that a request did not reach its server, when a transfer has failed.
package enum DeliveryCertainty: Sendable, Equatable {
    /// Nothing of the request was sent: there was no address, connection, tunnel or handshake.
    case nothingSent
    /// An HTTP/2 server has reported that it did not process the request (REFUSED_STREAM, or GOAWAY with a lower last
    /// stream identifier; RFC 9113, 8.7).
    case refused
    /// The server may have processed the request.
    case mayHaveArrived

    /// Whether the server certainly did not process the request.
    package var isHarmless: Bool { self != .mayHaveArrived }
}
