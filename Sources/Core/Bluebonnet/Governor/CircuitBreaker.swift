// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The circuit-breaker settings of an origin under a `Governor`. After `failureCount` failures in a row the origin is
/// unavailable for `openTime`: its operations fail at once with `originUnavailable`. Then one transfer probes the
/// origin. If the probe succeeds, the origin is available again.
///
/// Failures are responses with one of `statusCodes`, and transfers that end without a response: no address, no
/// connection, a failed TLS handshake, a lost connection, a connect or idle timeout. A rejected certificate, a
/// cancellation and the total timeout do not count. Status 429 is neither a failure nor a success, but a probe that
/// gets a 429 makes the origin available again.
public struct CircuitBreaker: Sendable, Hashable, Codable {
    /// The number of failures in a row after which the origin is unavailable. Default 5.
    public var failureCount = 5
    /// How long the origin is unavailable before one transfer probes it. Default 30 s.
    public var openTime = Duration.seconds(30)
    /// The statuses that count as failures. Default 500, 502, 503 and 504.
    public var statusCodes: Set<Int> = [500, 502, 503, 504]

    /// Creates a breaker.
    ///
    /// - Parameters:
    ///   - failureCount: the number of failures in a row; a number below 1 counts as 1.
    ///   - openTime: how long the origin is unavailable before the probe.
    public init(failureCount: Int = 5, openTime: Duration = .seconds(30)) {
        (self.failureCount, self.openTime) = (failureCount, openTime)
    }
}

/// The state of one origin's circuit breaker. A value without a clock: instants are nanoseconds of a monotonic clock.
struct BreakerState: Equatable {
    private(set) var failureCount = 0
    /// When one transfer may probe the origin; nil while the origin is available.
    private(set) var opensAt: UInt64?

    /// Records a failure.
    ///
    /// - Returns: whether the origin is unavailable from now on.
    mutating func recordFailure(_ settings: CircuitBreaker, now: UInt64) -> Bool {
        failureCount += 1
        guard opensAt != nil || failureCount >= settings.failureCount else { return false }
        opensAt = now + settings.openTime.nanoseconds
        return true
    }

    /// Records a success: the origin is available again.
    mutating func recordSuccess() { self = BreakerState() }
}
