// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Keeps requests within what their servers can bear. All managers with the same governor share what is known of an
/// origin; a manager without a governor is under its own limits only. Managers get it by their configuration.
///
/// ```swift
/// let governor = Governor(OriginLimits(rateLimit: RateLimit(10, burst: 20)))
/// var configuration = RequestOperationManager.Configuration()
/// configuration.governor = governor
/// let manager = RequestOperationManager(configuration: configuration)
/// ```
///
/// For each origin there is
/// - a number of transfers that may run at once. Status 429, 503 and connect timeouts halve it, and it grows by one
///   when as many transfers have succeeded.
/// - a hold: after a 429 or a 503 with `Retry-After` no transfer begins until then. Then one goes alone, and the number
///   grows from one on. A response that says that the server's limit is used up (`RateLimit`, `X-RateLimit-Remaining`)
///   holds the origin until the limit is reset. `reset(for:)` lifts a hold.
/// - a rate: the one that is set, and one that is learned when the server answers 429 without saying for how long, as
///   long as fewer transfers are refused at a lower rate.
/// - a circuit breaker, when the limits have one.
///
/// Operations that wait hold no slot, so that an origin never holds up another one. Time spent waiting for the governor
/// counts against no limit of `Timeouts`, and against `RetryPolicy.maximumTime` from the operation's first transfer on.
/// A hold saves up the burst of a rate, and lets it go step by step. Each transfer counts: redirects, answers to
/// challenges and retries do too. See <doc:RetriesAndLimits>. All members may be used from any thread.
public final class Governor: Sendable {
    /// A governor with the default limits, for programs whose managers are made in several places.
    public static let shared = Governor()

    let core: NetworkBound<GovernorCore>

    /// Makes a governor.
    ///
    /// - Parameters:
    ///   - limits: those of each origin that has none of its own. A limit of transfers below 1 traps.
    ///   - rateLimit: how many transfers may begin in a time, to all origins together. Default nil: no limit.
    public convenience init(_ limits: OriginLimits = OriginLimits(), rateLimit: RateLimit? = nil) {
        self.init(limits, rateLimit: rateLimit, timers: nil)
    }

    /// - Parameter timers: nil for the process's; tests have others.
    package init(_ limits: OriginLimits, rateLimit: RateLimit?, timers: NetworkBound<NetworkTimers>?) {
        Self.check(limits)
        core = NetworkBound(GovernorCore(limits, rateLimit, timers))
    }

    /// The process's; made on the network thread, where they are first asked for.
    static let timers = NetworkBound(NetworkTimers(loop: NetworkThread.shared.eventLoop))

    private static func check(_ limits: OriginLimits?) {
        precondition(
            limits.map { $0.maximumConcurrentTransferCount > 0 } ?? true, "an origin needs room for one transfer")
    }
}

extension Governor {
    /// Sets the limits of each origin that has none of its own. Transfers under way are not ended.
    public func setLimits(_ limits: OriginLimits) {
        Self.check(limits)
        NetworkThread.shared.submit { [core] in core.value.setLimits(limits) }
    }

    /// Sets the limits of one origin.
    ///
    /// - Parameters:
    ///   - limits: nil takes the limits of the origin away: those of all others count for it again.
    ///   - url: a URL of the origin; a URL that is not an http or https one has no effect.
    public func setLimits(_ limits: OriginLimits?, for url: URL) {
        Self.check(limits)
        guard let origin = Origin(url) else { return }
        NetworkThread.shared.submit { [core] in core.value.setLimits(limits, for: origin) }
    }

    /// Sets how many transfers may begin in a time, to all origins together; nil is no limit.
    public func setRateLimit(_ rateLimit: RateLimit?) {
        NetworkThread.shared.submit { [core] in core.value.setRateLimit(rateLimit) }
    }

    /// Lifts a hold of one origin, makes an unavailable one available, and forgets what refusals and failures have
    /// shown: for a server of which the program knows that it answers again.
    ///
    /// - Parameter url: a URL of the origin; a URL that is not an http or https one has no effect.
    public func reset(for url: URL) {
        guard let origin = Origin(url) else { return }
        NetworkThread.shared.submit { [core] in core.value.reset(origin) }
    }

    /// Sets what is told of each hold that a server asks for, on the network thread: scheme, host and port of the
    /// origin, and for how long.
    package func observeHolds(_ observer: @escaping @Sendable (_ origin: String, _ length: Duration) -> Void) {
        NetworkThread.shared.submit { [core] in
            core.value.observeHolds { observer("\($0)", .nanoseconds(Int64(clamping: $1))) }
        }
    }

    /// Holds an origin as if its server had asked for that: another process has heard of it.
    package func hold(_ url: URL, for length: Duration) {
        guard let origin = Origin(url), length > .zero else { return }
        NetworkThread.shared.submit { [core] in core.value.origin(origin).hold(for: length.nanoseconds) }
    }

    /// The origins about which the governor knows something: transfers run or operations wait, or the server has
    /// refused or failed in the last five minutes. In the order of their names.
    public func origins() async -> [OriginStatus] {
        await NetworkThread.shared.answer { [core] in core.value.statuses }
    }
}
