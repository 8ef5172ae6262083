// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

extension Reply.Step {
    /// The bytes that the step sends over HTTP/1.1; empty for a step that waits, closes or continues forever.
    var wireBytes: Data {
        switch self {
        case .bytes(let data), .body(let data), .drip(let data, chunk: _, every: _): data
        case .head(let status, let fields):
            Data("HTTP/1.1 \(status) \(Self.reasonPhrase(status))\r\n\(fields.wireFormat)\r\n".utf8)
        case .chunk(let data): Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
        case .trailers(let fields): Data("0\r\n\(fields.wireFormat)\r\n".utf8)
        case .close, .closeWithoutNotice, .delay, .echo, .endless, .goAway, .reset, .resetStream, .stall, .tunnel,
            .wait:
            Data()
        }
    }

    /// Whether the step is omitted in the reply to a HEAD request.
    var isBody: Bool {
        switch self {
        case .body, .chunk, .trailers: true
        default: false
        }
    }

    private static func reasonPhrase(_ status: Int) -> String {
        let phrases = [
            100: "Continue", 200: "OK", 201: "Created", 204: "No Content", 206: "Partial Content", 304: "Not Modified",
            400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 500: "Internal Server Error",
        ]
        return phrases[status] ?? "Status \(status)"
    }
}
