// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

extension Reply {
    /// Closes gracefully without an answer.
    public static let close = Reply([.close])
    /// Sends no answer and keeps the connection open.
    public static let stall = Reply([.stall])
    /// Aborts the connection without an answer.
    public static let reset = Reply([.reset])

    /// Returns a reply of these steps.
    public static func steps(_ steps: [Step]) -> Reply { Reply(steps) }

    /// Returns a reply that sends the bytes unchanged.
    public static func raw(_ bytes: Data) -> Reply { Reply([.bytes(bytes)]) }

    /// Returns a reply that sends the text unchanged. The text must contain every line end.
    public static func raw(_ text: String) -> Reply { raw(Data(text.utf8)) }

    /// Returns a complete response. Content-Length is added, unless the headers contain Content-Length or
    /// Transfer-Encoding, or a response with this status has no body.
    public static func response(
        status: Int = 200, headers: WireFields = [:], body: Data = Data(), addsContentLength: Bool = true
    ) -> Reply {
        var headers = headers
        let isFramed = headers["Content-Length"] != nil || headers["Transfer-Encoding"] != nil
        let canHaveBody = status >= 200 && status != 204 && status != 304
        if addsContentLength && canHaveBody && !isFramed {
            headers.fields.append(.init(name: "Content-Length", value: String(body.count)))
        }
        return Reply([.head(status: status, fields: headers)] + (body.isEmpty ? [] : [.body(body)]))
    }

    /// Returns a complete response with a text as its body.
    public static func response(
        status: Int = 200, headers: WireFields = [:], body: String, addsContentLength: Bool = true
    ) -> Reply {
        response(status: status, headers: headers, body: Data(body.utf8), addsContentLength: addsContentLength)
    }

    /// Returns a response in chunks, each sent separately. Empty chunks are omitted.
    public static func chunked(
        status: Int = 200, headers: WireFields = [:], chunks: [Data], trailers: WireFields = [:]
    ) -> Reply {
        var headers = headers
        headers.fields.append(.init(name: "Transfer-Encoding", value: "chunked"))
        let pieces = chunks.filter { !$0.isEmpty }.map { Reply.Step.chunk($0) }
        return Reply([.head(status: status, fields: headers)] + pieces + [.trailers(trailers)])
    }

    /// Returns a response in chunks of text.
    public static func chunked(
        status: Int = 200, headers: WireFields = [:], chunks: [String], trailers: WireFields = [:]
    ) -> Reply {
        chunked(status: status, headers: headers, chunks: chunks.map { Data($0.utf8) }, trailers: trailers)
    }

    /// Returns a redirect without a body.
    public static func redirect(to location: String, status: Int = 302, headers: WireFields = [:]) -> Reply {
        var headers = headers
        headers.fields.append(.init(name: "Location", value: location))
        return response(status: status, headers: headers)
    }
}
