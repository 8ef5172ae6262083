// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

/// A request as it would be sent to a server, with its whole body.
///
/// The header fields are those that the library sets, in order. `Host`, `Content-Length` and connection-specific
/// fields are set by libcurl, and are not included.
public struct SentRequest: Sendable {
    /// The absolute URL, without fragment.
    public let url: URL
    /// The method, for example `GET`.
    public let method: String
    /// The header fields, in order.
    public let headers: HeaderFields
    /// The body; empty for a request without one.
    public let body: Data
    /// The trailer section of the body; empty without one.
    public let trailers: HeaderFields

    /// Makes a request, for example to test an answering block.
    public init(
        _ method: String, _ url: URL, headers: HeaderFields = [:], body: Data = Data(), trailers: HeaderFields = [:]
    ) {
        (self.method, self.url, self.headers) = (method, url, headers)
        (self.body, self.trailers) = (body, trailers)
    }

    /// The path, percent-decoded; `/` for an empty one.
    public var path: String { url.path.isEmpty ? "/" : url.path }

    /// The path and query as in the URL, for example `/users?page=2`.
    public var target: String {
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        let path = parts?.percentEncodedPath ?? url.path
        return (path.isEmpty ? "/" : path) + (parts?.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    /// Returns the value of the first query item with this name, percent-decoded; nil without such an item.
    public func queryValue(for name: String) -> String? {
        URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems?.first { $0.name == name }?.value
    }

    /// The body as UTF-8 text; nil if it is not valid UTF-8.
    public var text: String? { String(data: body, encoding: .utf8) }

    /// The body as JSON; nil if it is not valid JSON.
    public var json: JSONValue? { try? JSONValue(parsing: body) }
}

extension SentRequest: CustomStringConvertible {
    /// The method, the target and the beginning of the body, in one line.
    public var description: String { body.isEmpty ? "\(method) \(target)" : "\(method) \(target) \(body.shown)" }
}

extension Data {
    /// The bytes for people: the beginning of a text, or the number of bytes.
    var shown: String {
        guard let text = String(data: self, encoding: .utf8), !text.unicodeScalars.contains(where: \.isControl) else {
            return "(\(count) bytes)"
        }
        return text.count <= 200 ? text : "\(text.prefix(200))… (\(count) bytes)"
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { value < 0x20 && value != 0x09 && value != 0x0A && value != 0x0D }
}
