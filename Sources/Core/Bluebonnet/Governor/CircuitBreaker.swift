// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// When a `Governor` takes an origin for unavailable: after so many failures in a row its operations fail at once with
/// `originUnavailable`, for a time. Then one transfer is tried; with a success the origin is available again.
///
/// A failure is a response with one of `statusCodes`, and a transfer that ended without a response: no address, no
/// connection, a failed TLS handshake, a lost connection, a connect or idle timeout. A refused certificate, a
/// cancellation and the total time limit are none. Status 429 counts neither as a failure nor as a success.
public struct CircuitBreaker: Sendable, Hashable, Codable {
    /// The number of failures in a row after which the origin is unavailable. Default 5.
    public var failureCount = 5
    /// How long it is unavailable before one transfer is tried. Default 30 s.
    public var openTime = Duration.seconds(30)
    /// The statuses that count as failures. Default 500, 502, 503 and 504.
    public var statusCodes: Set<Int> = [500, 502, 503, 504]

    /// Makes a breaker.
    ///
    /// - Parameters:
    ///   - failureCount: the number of failures in a row; a number below 1 counts as 1.
    ///   - openTime: how long the origin is unavailable then.
    public init(failureCount: Int = 5, openTime: Duration = .seconds(30)) {
        (self.failureCount, self.openTime) = (failureCount, openTime)
    }
}

/// Where the breaker of one origin stands. A value without a clock: instants are nanoseconds of a monotonic clock.
struct BreakerState: Equatable {
    private(set) var failureCount = 0
    /// When one transfer may be tried; nil while the origin is available.
    private(set) var opensAt: UInt64?

    /// Notes how a transfer ended.
    ///
    /// - Returns: whether the origin is unavailable from now on.
    mutating func noteFailure(_ settings: CircuitBreaker, now: UInt64) -> Bool {
        failureCount += 1
        guard opensAt != nil || failureCount >= settings.failureCount else { return false }
        opensAt = now + settings.openTime.nanoseconds
        return true
    }

    /// The origin answers.
    mutating func noteSuccess() { self = BreakerState() }
}
