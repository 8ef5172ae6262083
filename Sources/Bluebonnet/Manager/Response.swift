// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The value of a call with the response that it came in: what the verbs that wait give with `as:`, or without a type.
///
/// ```swift
/// let page = try await manager.get("users", parameters: ["page": 2], as: [User].self)
/// print(page.headers["Link"] ?? "", page.value.count)
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
    /// Whether the status is one of success, 200 to 299.
    public var isSuccess: Bool { (200...299).contains(statusCode) }
    /// The header fields of the final response.
    public var headers: HeaderFields { head.headers }
    /// The URL that the final response came from.
    public var url: URL { head.url }
    /// How long the parts of the call took.
    public var timings: TransferTimings { summary.timings }

    /// Makes a response, for instance for a test.
    public init(value: Value, head: ResponseHead) {
        self.init(value: value, head: head, summary: TransferSummary())
    }

    init(value: Value, head: ResponseHead, summary: TransferSummary) {
        (self.value, self.head, self.summary) = (value, head, summary)
    }
}
