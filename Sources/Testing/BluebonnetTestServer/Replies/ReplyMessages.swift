// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

extension Reply {
    /// Closes in good order without an answer.
    public static let close = Reply([.close])
    /// Answers nothing and keeps the connection open.
    public static let stall = Reply([.stall])
    /// Breaks the connection off without an answer.
    public static let reset = Reply([.reset])

    /// A reply of those steps.
    public static func steps(_ steps: [Step]) -> Reply { Reply(steps) }

    /// Sends the bytes as they are.
    public static func raw(_ bytes: Data) -> Reply { Reply([.bytes(bytes)]) }

    /// Sends the text as it is: every end of line must be in it.
    public static func raw(_ text: String) -> Reply { raw(Data(text.utf8)) }

    /// A whole response. Content-Length is added unless it, or Transfer-Encoding, is among the headers, or the status
    /// has no body.
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

    /// A whole response with a text as body.
    public static func response(
        status: Int = 200, headers: WireFields = [:], body: String, addsContentLength: Bool = true
    ) -> Reply {
        response(status: status, headers: headers, body: Data(body.utf8), addsContentLength: addsContentLength)
    }

    /// A response in chunks, each sent by itself; empty ones are left out.
    public static func chunked(
        status: Int = 200, headers: WireFields = [:], chunks: [Data], trailers: WireFields = [:]
    ) -> Reply {
        var headers = headers
        headers.fields.append(.init(name: "Transfer-Encoding", value: "chunked"))
        let pieces = chunks.filter { !$0.isEmpty }.map { Reply.Step.chunk($0) }
        return Reply([.head(status: status, fields: headers)] + pieces + [.trailers(trailers)])
    }

    /// A response in chunks of text.
    public static func chunked(
        status: Int = 200, headers: WireFields = [:], chunks: [String], trailers: WireFields = [:]
    ) -> Reply {
        chunked(status: status, headers: headers, chunks: chunks.map { Data($0.utf8) }, trailers: trailers)
    }

    /// A redirect without a body.
    public static func redirect(to location: String, status: Int = 302, headers: WireFields = [:]) -> Reply {
        var headers = headers
        headers.fields.append(.init(name: "Location", value: location))
        return response(status: status, headers: headers)
    }
}
