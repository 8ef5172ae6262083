// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The limits that a `Governor` applies to one origin (scheme, host and port).
public struct OriginLimits: Sendable, Hashable, Codable {
    /// The largest number of concurrent transfers to the origin, for all managers with the governor together; the
    /// limits of each manager apply in addition. After refusals or failures the governor allows fewer transfers, but
    /// always one. At least 1; a number above 2^30 counts as 2^30. Default 64.
    public var maximumConcurrentTransferCount = 64
    /// How many transfers to the origin may begin in a period. Redirects, answers to challenges and retries count too.
    /// Default nil: no limit except a rate learned from the server's refusals.
    public var rateLimit: RateLimit?
    /// When the origin counts as unavailable. Default nil: never.
    public var circuitBreaker: CircuitBreaker?
    /// The longest time that operations wait because the server sent `Retry-After`, or because the server's `RateLimit`
    /// is exhausted. If the server asks for a longer time, the origin's operations fail at once with
    /// `retryAfterTooLong` until at most `maximumHold` is left. Meanwhile one transfer probes the server after each
    /// `maximumHold`, but at most once a minute. If the server refuses one probe after another for longer than
    /// `maximumHold`, operations fail until the current back-off ends. Default 5 min.
    public var maximumHold = Duration.seconds(300)

    /// Creates the default limits.
    public init() {}

    /// Creates limits with a rate limit and a circuit breaker, and otherwise the defaults.
    public init(rateLimit: RateLimit?, circuitBreaker: CircuitBreaker? = nil) {
        (self.rateLimit, self.circuitBreaker) = (rateLimit, circuitBreaker)
    }

    private enum CodingKeys: CodingKey {
        case maximumConcurrentTransferCount, rateLimit, circuitBreaker, maximumHold
    }

    /// Decodes limits.
    ///
    /// - Throws: `DecodingError`, also if the number of transfers is not above zero.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        maximumConcurrentTransferCount = try container.decode(Int.self, forKey: .maximumConcurrentTransferCount)
        guard maximumConcurrentTransferCount > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .maximumConcurrentTransferCount, in: container,
                debugDescription: "an origin must allow at least one transfer")
        }
        rateLimit = try container.decodeIfPresent(RateLimit.self, forKey: .rateLimit)
        circuitBreaker = try container.decodeIfPresent(CircuitBreaker.self, forKey: .circuitBreaker)
        maximumHold = try container.decode(Duration.self, forKey: .maximumHold)
    }

    /// The number of concurrent transfers as the size of an origin's window.
    var transferLimit: Double { Double(min(max(1, maximumConcurrentTransferCount), 1 << 30)) }
}
