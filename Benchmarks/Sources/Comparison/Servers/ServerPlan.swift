// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A server that answers according to a script, correctly or incorrectly.
package struct ServerPlan: Sendable {
    /// The protocol of the server.
    package enum Wire: Sendable, Equatable {
        case plain
        /// HTTP/1.1 over TLS with a certificate, and only with the given TLS version, if there is one.
        case tls(Identity, OldTLS?)
        /// HTTP/2 over TLS.
        case http2
        /// The server listens, but no connection is ever established.
        case blackHole
    }

    /// A version of TLS that clients should refuse (RFC 8996).
    package enum OldTLS: Sendable {
        case v10
        case v11
    }

    package var wire: Wire
    /// The replies to the requests of a route, in order; the last is repeated. The first of these routes that exists
    /// is used: `AUTH /path` for requests with an Authorization field, `METHOD /path`, `/path` without a query, `*`.
    package var routes: [String: [Reply]]
    /// Whether a reply begins before the request's body has arrived.
    package var answersAtHead = false
    /// The initial HTTP/2 settings, by number (RFC 9113, 6.5.2).
    package var settings: [UInt16: UInt32] = [:]

    package init(_ wire: Wire = .plain, _ routes: [String: [Reply]]) {
        (self.wire, self.routes) = (wire, routes)
    }

    /// Makes a server with one reply to all requests.
    package init(_ wire: Wire = .plain, _ steps: Step...) {
        self.init(wire, ["*": [Reply(steps)]])
    }

    package static let blackHole = ServerPlan(.blackHole, [:])

    /// Returns a server over TLS with a certificate that clients should accept.
    package static func secure(_ routes: [String: [Reply]]) -> ServerPlan { ServerPlan(.tls(.good, nil), routes) }
    package static func secure(_ steps: Step...) -> ServerPlan { secure(["*": [Reply(steps)]]) }
    package static func http2(_ steps: Step...) -> ServerPlan { ServerPlan(.http2, ["*": [Reply(steps)]]) }

    /// The scheme and the host of the server's URLs.
    package var origin: String {
        switch wire {
        case .plain, .blackHole: "http://127.0.0.1"
        case .tls(let identity, _): "https://\(identity.host)"
        case .http2: "https://localhost"
        }
    }
}

/// A server's reply to one request.
package struct Reply: Sendable {
    package let steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }

    /// Returns a complete response with a Content-Length.
    package static func ok(_ body: String, status: String = "200 OK", _ fields: String...) -> Reply {
        let lines = (["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields).joined(separator: "\r\n")
        return Reply([.text(lines + "\r\n\r\n" + body)])
    }

    /// Returns a redirect without a body.
    package static func redirect(_ status: Int = 302, to location: String, _ fields: String...) -> Reply {
        let lines = ["HTTP/1.1 \(status) Moved", "Content-Length: 0", "Location: \(location)"] + fields
        return Reply([.text(lines.joined(separator: "\r\n") + "\r\n\r\n")])
    }

    /// Returns this reply with further steps.
    package func then(_ more: Step...) -> Reply { Reply(steps + more) }
}

/// One step of a reply.
package enum Step: Sendable {
    /// Sends a text in which `{0}` is the origin of the case's first server, and `{0:port}` its port.
    case text(String)
    case bytes([UInt8])
    /// Sends an HTTP/2 frame.
    case frame(Frame)
    /// Sends the bytes `count` times, as fast as the client reads them.
    case flood([UInt8], count: Int)
    /// Sends a text repeatedly, one byte per interval.
    case drip(String, milliseconds: Int)
    case wait(milliseconds: Int)
    /// Sends nothing further, and leaves the connection open.
    case stall
    /// Reads nothing further, and leaves the connection open.
    case stopReading
    case close
    /// Closes without TLS's close_notify.
    case closeWithoutNotice
    case reset
}
