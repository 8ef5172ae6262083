// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// The text of one entry of a HAR file.
struct HAREntry {
    private let hop: HARHop
    private let redaction: EventRedaction

    init(_ hop: HARHop, _ redaction: EventRedaction) { (self.hop, self.redaction) = (hop, redaction) }

    var text: String {
        let timings = hop.timings
        var text = JSONText(expectedByteCount: 2048)
        text.object { text in
            text.member("startedDateTime", EventText.date(hop.begin.date))
            text.member("time", milliseconds: timings.total)
            request(to: &text)
            response(to: &text)
            text.key("cache")
            text.object { _ in }
            write(timings, to: &text)
            if let connection = hop.connection?.use.connection {
                if !connection.peerAddress.isEmpty { text.member("serverIPAddress", connection.peerAddress) }
                text.member("connection", String(connection.number))
            }
            ownMembers(to: &text)
        }
        return text.string
    }

    private func ownMembers(to text: inout JSONText) {
        text.member("_operation", hop.operation)
        text.member("_line", hop.line)
        text.member("_attempt", hop.attempt)
        text.member("_resendCount", hop.resendCount)
        switch hop.end.end.reason {
        case .complete: break
        case .paused: text.member("_error", "paused")
        case .cancelled: text.member("_error", "cancelled")
        case .restarted: text.member("_error", "restarted")
        case .failed(let code): text.member("_error", code.rawValue)
        }
    }

    private func write(_ timings: HARHop.Timings, to text: inout JSONText) {
        text.key("timings")
        text.object { text in
            text.member("blocked", milliseconds: timings.blocked)
            text.member("dns", milliseconds: timings.dns)
            text.member("connect", milliseconds: timings.connect)
            text.member("ssl", milliseconds: timings.ssl)
            text.member("send", milliseconds: timings.send)
            text.member("wait", milliseconds: timings.wait)
            text.member("receive", milliseconds: timings.receive)
        }
    }
}

// MARK: - Request and response

extension HAREntry {
    private var version: String { hop.response.map { "HTTP/\($0.version)" } ?? "unknown" }

    private func request(to text: inout JSONText) {
        let request = hop.request
        let url = redaction.url(request.url)
        text.key("request")
        text.object { text in
            text.member("method", request.method)
            text.member("url", url)
            text.member("httpVersion", version)
            text.member("cookies", pairs: Self.cookies(request.headers, in: "cookie"))
            text.member("headers", pairs: redaction.fields(request.headers))
            text.member("queryString", pairs: Self.queryItems(of: url))
            text.member("headersSize", -1)
            text.member("bodySize", request.bodyByteCount == 0 ? 0 : hop.end.end.sentByteCount)
        }
    }

    private func response(to text: inout JSONText) {
        let head = hop.response
        let fields = head?.headers ?? []
        let value = { (name: String) in fields.first { $0.name.lowercased() == name }?.value }
        text.key("response")
        text.object { text in
            text.member("status", head?.statusCode ?? 0)
            // Responses of HTTP/2 have no reason phrase, and the others need none.
            text.member("statusText", "")
            text.member("httpVersion", version)
            text.member("cookies", pairs: Self.cookies(fields, in: "set-cookie"))
            text.member("headers", pairs: redaction.fields(fields))
            text.key("content")
            text.object { text in
                let end = hop.end.end
                text.member("size", end.decodedByteCount ?? end.receivedByteCount)
                if let decoded = end.decodedByteCount, decoded != end.receivedByteCount {
                    text.member("compression", decoded - end.receivedByteCount)
                }
                text.member("mimeType", value("content-type") ?? "")
            }
            text.member("redirectURL", value("location").map(redaction.url) ?? "")
            text.member("headersSize", -1)
            text.member("bodySize", head == nil ? -1 : hop.end.end.receivedByteCount)
        }
    }

    /// Returns the names of the cookies in some fields. Their values are secrets.
    private static func cookies(
        _ fields: [(name: String, value: String)], in name: String
    ) -> [(name: String, value: String)] {
        let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
        // Of a field Set-Cookie, the other parts are attributes.
        let pairs = values.flatMap { value in
            value.split(separator: ";").prefix(name == "cookie" ? .max : 1)
        }
        return pairs.compactMap { pair in
            guard let sign = pair.firstIndex(of: "=") else { return nil }
            return (pair[..<sign].trimmingCharacters(in: .whitespaces), Redaction.placeholder)
        }
    }

    /// Returns the items of the query of a URL, decoded.
    private static func queryItems(of url: String) -> [(name: String, value: String)] {
        guard let mark = url.firstIndex(of: "?") else { return [] }
        return url[url.index(after: mark)...].split(separator: "&").map { item in
            let name = item.prefix { $0 != "=" }
            return (decoded(name), decoded(item.dropFirst(name.count + 1)))
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let text = text.replacingOccurrences(of: "+", with: " ")
        return text.removingPercentEncoding ?? text
    }
}

extension JSONText {
    /// Writes a member that is a time in milliseconds; -1 for nil.
    fileprivate mutating func member(_ name: StaticString, milliseconds nanoseconds: UInt64?) {
        key(name)
        if let nanoseconds { seconds(Double(nanoseconds) / 1_000_000) } else { token("-1") }
    }
}
