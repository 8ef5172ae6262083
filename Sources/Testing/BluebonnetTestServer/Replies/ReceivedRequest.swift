// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// One request as the server received it.
public struct ReceivedRequest: Sendable {
    /// The method, as sent. Empty if the first line is malformed.
    public var method = ""
    /// The request target, as sent: path and query, or, for a proxy, a URL or an authority.
    public var target = ""
    /// The protocol version, as sent; "HTTP/2" over HTTP/2.
    public var version = ""
    /// The header fields, in order. Over HTTP/2, the first is `:authority`, under the name Host.
    public var headers = WireFields()
    /// The body without its chunked framing.
    public var body = Data()
    /// The trailer section of a chunked body, in order. Always empty over HTTP/2.
    public var trailers = WireFields()
    /// The first line and the headers as on the wire, with the empty line. Empty over HTTP/2.
    public var rawHead = Data()
    /// The body as on the wire, with its chunked framing.
    public var rawBody = Data()
    /// The number of reads, or of frames, in which the request arrived. Pieces that were sent separately can arrive
    /// together, but one piece never arrives in parts.
    public var pieceCount = 0
    /// Whether the whole request arrived.
    public var isComplete = false
    /// The number of the connection: 1 is the first that the server accepted.
    public var connection = 0
    /// The number of the request on its connection, from 1.
    public var numberOnConnection = 0

    /// The target up to the question mark.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The target after the question mark; nil without a question mark.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }

    /// The head as text.
    public var headText: String { String(decoding: rawHead, as: UTF8.self) }

    /// The body as text.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }
}
