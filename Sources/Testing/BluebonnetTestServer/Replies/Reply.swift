// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The server's reaction to one request: a list of steps, performed in order.
///
/// The connection stays open for the next request unless a step closes it.
public struct Reply: Sendable {
    /// One step of a reply.
    public enum Step: Sendable {
        /// Sends the bytes unchanged. Over HTTP/2 they are parsed as an HTTP/1.1 response: the head becomes a HEADERS
        /// frame as soon as it is complete, and the rest becomes DATA frames.
        case bytes(Data)
        /// Sends the status and the fields of a head. Over HTTP/2, `Transfer-Encoding` and `Connection` are omitted.
        case head(status: Int, fields: WireFields)
        /// Sends the bytes, unless the request was a HEAD.
        case body(Data)
        /// Sends the bytes as one chunk, over HTTP/2 as DATA, unless the request was a HEAD.
        case chunk(Data)
        /// Sends the last chunk and the trailers, unless the request was a HEAD. Over HTTP/2 this is a HEADERS frame
        /// that ends the stream.
        case trailers(WireFields)
        /// Sends the pieces of the request's body as they arrive, each as one chunk, and continues at the end of the
        /// body. For a server with `answersHeads`; else the body has no pieces.
        case echo
        /// Continues when the test opens the gate.
        case wait(until: Gate)
        /// Continues after a time.
        case delay(Duration)
        /// Sends the bytes in pieces of `chunk` bytes, with a pause after each.
        case drip(Data, chunk: Int, every: Duration)
        /// Sends nothing further and keeps the connection open forever.
        case stall
        /// Closes the connection gracefully: GOAWAY over HTTP/2, close_notify on TLS, then FIN.
        case close
        /// Closes the connection with FIN only. On TLS, the end has no close_notify.
        case closeWithoutNotice
        /// Aborts the connection with RST.
        case reset
        /// Ends the request's stream with an error code (RFC 9113, 7). Over HTTP/1.1 the connection is aborted.
        case resetStream(code: UInt32)
        /// Announces that the connection accepts no further requests (GOAWAY), and whether this request is processed,
        /// then continues. Does nothing over HTTP/1.1.
        case goAway(includesRequest: Bool)
        /// Sends the same bytes repeatedly, as fast as the peer reads them, until the peer closes.
        case endless(chunk: Data)
        /// Connects the connection to the server on this port of 127.0.0.1, as a proxy does after CONNECT. With a
        /// stall, the server's bytes stop there. Over HTTP/2 the stream ends with HTTP_1_1_REQUIRED.
        case tunnel(toPort: Int, stall: TunnelStall? = nil)
    }

    /// The steps, in order.
    public var steps: [Step]

    /// Makes a reply from steps.
    public init(_ steps: [Step]) {
        self.steps = steps
    }

    /// Returns a copy of the reply with further steps.
    public func then(_ more: Step...) -> Reply {
        Reply(steps + more)
    }

    /// The bytes that the reply sends over HTTP/1.1 to a request other than HEAD, without steps that do not end by
    /// themselves.
    public var bytes: Data {
        steps.reduce(into: Data()) { $0.append($1.wireBytes) }
    }

    /// Returns a reply that sends only the first bytes of this reply, then performs `end`.
    public func cut(afterByteCount byteCount: Int, then end: Step = .close) -> Reply {
        Reply([.bytes(bytes.prefix(byteCount)), end])
    }

    /// Returns a reply that sends the same bytes in pieces, with a pause after each.
    public func dripping(chunk: Int = 1, every interval: Duration = .zero) -> Reply {
        Reply([.drip(bytes, chunk: chunk, every: interval)])
    }
}
