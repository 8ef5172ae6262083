// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A decoded value with its response: the result of the async verbs with `as:`, or without a type.
///
/// ```swift
/// let page = try await manager.get("users", parameters: ["page": 2], as: [User].self)
/// print(page.links["next"]?.absoluteString ?? "the last page", page.value.count)
/// ```
public struct Response<Value: Sendable>: Sendable {
    /// The decoded body.
    public let value: Value
    /// The head of the final response.
    public let head: ResponseHead
    /// Attempts, redirects, timings and TLS information.
    public let summary: TransferSummary

    /// The status of the final response.
    public var statusCode: Int { head.statusCode }
    /// Whether the status is a success status, 200 to 299.
    public var isSuccess: Bool { (200...299).contains(statusCode) }
    /// The header fields of the final response.
    public var headers: HeaderFields { head.headers }
    /// The URL of the final response.
    public var url: URL { head.url }
    /// The links of the final response's `Link` fields: `response.links["next"]` is the URL of the next page.
    public var links: WebLinks { head.links }
    /// How the cache handled the request, in the terms of RFC 9211; nil without a cache.
    public var cacheStatus: CacheStatus? { summary.cacheStatus }
    /// How long the parts of the call took.
    public var timings: TransferTimings { summary.timings }

    /// Creates a response, for instance for a test.
    public init(value: Value, head: ResponseHead) {
        self.init(value: value, head: head, summary: TransferSummary())
    }

    init(value: Value, head: ResponseHead, summary: TransferSummary) {
        (self.value, self.head, self.summary) = (value, head, summary)
    }
}

extension Response: CustomStringConvertible {
    /// Status, method, URL, time and the kind of the value, for logs. Contains no secrets, and no value that may
    /// contain secrets.
    public var description: String {
        "\(head), \(timings.total.shown): \(Self.shown(value))"
    }

    private static func shown(_ value: Value) -> String {
        switch value {
        case let data as Data: "\(data.count) bytes"
        case let json as JSONValue: "\(json)"
        case let file as URL where file.isFileURL: file.path
        default: CodingErrorText.shown(Value.self)
        }
    }
}
