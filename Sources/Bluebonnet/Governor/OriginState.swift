// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a transfer to an origin came to, as far as it says how much the origin can bear.
struct TransferOutcome: Equatable {
    enum Kind: Equatable {
        case response(status: Int)
        /// No connection was made in its time.
        case connectTimeout
        /// The transfer ended without a response.
        case failure
    }

    var kind: Kind
    /// Nanoseconds for which the server wants to be left alone; nil when it does not say.
    var hold: UInt64?

    /// Whether the server has refused the request because it gets too many.
    var isRefusal: Bool { kind == .response(status: 429) || kind == .response(status: 503) }
}

/// What one origin is allowed: how many transfers run, at what rate they begin, until when none does. A value without a
/// clock: instants are nanoseconds of a monotonic clock.
///
/// A transfer has a number from its beginning on. What a transfer tells that began before the last change for the worse
/// is no reason for another one.
struct OriginState {
    /// Whether another transfer may begin.
    enum Permission: Equatable {
        case now
        case notBefore(UInt64, Reason)
        case whenOneEnds(Reason)
        /// It fails at once. Such a transfer is let pass, counts for nothing, and must not be sent.
        case refused(until: UInt64, Reason)
    }

    enum Reason: Equatable {
        /// The server asked for patience, or its limit is used up.
        case hold
        case rate(perSecond: Double)
        /// So many transfers run, and no more may.
        case window(Int)
        /// One transfer tries whether the origin answers.
        case probe
        case breaker
    }

    private enum Probe: Equatable {
        case none
        /// The next transfer goes alone.
        case needed
        case running(number: UInt64)
    }

    /// A probe that is refused is followed by another one after this time at least.
    private static let shortestHold: UInt64 = 1_000_000_000
    private static let lowestRate = 1.0 / 60
    private static let lowestRateOfOverload = 1.0

    var limits: OriginLimits {
        didSet { limitsChanged(from: oldValue) }
    }
    private(set) var runningCount = 0
    private(set) var lastNumber: UInt64 = 0
    /// How many transfers may run; it grows by one when as many have succeeded.
    private(set) var window: Double
    /// Transfers up to this number are no reason for another change for the worse.
    private var lastStale: UInt64 = 0
    private(set) var heldUntil: UInt64 = 0
    private var lastHold: UInt64 = 0
    private var probe = Probe.none
    private var bucket: RateBucket?
    private(set) var learned: LearnedRate?
    private var breaker = BreakerState()

    init(_ limits: OriginLimits) {
        self.limits = limits
        window = Double(max(1, limits.maximumConcurrentTransferCount))
        bucket = limits.rateLimit.map { RateBucket($0) }
    }

    private mutating func limitsChanged(from old: OriginLimits) {
        let limit = Double(max(1, limits.maximumConcurrentTransferCount))
        let isFullyOpen = window >= Double(max(1, old.maximumConcurrentTransferCount))
        window = isFullyOpen ? limit : min(window, limit)
        if limits.rateLimit != old.rateLimit { bucket = limits.rateLimit.map { RateBucket($0) } }
        if limits.circuitBreaker == nil { breaker = BreakerState() }
    }

    /// Whether nothing of it would be missed.
    var isIdle: Bool {
        runningCount == 0 && heldUntil == 0 && probe == .none && learned == nil && breaker == BreakerState()
            && window >= Double(max(1, limits.maximumConcurrentTransferCount))
    }
}

// MARK: - Beginnings

extension OriginState {
    /// Whether another transfer may begin. The clock is read only where it matters.
    func mayBegin(_ clock: @autoclosure () -> UInt64) -> Permission {
        if needsClock { return mayBegin(at: clock()) }
        if probe == .none { return hasRoom ? .now : .whenOneEnds(.window(Int(window))) }
        return mayBegin(at: 0)
    }

    private var needsClock: Bool { heldUntil != 0 || breaker.opensAt != nil || bucket != nil || learned != nil }

    private var hasRoom: Bool { runningCount < Int(window) }

    private func mayBegin(at now: UInt64) -> Permission {
        if let opensAt = breaker.opensAt, now < opensAt { return .refused(until: opensAt, .breaker) }
        if now < heldUntil {
            let isTooLong = heldUntil - now > limits.maximumHold.nanoseconds
            return isTooLong ? .refused(until: heldUntil, .hold) : .notBefore(heldUntil, .hold)
        }
        if case .running = probe { return .whenOneEnds(.probe) }
        if probe == .none, !hasRoom { return .whenOneEnds(.window(Int(window))) }
        let opensAt = max(bucket?.opensAt ?? 0, learned?.opensAt ?? 0)
        guard opensAt > now else { return .now }
        let rates = [limits.rateLimit?.perSecond, learned?.perSecond].compactMap(\.self)
        return .notBefore(opensAt, .rate(perSecond: rates.min() ?? 0))
    }

    /// A transfer begins that may begin now.
    ///
    /// - Returns: its number.
    mutating func noteBegin(_ clock: @autoclosure () -> UInt64) -> UInt64 {
        runningCount += 1
        lastNumber += 1
        if probe == .needed { probe = .running(number: lastNumber) }
        guard bucket != nil || learned != nil || heldUntil != 0 else { return lastNumber }
        let now = clock()
        if heldUntil <= now { heldUntil = 0 }
        if learned?.isForgotten(now: now) == true { learned = nil }
        bucket?.take(now: now)
        learned?.noteBegin(now: now)
        return lastNumber
    }

    /// What a transfer took from the rate is given back: nothing of it was sent.
    mutating func giveBack() {
        bucket?.giveBack()
        learned?.giveBack()
    }
}

// MARK: - Ends

extension OriginState {
    /// A transfer runs no more, whatever it came to.
    mutating func noteEnd(of number: UInt64) {
        runningCount -= 1
        if probe == .running(number: number) { probe = .needed }
    }

    /// What a transfer came to; before its end, or not at all.
    mutating func note(_ outcome: TransferOutcome, of number: UInt64, _ clock: @autoclosure () -> UInt64) {
        let isProbe = probe == .running(number: number)
        noteForBreaker(outcome, isProbe: isProbe, clock())
        switch outcome.kind {
        case .response where outcome.isRefusal: noteRefusal(outcome, of: number, isProbe: isProbe, now: clock())
        case .response:
            if isProbe { endProbe() }
            if number > lastStale { widen() }
            if learned != nil { learned?.noteAccepted(now: clock()) }
            if let hold = outcome.hold { heldUntil = max(heldUntil, clock() + hold) }
        case .connectTimeout:
            if isProbe { endProbe() }
            narrow(for: number)
        case .failure: if isProbe { endProbe() }
        }
    }

    private mutating func noteForBreaker(
        _ outcome: TransferOutcome, isProbe: Bool, _ clock: @autoclosure () -> UInt64
    ) {
        guard let settings = limits.circuitBreaker else { return }
        // While the origin is unavailable, only the transfer counts that was let through.
        if breaker.opensAt != nil, !isProbe { return }
        switch outcome.kind {
        case .response(429): if isProbe { breaker.noteSuccess() }
        case .response(let status) where !settings.statusCodes.contains(status): breaker.noteSuccess()
        case .response, .connectTimeout, .failure:
            if breaker.noteFailure(settings, now: clock()) { probe = .needed }
        }
    }

    private mutating func noteRefusal(_ outcome: TransferOutcome, of number: UInt64, isProbe: Bool, now: UInt64) {
        if let hold = outcome.hold ?? (isProbe ? max(Self.shortestHold, lastHold) : nil) {
            heldUntil = max(heldUntil, now + hold)
            lastHold = hold
            probe = .needed
        }
        guard number > lastStale else { return }
        // The rate that is learned keeps the number of transfers low, and would be missed by less than it.
        if learned?.perSecond == nil || outcome.hold != nil { narrow(for: number) } else { lastStale = lastNumber }
        let isFirst = learned == nil
        if isFirst { learned = LearnedRate(refusedAt: now) }
        if outcome.hold != nil {
            learned?.noteHold(now: now, until: heldUntil)
        } else if !isFirst {
            let isOverload = outcome.kind == .response(status: 503)
            learned?.noteRefusal(now: now, floor: isOverload ? Self.lowestRateOfOverload : Self.lowestRate)
        }
    }

    /// Halves the window, once for all transfers that run.
    private mutating func narrow(for number: UInt64) {
        guard number > lastStale else { return }
        lastStale = lastNumber
        window = max(1, min(window, Double(runningCount)) / 2)
    }

    private mutating func widen() {
        let limit = Double(max(1, limits.maximumConcurrentTransferCount))
        if window < limit { window = min(limit, window + 1 / window) }
    }

    /// The origin answers again, unless its breaker says otherwise: it is opened step by step.
    private mutating func endProbe() {
        guard breaker.opensAt == nil else { return }
        probe = .none
        window = 1
    }
}
