// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// An attempt of an operation that failed and was followed by another attempt: when it began, how it ended, how long
/// the operation waited after it, and why so long.
public struct RetriedAttempt: Sendable, Hashable, Codable {
    /// What decided how long the operation waited.
    public enum WaitReason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The policy's backoff: a random time that grows from attempt to attempt.
        case backoff
        /// The server's `Retry-After` field.
        case retryAfter
        /// The server's `RateLimit` field, or `X-RateLimit-Remaining` and `X-RateLimit-Reset`.
        case rateLimit
        /// The program's block.
        case block
    }

    /// When the attempt began.
    public let date: Date
    /// The time from the attempt's first transfer to its end. An attempt has several transfers when redirects or
    /// challenges came.
    public let duration: Duration
    /// How the attempt ended; `unacceptableStatus` for a response.
    public let code: NetworkingError.Code
    /// The status of the response; nil when the attempt ended without one.
    public let statusCode: Int?
    /// What decided how long the operation waited before the next attempt.
    public let waitReason: WaitReason
    /// How long the operation waited before the next attempt, pauses included and without the time for a slot. Shorter
    /// than decided when the operation was cancelled meanwhile.
    public package(set) var wait: Duration

    package init(
        date: Date, duration: Duration, code: NetworkingError.Code, statusCode: Int?, waitReason: WaitReason,
        wait: Duration = .zero
    ) {
        (self.date, self.duration, self.code, self.statusCode) = (date, duration, code, statusCode)
        (self.waitReason, self.wait) = (waitReason, wait)
    }
}
