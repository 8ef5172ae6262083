// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Limits requests to the load that servers can take. All managers with the same governor share its state of each
/// origin; a manager without a governor applies only its own limits. A manager gets its governor from its
/// configuration.
///
/// ```swift
/// let governor = Governor(OriginLimits(rateLimit: RateLimit(10, burst: 20)))
/// var configuration = RequestOperationManager.Configuration()
/// configuration.governor = governor
/// let manager = RequestOperationManager(configuration: configuration)
/// ```
///
/// For each origin, the governor has
/// - a concurrency limit. Status 429, status 503 and connect timeouts halve the limit. It grows by one when as many
///   transfers as the limit have succeeded.
/// - a back-off. After a 429 or a 503 with `Retry-After`, no transfer begins before the given time. Then one transfer
///   probes the origin, and the concurrency limit grows again from one. A response that reports an exhausted limit
///   (`RateLimit`, `X-RateLimit-Remaining`) starts a back-off until the limit resets. `reset(for:)` ends a back-off.
/// - a rate limit: the configured rate, and a learned rate. The governor learns a rate when the server answers 429
///   without a time to wait, as long as a lower rate leads to fewer refused transfers.
/// - a circuit breaker, if the limits have one.
///
/// Waiting operations occupy no slot, so an origin never delays another origin. Time spent waiting for the governor
/// counts against no limit of `Timeouts`, and against `RetryPolicy.maximumTime` from the operation's first transfer on.
/// The burst of a rate refills during a back-off, and is then used step by step. Each transfer counts, including
/// redirects, answers to challenges and retries. See <doc:RetriesAndLimits>. All members may be used from any thread.
public final class Governor: Sendable {
    /// A shared governor with the default limits, for programs that create managers in several places.
    public static let shared = Governor()

    let core: NetworkBound<GovernorCore>

    /// Creates a governor.
    ///
    /// - Parameters:
    ///   - limits: the limits of each origin without its own limits. A limit of transfers below 1 traps.
    ///   - rateLimit: how many transfers may begin in a period, to all origins together. Default nil: no limit.
    public convenience init(_ limits: OriginLimits = OriginLimits(), rateLimit: RateLimit? = nil) {
        self.init(limits, rateLimit: rateLimit, timers: nil)
    }

    /// - Parameter timers: nil for the process's timers; tests pass their own.
    package init(_ limits: OriginLimits, rateLimit: RateLimit?, timers: NetworkBound<NetworkTimers>?) {
        Self.check(limits)
        core = NetworkBound(GovernorCore(limits, rateLimit, timers))
    }

    /// The process's timers, created on the network thread on first use.
    static let timers = NetworkBound(NetworkTimers(loop: NetworkThread.shared.eventLoop))

    private static func check(_ limits: OriginLimits?) {
        precondition(
            limits.map { $0.maximumConcurrentTransferCount > 0 } ?? true, "an origin must allow at least one transfer")
    }
}

extension Governor {
    /// Sets the limits of each origin without its own limits. Running transfers are not ended.
    public func setLimits(_ limits: OriginLimits) {
        Self.check(limits)
        NetworkThread.shared.submit { [core] in core.value.setLimits(limits) }
    }

    /// Sets the limits of one origin.
    ///
    /// - Parameters:
    ///   - limits: the new limits; nil removes the origin's own limits, so that the common limits apply again.
    ///   - url: a URL of the origin; a URL that is not an http or https URL has no effect.
    public func setLimits(_ limits: OriginLimits?, for url: URL) {
        Self.check(limits)
        guard let origin = Origin(url) else { return }
        NetworkThread.shared.submit { [core] in core.value.setLimits(limits, for: origin) }
    }

    /// Sets how many transfers may begin in a period, to all origins together; nil for no limit.
    public func setRateLimit(_ rateLimit: RateLimit?) {
        NetworkThread.shared.submit { [core] in core.value.setRateLimit(rateLimit) }
    }

    /// Ends a back-off of one origin, makes an unavailable origin available, and forgets its refusals and failures. Use
    /// this method when the program knows that the server answers again.
    ///
    /// - Parameter url: a URL of the origin; a URL that is not an http or https URL has no effect.
    public func reset(for url: URL) {
        guard let origin = Origin(url) else { return }
        NetworkThread.shared.submit { [core] in core.value.reset(origin) }
    }

    /// Sets the observer of the back-offs that servers ask for. It is called on the network thread with the scheme,
    /// host and port of the origin, and the length of the back-off.
    package func observeBackOffs(_ observer: @escaping @Sendable (_ origin: String, _ length: Duration) -> Void) {
        NetworkThread.shared.submit { [core] in
            core.value.observeBackOffs { observer("\($0)", .nanoseconds(Int64(clamping: $1))) }
        }
    }

    /// Starts a back-off as if the origin's server had asked for it, because the server asked another process.
    package func startBackOff(of url: URL, for length: Duration) {
        guard let origin = Origin(url), length > .zero else { return }
        NetworkThread.shared.submit { [core] in core.value.origin(origin).startBackOff(for: length.nanoseconds) }
    }

    /// Returns the origins with state in the governor, sorted by name: origins with running transfers or waiting
    /// operations, and origins whose server has refused or failed in the last five minutes.
    public func origins() async -> [OriginStatus] {
        await NetworkThread.shared.answer { [core] in core.value.statuses }
    }
}
