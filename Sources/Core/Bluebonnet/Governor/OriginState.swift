// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The outcome of a transfer, as far as it shows how much load the origin can take.
struct TransferOutcome: Equatable {
    enum Kind: Equatable {
        case response(status: Int)
        /// No connection was established within the connect timeout.
        case connectTimeout
        /// The transfer ended without a response.
        case failure
    }

    var kind: Kind
    /// How long the server asks clients to wait, in nanoseconds; nil if the response does not say.
    var hold: UInt64?

    /// Whether the server refused the request because of too many requests: status 429 or 503.
    var isRefusal: Bool { kind == .response(status: 429) || kind == .response(status: 503) }

    /// Whether the outcome shows that the origin cannot take its load, or does not answer properly.
    var isTrouble: Bool {
        if case .response(let status) = kind { return hold != nil || status == 429 || status >= 500 }
        return true
    }
}

/// The limits of one origin and their current state: how many transfers may run, at what rate they may begin, and until
/// when the origin is backing off. A value without a clock: instants are nanoseconds of a monotonic clock.
///
/// Transfers are numbered in the order in which they begin. The outcome of a transfer that began before the last
/// restriction does not cause another restriction.
struct OriginState {
    /// Whether another transfer may begin.
    enum Permission: Equatable {
        case now
        case notBefore(UInt64, Reason)
        case whenOneEnds(Reason)
        /// The transfer fails at once: it passes the gate, is not counted, and must not be sent.
        case refused(until: UInt64, Reason)
    }

    enum Reason: Equatable {
        /// The server asked clients to wait, or its limit is exhausted.
        case hold
        case rate(perSecond: Double)
        /// The number of running transfers has reached this limit.
        case window(Int)
        /// A single transfer is probing the origin.
        case probe
        case breaker
    }

    private enum Probe: Equatable {
        case none
        /// The next transfer is the probe and runs alone.
        case needed
        case running(number: UInt64)
    }

    private static let lowestRate = 1.0 / 60
    /// In nanoseconds: the state of an origin is forgotten after this time without transfers.
    private static let memory: UInt64 = 300_000_000_000

    var limits: OriginLimits {
        didSet { limitsChanged(from: oldValue) }
    }
    private(set) var runningCount = 0
    private(set) var lastNumber: UInt64 = 0
    /// The concurrency limit; it grows by one when as many transfers have succeeded.
    private(set) var window: Double
    /// Outcomes of transfers up to this number cause no further restriction.
    private var lastStale: UInt64 = 0
    private(set) var hold = OriginHold()
    private var probe = Probe.none
    private var bucket: RateBucket?
    private(set) var learned: LearnedRate?
    private var breaker = BreakerState()
    /// The last start or failure of a transfer; zero while there is no state to forget.
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

    /// Returns whether the state can be forgotten without a difference.
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

    /// Forgets all refusals and failures. Outcomes of transfers that began earlier do not change the window or the
    /// learned rate.
    mutating func reset() {
        hold.lift()
        (probe, learned, breaker, window) = (.none, nil, BreakerState(), limits.transferLimit)
        (lastStale, lastUse) = (lastNumber, 0)
    }

    /// Whether the origin is backing off or unavailable, or was when the last transfer began.
    var mayBeHeld: Bool { hold.until != 0 || breaker.opensAt != nil }
}

// MARK: - Beginnings

extension OriginState {
    /// Returns whether another transfer may begin. The clock is read only if the answer depends on it.
    @inline(__always)  // benchmark `limits`: a call would copy the state
    func mayBegin(_ clock: @autoclosure () -> UInt64) -> Permission {
        if needsClock { return mayBegin(at: clock()) }
        if probe == .none { return hasRoom ? .now : .whenOneEnds(.window(Int(window))) }
        return mayBegin(at: 0)
    }

    private var needsClock: Bool { hold.until != 0 || breaker.opensAt != nil || hasRate }

    /// Whether transfers have a configured or a learned rate. A comparison with nil would copy the rates (benchmark
    /// `limits`).
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

    /// Records the start of a transfer that may begin now.
    ///
    /// - Returns: the transfer's number.
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

    /// Records that a transfer that was paused in place continues. It counts as running, whatever limits apply to new
    /// transfers.
    ///
    /// - Returns: the transfer's new number.
    mutating func noteContinuation() -> UInt64 {
        runningCount += 1
        lastNumber += 1
        return lastNumber
    }

    /// Returns the tokens of a transfer to the rate limits, because nothing of the transfer was sent.
    mutating func giveBack() {
        bucket?.giveBack()
        learned?.giveBack()
    }
}

// MARK: - Ends

extension OriginState {
    /// Records the end of a transfer, whatever its outcome.
    mutating func noteEnd(of number: UInt64) {
        runningCount -= 1
        if probe == .running(number: number) { probe = .needed }
    }

    /// Records the outcome of a transfer. Called before the transfer's end, or not at all.
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

    /// Starts a back-off of `time` nanoseconds, because the server asked another client to wait.
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
        // While the origin is unavailable, only the probe counts.
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
        // A 503 without a time to wait means overload, not a rate limit: only the window reacts.
        if outcome.hold == nil, outcome.kind != .response(status: 429) { return narrow(for: number) }
        // The learned rate already limits the number of transfers, and a smaller window could keep them below that
        // rate.
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

    /// Halves the window, once for all running transfers.
    private mutating func narrow(for number: UInt64) {
        guard number > lastStale else { return }
        lastStale = lastNumber
        window = max(1, min(window, Double(runningCount)) / 2)
    }

    private mutating func widen() {
        let limit = limits.transferLimit
        if window < limit { window = min(limit, window + 1 / window) }
    }

    /// Ends the probe, unless the breaker keeps the origin unavailable. The window starts at one and grows again.
    private mutating func endProbe() {
        guard breaker.opensAt == nil else { return }
        probe = .none
        window = 1
        hold.lift()
    }
}
