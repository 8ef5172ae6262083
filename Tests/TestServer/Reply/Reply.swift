// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// What the server does with one request: a list of steps, carried out in order.
///
/// The connection stays open for the next request, unless a step closes it.
public struct Reply: Sendable {
    /// One thing to do.
    public enum Step: Sendable {
        /// Sends the bytes as they are.
        case bytes(Data)
        /// Sends the bytes, unless the request was a HEAD.
        case body(Data)
        /// Goes on when the test opens the gate.
        case wait(until: Gate)
        /// Goes on after a while.
        case delay(Duration)
        /// Sends the bytes in pieces of `chunk` bytes, with a pause after each.
        case drip(Data, chunk: Int, every: Duration)
        /// Sends nothing more and keeps the connection open, for ever.
        case stall
        /// Closes in good order: close_notify on TLS, then FIN.
        case close
        /// Closes with FIN only. On TLS this is an end without close_notify.
        case closeWithoutNotice
        /// Breaks the connection off with RST.
        case reset
        /// Sends the same bytes again and again, as fast as the peer takes them, until it closes.
        case endless(chunk: Data)
        /// Joins the connection to the server on that port of 127.0.0.1, as a proxy does after CONNECT; with a stall,
        /// what the server sends stops there.
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

    /// The bytes that the reply sends to a request other than HEAD, as far as it ends by itself.
    public var bytes: Data {
        steps.reduce(into: Data()) { sent, step in
            switch step {
            case .bytes(let data), .body(let data), .drip(let data, chunk: _, every: _): sent.append(data)
            case .wait, .delay, .stall, .close, .closeWithoutNotice, .reset, .endless, .tunnel: break
            }
        }
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
