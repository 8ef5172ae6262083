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

    /// Whether it says that the origin can bear less than it gets, or does not answer well.
    var isTrouble: Bool {
        if case .response(let status) = kind { return hold != nil || status == 429 || status >= 500 }
        return true
    }
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

    private static let lowestRate = 1.0 / 60
    /// What is known of an origin to which no transfer has gone for so long is forgotten.
    private static let memory: UInt64 = 300_000_000_000

    var limits: OriginLimits {
        didSet { limitsChanged(from: oldValue) }
    }
    private(set) var runningCount = 0
    private(set) var lastNumber: UInt64 = 0
    /// How many transfers may run; it grows by one when as many have succeeded.
    private(set) var window: Double
    /// Transfers up to this number are no reason for another change for the worse.
    private var lastStale: UInt64 = 0
    private(set) var hold = OriginHold()
    private var probe = Probe.none
    private var bucket: RateBucket?
    private(set) var learned: LearnedRate?
    private var breaker = BreakerState()
    /// The last beginning or failure; zero while there is nothing that could be forgotten.
    private var lastUse: UInt64 = 0

    init(_ limits: OriginLimits) {
        self.limits = limits
        window = limits.transferLimit
        bucket = limits.rateLimit.map { RateBucket($0) }
    }

    private mutating func limitsChanged(from old: OriginLimits) {
        let isFullyOpen = window >= old.transferLimit
        window = isFullyOpen ? limits.transferLimit : min(window, limits.transferLimit)
        if limits.rateLimit != old.rateLimit { bucket = limits.rateLimit.map { RateBucket($0) } }
        if limits.circuitBreaker == nil { breaker = BreakerState() }
    }

    /// Whether nothing of it would be missed.
    func isIdle(now: UInt64) -> Bool {
        runningCount == 0 && hold.until <= now && bucket?.isPaid(now: now) != false && (isFresh || isOld(now: now))
    }

    /// Whether no refusal or failure has left a trace.
    private var isFresh: Bool {
        probe == .none && learned == nil && breaker == BreakerState() && window >= limits.transferLimit
    }

    private func isOld(now: UInt64) -> Bool {
        let end = max(lastUse, hold.until, breaker.opensAt ?? 0, learned?.opensAt ?? 0)
        return runningCount == 0 && lastUse != 0 && now > end && now - end > Self.memory
    }

    /// Forgets what refusals and failures have shown. What transfers tell that have begun before is no reason to change
    /// anything.
    mutating func reset() {
        hold.lift()
        (probe, learned, breaker, window) = (.none, nil, BreakerState(), limits.transferLimit)
        (lastStale, lastUse) = (lastNumber, 0)
    }

    /// Whether the origin is held or unavailable, or was when the last transfer began.
    var mayBeHeld: Bool { hold.until != 0 || breaker.opensAt != nil }
}

// MARK: - Beginnings

extension OriginState {
    /// Whether another transfer may begin. The clock is read only where it matters.
    @inline(__always)  // benchmark `limits`: a call would copy the state
    func mayBegin(_ clock: @autoclosure () -> UInt64) -> Permission {
        if needsClock { return mayBegin(at: clock()) }
        if probe == .none { return hasRoom ? .now : .whenOneEnds(.window(Int(window))) }
        return mayBegin(at: 0)
    }

    private var needsClock: Bool { hold.until != 0 || breaker.opensAt != nil || hasRate }

    /// Without a comparison with nil, which would copy the rates (benchmark `limits`).
    private var hasRate: Bool {
        if case .some = bucket { return true }
        if case .some = learned { return true }
        return false
    }

    private var hasRoom: Bool { runningCount < Int(window) }

    private func mayBegin(at now: UInt64) -> Permission {
        if let opensAt = breaker.opensAt, now < opensAt { return .refused(until: opensAt, .breaker) }
        let isTrial = probe == .needed && hold.allowsTrial(limits.maximumHold, now: now)
        if now < hold.until, !isTrial {
            let isTooLong = hold.isTooLong(limits.maximumHold, now: now)
            return isTooLong ? .refused(until: hold.until, .hold) : .notBefore(hold.until, .hold)
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
        let needsClock = hasRate || hold.until != 0 || lastUse != 0
        let now = needsClock ? clock() : 0
        if lastUse != 0 {
            if isOld(now: now) { reset() }
            lastUse = isFresh ? 0 : now
        }
        runningCount += 1
        lastNumber += 1
        if probe == .needed { probe = .running(number: lastNumber) }
        guard needsClock else { return lastNumber }
        hold.noteBegin(now: now)
        if learned?.isForgotten(now: now) == true { learned = nil }
        bucket?.take(now: now)
        learned?.noteBegin(now: now)
        return lastNumber
    }

    /// A transfer that was paused in place goes on: it takes a place, whatever holds back those that begin.
    ///
    /// - Returns: its new number.
    mutating func noteContinuation() -> UInt64 {
        runningCount += 1
        lastNumber += 1
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
        if outcome.isTrouble { lastUse = clock() }
        noteForBreaker(outcome, isProbe: isProbe, clock())
        switch outcome.kind {
        case .response where outcome.isRefusal: noteRefusal(outcome, of: number, isProbe: isProbe, now: clock())
        case .response:
            if isProbe { endProbe() }
            if isProbe || number > lastStale { hold.noteSuccess() }
            if number > lastStale { widen() }
            if hasRate { learned?.noteAccepted(now: clock(), isStale: number <= lastStale) }
            if let time = outcome.hold { noteUsedUp(for: time, now: clock()) }
        case .connectTimeout:
            if isProbe, hold.until == 0 { endProbe() }
            narrow(for: number)
        case .failure: if isProbe, hold.until == 0 { endProbe() }
        }
    }

    /// The server has asked somebody else for patience, who tells of that.
    mutating func hold(for time: UInt64, now: UInt64) {
        lastUse = now
        guard hold.noteRefusal(for: time, isProbe: false, limits.maximumHold, now: now), probe == .none else { return }
        probe = .needed
    }

    private mutating func noteUsedUp(for time: UInt64, now: UInt64) {
        hold.noteUsedUp(for: time, now: now)
        if probe == .none, hold.isTooLong(limits.maximumHold, now: now) { probe = .needed }
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
        if hold.noteRefusal(for: outcome.hold, isProbe: isProbe, limits.maximumHold, now: now) { probe = .needed }
        guard number > lastStale else { return }
        learned?.countRefusal()
        // An overloaded server has no rate: a 503 that does not say for how long is left to the window.
        if outcome.hold == nil, outcome.kind != .response(status: 429) { return narrow(for: number) }
        // The rate that is learned keeps the number of transfers low, and would be missed by less than it.
        if learned?.perSecond == nil || outcome.hold != nil { narrow(for: number) } else { lastStale = lastNumber }
        guard learned != nil else {
            learned = LearnedRate(refusedAt: now)
            if outcome.hold != nil { learned?.noteHold(now: now, until: hold.until) }
            return
        }
        if outcome.hold != nil {
            learned?.noteHold(now: now, until: hold.until)
        } else {
            learned?.noteRefusal(now: now, floor: Self.lowestRate)
        }
    }

    /// Halves the window, once for all transfers that run.
    private mutating func narrow(for number: UInt64) {
        guard number > lastStale else { return }
        lastStale = lastNumber
        window = max(1, min(window, Double(runningCount)) / 2)
    }

    private mutating func widen() {
        let limit = limits.transferLimit
        if window < limit { window = min(limit, window + 1 / window) }
    }

    /// The origin answers again, unless its breaker says otherwise: it is opened step by step.
    private mutating func endProbe() {
        guard breaker.opensAt == nil else { return }
        probe = .none
        window = 1
        hold.lift()
    }
}
