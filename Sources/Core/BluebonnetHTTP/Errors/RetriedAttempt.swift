// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A failed attempt of an operation that was followed by another attempt: when it started, how it ended, and how long
/// and why the operation waited afterwards.
public struct RetriedAttempt: Sendable, Hashable, Codable {
    /// The rule that decided how long the operation waited.
    public enum WaitRule: String, Sendable, Hashable, Codable, CaseIterable {
        /// The policy's backoff: a random time that grows from attempt to attempt.
        case backoff
        /// The server's `Retry-After` field.
        case retryAfter
        /// The server's `RateLimit` field, or `X-RateLimit-Remaining` and `X-RateLimit-Reset`.
        case rateLimit
        /// The program's block.
        case block
    }

    /// When the attempt started.
    public let date: Date
    /// The time from the start of the attempt's first transfer to its end. An attempt has several transfers if it met
    /// redirects or challenges.
    public let duration: Duration
    /// How the attempt ended; `unacceptableStatus` for a response.
    public let code: NetworkingError.Code
    /// The status of the response; nil if the attempt ended without a response.
    public let statusCode: Int?
    /// The rule that decided how long the operation waited before the next attempt.
    public let waitRule: WaitRule
    /// How long the operation waited before the next attempt, including pauses but not the time until a slot was free.
    /// Shorter than decided if the operation was cancelled in the meantime.
    public package(set) var wait: Duration

    package init(
        date: Date, duration: Duration, code: NetworkingError.Code, statusCode: Int?, waitRule: WaitRule,
        wait: Duration = .zero
    ) {
        (self.date, self.duration, self.code, self.statusCode) = (date, duration, code, statusCode)
        (self.waitRule, self.wait) = (waitRule, wait)
    }
}
