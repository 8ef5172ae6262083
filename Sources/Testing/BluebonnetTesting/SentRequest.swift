// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
public import Foundation

/// A request as it would have gone to a server, with its whole body.
///
/// The header fields are those of the library, in their order: `Host`, `Content-Length` and the fields of a connection
/// belong to libcurl, and are not among them.
public struct SentRequest: Sendable {
    /// The absolute URL, without fragment.
    public let url: URL
    /// The method, for instance `GET`.
    public let method: String
    /// The header fields in their order.
    public let headers: HeaderFields
    /// The body; empty without one.
    public let body: Data

    /// Makes a request, for instance to test a block with.
    public init(_ method: String, _ url: URL, headers: HeaderFields = [:], body: Data = Data()) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }

    /// The path, without percent-encoding; `/` for an empty one.
    public var path: String { url.path.isEmpty ? "/" : url.path }

    /// Path and query as they are in the URL, for instance `/users?page=2`.
    public var target: String {
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        let path = parts?.percentEncodedPath ?? url.path
        return (path.isEmpty ? "/" : path) + (parts?.percentEncodedQuery.map { "?" + $0 } ?? "")
    }

    /// The value of the first query item of that name, without percent-encoding; nil when there is none.
    public func queryValue(for name: String) -> String? {
        URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems?.first { $0.name == name }?.value
    }

    /// The body as UTF-8; nil when the bytes are none.
    public var text: String? { String(data: body, encoding: .utf8) }

    /// The body as JSON; nil when it is none.
    public var json: JSONValue? { try? JSONValue(parsing: body) }
}

extension SentRequest: CustomStringConvertible {
    /// Method, target and the beginning of the body, in one line.
    public var description: String { body.isEmpty ? "\(method) \(target)" : "\(method) \(target) \(body.shown)" }
}

extension Data {
    /// The bytes for people: the beginning of a text, or their number.
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
