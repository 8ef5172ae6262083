// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// One request as the server saw it.
public struct ReceivedRequest: Sendable {
    /// The method, as sent. Empty if the first line made no sense.
    public var method = ""
    /// The request target, as sent: path and query, or for a proxy a URL or an authority.
    public var target = ""
    /// The protocol version, as sent; "HTTP/2" over HTTP/2.
    public var version = ""
    /// The header fields, in order. Over HTTP/2, `:authority` is the first, by the name Host.
    public var headers = WireFields()
    /// The body without its chunked framing.
    public var body = Data()
    /// The first line and the headers as they were on the wire, with the empty line. Empty over HTTP/2.
    public var rawHead = Data()
    /// The body as it was on the wire, with its chunked framing.
    public var rawBody = Data()
    /// How many reads, or frames, it took. A piece that was sent on its own can still come with the one before it,
    /// never apart.
    public var pieceCount = 0
    /// Whether all of it arrived.
    public var isComplete = false
    /// The number of its connection: 1 is the first that the server accepted.
    public var connection = 0
    /// Its number on its connection, from 1.
    public var numberOnConnection = 0

    /// The target up to the question mark.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The target after the question mark, if there is one.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }

    /// The head as text.
    public var headText: String { String(decoding: rawHead, as: UTF8.self) }

    /// The body as text.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }
}
