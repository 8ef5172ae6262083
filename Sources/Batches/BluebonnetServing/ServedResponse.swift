// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetHTTP
internal import Foundation

/// A response of a responder.
package struct ServedResponse: Sendable, Equatable {
    package var status: Int
    package var contentType: String
    package var body: [UInt8]
    /// More fields. They replace fields of the same name.
    package var fields: [String: String]

    package init(status: Int = 200, contentType: String, body: [UInt8], fields: [String: String] = [:]) {
        (self.status, self.contentType, self.body, self.fields) = (status, contentType, body, fields)
    }

    /// A response of plain text; the text gets a line end.
    package init(status: Int, text: String, fields: [String: String] = [:]) {
        self.init(
            status: status, contentType: "text/plain; charset=utf-8", body: Array((text + "\n").utf8), fields: fields)
    }

    init(_ refusal: RequestRefusal) {
        self.init(
            status: refusal.status, text: refusal.message,
            fields: refusal.status == 405 ? ["Allow": "GET, HEAD"] : [:])
    }

    init?(_ verdict: AccessRule.Verdict) {
        switch verdict {
        case .allowed: return nil
        case .unauthorized:
            self.init(
                status: 401, text: "the token is missing or wrong",
                fields: ["WWW-Authenticate": "Basic realm=\"bluebonnet\", charset=\"UTF-8\""])
        case .foreignHost:
            self.init(status: 421, text: "without a token, the host must be an IP address or localhost")
        }
    }

    /// The fields of each response: nothing is stored, framed, interpreted in another way or read by other origins.
    private static let commonFields = [
        "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin", "X-Frame-Options": "DENY",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    ]

    private static let phrases = [
        200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 405: "Method Not Allowed",
        413: "Content Too Large", 421: "Misdirected Request", 431: "Request Header Fields Too Large",
        503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]

    /// Returns the bytes of the response.
    ///
    /// - Parameters:
    ///   - hasBody: whether the body is sent; false for HEAD.
    ///   - closes: whether the connection ends with the response.
    ///   - isEndless: whether the body ends with the connection, and has no length.
    func encoded(hasBody: Bool, closes: Bool, isEndless: Bool = false, date: Date = Date()) -> [UInt8] {
        var all = Self.commonFields.merging(fields) { _, own in own }
        all["Content-Type"] = contentType
        all["Date"] = HTTPDate.text(of: date)
        if !isEndless { all["Content-Length"] = String(body.count) }
        if closes { all["Connection"] = "close" }
        var text = "HTTP/1.1 \(status) \(Self.phrases[status] ?? "")\r\n"
        for (name, value) in all.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
        return Array((text + "\r\n").utf8) + (hasBody ? body : [])
    }
}
