// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A server that answers as a script says, right or wrong.
package struct ServerPlan: Sendable {
    /// What it speaks.
    package enum Wire: Sendable, Equatable {
        case plain
        /// HTTP/1.1 over TLS with a certificate, and with no other TLS version than one, if it is named.
        case tls(Identity, OldTLS?)
        /// HTTP/2 over TLS.
        case http2
        /// It listens, but no connection is ever established.
        case blackHole
    }

    /// A version of TLS that clients should refuse (RFC 8996).
    package enum OldTLS: Sendable {
        case v10
        case v11
    }

    package var wire: Wire
    /// The replies to the requests of a route, in order; the last is repeated. A route is, the first that is there:
    /// `AUTH /path` for requests with an Authorization field, `METHOD /path`, `/path` without a query, `*`.
    package var routes: [String: [Reply]]
    /// Whether a reply begins before the request's body is there.
    package var answersAtHead = false
    /// What it says at first over HTTP/2, by the settings' numbers (RFC 9113, 6.5.2).
    package var settings: [UInt16: UInt32] = [:]

    package init(_ wire: Wire = .plain, _ routes: [String: [Reply]]) {
        (self.wire, self.routes) = (wire, routes)
    }

    /// One reply to everything.
    package init(_ wire: Wire = .plain, _ steps: Step...) {
        self.init(wire, ["*": [Reply(steps)]])
    }

    package static let blackHole = ServerPlan(.blackHole, [:])

    /// Over TLS with a certificate that clients should accept.
    package static func secure(_ routes: [String: [Reply]]) -> ServerPlan { ServerPlan(.tls(.good, nil), routes) }
    package static func secure(_ steps: Step...) -> ServerPlan { secure(["*": [Reply(steps)]]) }
    package static func http2(_ steps: Step...) -> ServerPlan { ServerPlan(.http2, ["*": [Reply(steps)]]) }

    /// The scheme and the host of its URLs.
    package var origin: String {
        switch wire {
        case .plain, .blackHole: "http://127.0.0.1"
        case .tls(let identity, _): "https://\(identity.host)"
        case .http2: "https://localhost"
        }
    }
}

/// What a server does with one request.
package struct Reply: Sendable {
    package let steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }

    /// A complete response whose length is told.
    package static func ok(_ body: String, status: String = "200 OK", _ fields: String...) -> Reply {
        let lines = (["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields).joined(separator: "\r\n")
        return Reply([.text(lines + "\r\n\r\n" + body)])
    }

    /// A redirect without a body.
    package static func redirect(_ status: Int = 302, to location: String, _ fields: String...) -> Reply {
        let lines = ["HTTP/1.1 \(status) Moved", "Content-Length: 0", "Location: \(location)"] + fields
        return Reply([.text(lines.joined(separator: "\r\n") + "\r\n\r\n")])
    }

    /// This reply and more steps.
    package func then(_ more: Step...) -> Reply { Reply(steps + more) }
}

/// One thing that a server does.
package enum Step: Sendable {
    /// Sends a text in which `{0}` is the origin of the case's first server, and `{0:port}` its port.
    case text(String)
    case bytes([UInt8])
    /// A frame of HTTP/2.
    case frame(Frame)
    /// Sends bytes so many times, as fast as the client takes them.
    case flood([UInt8], count: Int)
    /// Sends a text over and over, one byte every so many milliseconds.
    case drip(String, milliseconds: Int)
    case wait(milliseconds: Int)
    /// Does nothing more, and leaves the connection open.
    case stall
    /// Reads nothing more, and leaves the connection open.
    case stopReading
    case close
    /// Closes without the notice that TLS has for it.
    case closeWithoutNotice
    case reset
}
