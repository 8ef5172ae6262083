// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The state of a governor: its origins, and the rate limit of all origins together. Network thread only.
final class GovernorCore {
    /// The number of known origins from which origins without state are forgotten.
    private static let originLimit = 256

    private var limits: OriginLimits
    private var ownLimits: [Origin: OriginLimits] = [:]
    private var origins: [Origin: GovernedOrigin] = [:]
    private let backingOff = BackingOffOrigins()
    private var pruneCount = GovernorCore.originLimit
    /// Nil for the process's timers.
    private let ownTimers: NetworkBound<NetworkTimers>?
    private var bucket: RateBucket?
    private var rateLimit: RateLimit?
    private var gate = GovernorGate()
    /// When and why transfers to all origins had to wait.
    private(set) var history = WaitHistory()

    init(_ limits: OriginLimits, _ rateLimit: RateLimit?, _ timers: NetworkBound<NetworkTimers>?) {
        (self.limits, self.rateLimit, ownTimers) = (limits, rateLimit, timers)
        bucket = rateLimit.map { RateBucket($0) }
    }

    private var timers: NetworkTimers { ownTimers?.value ?? Governor.timers.value }
}

@available(*, unavailable)
extension GovernorCore: Sendable {}

// MARK: - Origins

extension GovernorCore {
    /// The number of known origins.
    var originCount: Int { origins.count }

    func origin(_ origin: Origin) -> GovernedOrigin {
        if let known = origins[origin] { return known }
        if origins.count >= pruneCount { prune() }
        let made = GovernedOrigin(origin, ownLimits[origin] ?? limits, timers: timers, backingOff: backingOff)
        origins[origin] = made
        return made
    }

    /// Forgets origins without state that no scheduler uses.
    private func prune() {
        var entries = Array(origins)
        origins = [:]
        for index in entries.indices {
            let isUsed = !entries[index].value.isIdle || !isKnownUniquelyReferenced(&entries[index].value)
            if isUsed { origins[entries[index].key] = entries[index].value }
        }
        pruneCount = max(Self.originLimit, origins.count * 2)
    }

    func setLimits(_ limits: OriginLimits) {
        self.limits = limits
        for (origin, governed) in origins where ownLimits[origin] == nil { governed.limits = limits }
    }

    func setLimits(_ limits: OriginLimits?, for origin: Origin) {
        ownLimits[origin] = limits
        origins[origin]?.limits = limits ?? self.limits
    }

    var statuses: [OriginStatus] {
        origins.values.filter { !$0.isIdle }.map(\.status).sorted { $0.origin < $1.origin }
    }

    /// Returns up to `limit` origins that are backing off or unavailable, sorted by name.
    func backingOffStatuses(limit: Int) -> [OriginStatus] {
        var found: [GovernedOrigin] = []
        for origin in backingOff.origins {
            if let governed = origins[origin], governed.isBackingOffOrUnavailable {
                found.append(governed)
            } else {
                backingOff.remove(origin)
            }
            if found.count == limit { break }
        }
        return found.map(\.status).sorted { $0.origin < $1.origin }
    }

    func reset(_ origin: Origin) { origins[origin]?.reset() }

    /// Sets the observer of the back-offs that servers ask for; their length is in nanoseconds.
    func observeBackOffs(_ observer: @escaping (Origin, UInt64) -> Void) { backingOff.onBackOff = observer }
}

// MARK: - The rate limit of all origins

extension GovernorCore {
    /// Returns whether a transfer to any origin may begin. If not, the client is notified when that may have changed.
    func isOpen(for client: any GovernorClient) -> Bool {
        guard let bucket else { return true }
        let (opensAt, now) = (bucket.opensAt, timers.clock.now())
        guard opensAt > now else { return true }
        history.record(.rate, now: MonotonicClock.now())
        gate.add(client)
        wake(at: opensAt)
        return false
    }

    private func wake(at instant: UInt64) {
        gate.wake(at: instant, timers) { [weak self] in
            self?.gate.timerDidFire()
            self?.open()
        }
    }

    private func open() {
        if !history.isEmpty { history.record(nil, now: MonotonicClock.now()) }
        for client in gate.open(timers) { client.originDidOpen(nil) }
    }

    /// Takes a token for a transfer. `giveBack()` returns the token if nothing is sent.
    func consumeToken(for client: any GovernorClient) {
        guard bucket != nil else { return }
        bucket?.consume(now: timers.clock.now())
        gate.recordLastStarter(client)
    }

    func giveBack() {
        bucket?.giveBack()
        // The waiting client may belong to another manager.
        guard let bucket, !gate.clients.isEmpty else { return }
        if bucket.opensAt <= timers.clock.now() { open() } else { wake(at: bucket.opensAt) }
    }

    func setRateLimit(_ rateLimit: RateLimit?) {
        self.rateLimit = rateLimit
        bucket = rateLimit.map { RateBucket($0) }
        open()
    }

    /// Why a transfer to any origin has to wait; nil if it may begin.
    var waitReason: WaitReason? {
        let (now, date) = (timers.clock.now(), timers.clock.date())
        guard let rateLimit, let bucket, bucket.opensAt > now else { return nil }
        return .rate(
            origin: nil, perSecond: Double(rateLimit.count) / rateLimit.period.seconds,
            until: date.addingTimeInterval(Double(bucket.opensAt - now) / 1e9))
    }
}
