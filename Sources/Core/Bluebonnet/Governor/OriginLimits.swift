// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a `Governor` allows at one origin (scheme, host and port). A value.
public struct OriginLimits: Sendable, Hashable, Codable {
    /// The most concurrent transfers to the origin, of all managers with the governor together; each manager has its
    /// own limits besides. The governor lets fewer run after the server has refused or failed, but always one. At
    /// least 1; a number above 2^30 counts as that. Default 64.
    public var maximumConcurrentTransferCount = 64
    /// How many transfers to the origin may begin in a time. Redirects, answers to challenges and retries count too.
    /// Default nil: no limit but the one that the server's refusals show.
    public var rateLimit: RateLimit?
    /// When the origin is taken for unavailable. Default nil: never.
    public var circuitBreaker: CircuitBreaker?
    /// The longest time that operations wait because the server has asked for patience with `Retry-After`, or because
    /// the server's `RateLimit` is used up. When the server asks for more, the origin's operations fail at once with
    /// `retryAfterTooLong`, until no more than this time is left; after each such time, of one minute at least, one
    /// transfer tries the server nevertheless. When the server has refused one transfer after another for longer than
    /// this time, operations fail until the present hold ends. Default 5 min.
    public var maximumHold = Duration.seconds(300)

    /// The defaults.
    public init() {}

    /// Makes limits with a rate, and the defaults.
    public init(rateLimit: RateLimit?, circuitBreaker: CircuitBreaker? = nil) {
        (self.rateLimit, self.circuitBreaker) = (rateLimit, circuitBreaker)
    }

    private enum CodingKeys: CodingKey {
        case maximumConcurrentTransferCount, rateLimit, circuitBreaker, maximumHold
    }

    /// Makes limits as they were encoded.
    ///
    /// - Throws: `DecodingError`, also when the number of transfers is not above zero.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        maximumConcurrentTransferCount = try container.decode(Int.self, forKey: .maximumConcurrentTransferCount)
        guard maximumConcurrentTransferCount > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .maximumConcurrentTransferCount, in: container,
                debugDescription: "an origin needs room for one transfer")
        }
        rateLimit = try container.decodeIfPresent(RateLimit.self, forKey: .rateLimit)
        circuitBreaker = try container.decodeIfPresent(CircuitBreaker.self, forKey: .circuitBreaker)
        maximumHold = try container.decode(Duration.self, forKey: .maximumHold)
    }

    /// The number of transfers as the window of an origin has it.
    var transferLimit: Double { Double(min(max(1, maximumConcurrentTransferCount), 1 << 30)) }
}
