// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// What the server does with one request: a list of steps, carried out in order.
///
/// The connection stays open for the next request, unless a step closes it.
public struct Reply: Sendable {
    /// One thing to do.
    public enum Step: Sendable {
        /// Sends the bytes as they are. Over HTTP/2 they are read as an HTTP/1.1 response: its head becomes a HEADERS
        /// frame as soon as it is whole, what follows becomes DATA frames.
        case bytes(Data)
        /// Sends the status and the fields of a head. Over HTTP/2, `Transfer-Encoding` and `Connection` are left out.
        case head(status: Int, fields: WireFields)
        /// Sends the bytes, unless the request was a HEAD.
        case body(Data)
        /// Sends the bytes as one chunk, over HTTP/2 as DATA, unless the request was a HEAD.
        case chunk(Data)
        /// Sends the last chunk and the trailers, over HTTP/2 a HEADERS frame that ends the stream, unless the request
        /// was a HEAD.
        case trailers(WireFields)
        /// Goes on when the test opens the gate.
        case wait(until: Gate)
        /// Goes on after a while.
        case delay(Duration)
        /// Sends the bytes in pieces of `chunk` bytes, with a pause after each.
        case drip(Data, chunk: Int, every: Duration)
        /// Sends nothing more and keeps the connection open, for ever.
        case stall
        /// Closes the connection in good order: GOAWAY over HTTP/2, close_notify on TLS, then FIN.
        case close
        /// Closes the connection with FIN only. On TLS this is an end without close_notify.
        case closeWithoutNotice
        /// Breaks the connection off with RST.
        case reset
        /// Ends the request's stream with an error code (RFC 9113, 7). Over HTTP/1.1 the connection is broken off.
        case resetStream(code: UInt32)
        /// Says that the connection takes no more requests (GOAWAY), and whether this request is looked at, then goes
        /// on. Nothing over HTTP/1.1.
        case goAway(includesRequest: Bool)
        /// Sends the same bytes again and again, as fast as the peer takes them, until it closes.
        case endless(chunk: Data)
        /// Joins the connection to the server on that port of 127.0.0.1, as a proxy does after CONNECT; with a stall,
        /// what the server sends stops there. Over HTTP/2 the stream ends with HTTP_1_1_REQUIRED.
        case tunnel(toPort: Int, stall: TunnelStall? = nil)
    }

    /// What to do, in order.
    public var steps: [Step]

    /// Makes a reply of those steps.
    public init(_ steps: [Step]) {
        self.steps = steps
    }

    /// A copy of the reply with more steps after it.
    public func then(_ more: Step...) -> Reply {
        Reply(steps + more)
    }

    /// The bytes that the reply sends over HTTP/1.1 to a request other than HEAD, as far as it ends by itself.
    public var bytes: Data {
        steps.reduce(into: Data()) { $0.append($1.wireBytes) }
    }

    /// Sends only the first bytes of the reply, then does `end`.
    public func cut(afterByteCount byteCount: Int, then end: Step = .close) -> Reply {
        Reply([.bytes(bytes.prefix(byteCount)), end])
    }

    /// Sends the same bytes in pieces, with a pause after each.
    public func dripping(chunk: Int = 1, every interval: Duration = .zero) -> Reply {
        Reply([.drip(bytes, chunk: chunk, every: interval)])
    }
}
