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
    var backOff: UInt64?

    /// The status of the response; nil without a response.
    var status: Int? { if case .response(let status) = kind { status } else { nil } }

    /// Whether the server refused the request because of too many requests: status 429 or 503.
    var isRefusal: Bool { kind == .response(status: 429) || kind == .response(status: 503) }

    /// Whether the outcome shows that the origin cannot take its load, or does not answer properly.
    var isTrouble: Bool {
        if case .response(let status) = kind { return backOff != nil || status == 429 || status >= 500 }
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
        case backOff
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
    private var lastRestrictedNumber: UInt64 = 0
    private(set) var backOff = OriginBackOff()
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
        runningCount == 0 && backOff.until <= now && bucket?.isPaid(now: now) != false && (isFresh || isOld(now: now))
    }

    /// Whether no refusal or failure has left a trace.
    private var isFresh: Bool {
        probe == .none && learned == nil && breaker == BreakerState() && window >= limits.transferLimit
    }

    private func isOld(now: UInt64) -> Bool {
        let end = max(lastUse, backOff.until, breaker.opensAt ?? 0, learned?.opensAt ?? 0)
        return runningCount == 0 && lastUse != 0 && now > end && now - end > Self.memory
    }

    /// Forgets all refusals and failures. Outcomes of transfers that began earlier do not change the window or the
    /// learned rate.
    mutating func reset() {
        backOff.lift()
        (probe, learned, breaker, window) = (.none, nil, BreakerState(), limits.transferLimit)
        (lastRestrictedNumber, lastUse) = (lastNumber, 0)
    }

    /// When the origin is tried again after its breaker has opened; nil while the origin is available.
    var breakerEnd: UInt64? { breaker.opensAt }
    /// Whether a single transfer is trying whether an unavailable origin answers again.
    var isProbing: Bool { if case .running = probe { breaker.opensAt != nil } else { false } }

    /// Whether the origin is backing off or unavailable, or was when the last transfer began.
    var mayBeBackingOff: Bool { backOff.until != 0 || breaker.opensAt != nil }
}

// MARK: - Beginnings

extension OriginState {
    /// Returns whether another transfer may begin. The clock is read only if the answer depends on it.
    @inline(__always)  // benchmark `limits`: a call would copy the state
    func permission(at clock: @autoclosure () -> UInt64) -> Permission {
        if needsClock { return timedPermission(at: clock()) }
        if probe == .none { return hasRoom ? .now : .whenOneEnds(.window(Int(window))) }
        return timedPermission(at: 0)
    }

    private var needsClock: Bool { backOff.until != 0 || breaker.opensAt != nil || hasRate }

    /// Whether transfers have a configured or a learned rate. A comparison with nil would copy the rates (benchmark
    /// `limits`).
    private var hasRate: Bool {
        if case .some = bucket { return true }
        if case .some = learned { return true }
        return false
    }

    private var hasRoom: Bool { runningCount < Int(window) }

    private func timedPermission(at now: UInt64) -> Permission {
        if let opensAt = breaker.opensAt, now < opensAt { return .refused(until: opensAt, .breaker) }
        let isTrial = probe == .needed && backOff.allowsTrial(limits.maximumHold, now: now)
        if now < backOff.until, !isTrial {
            let isTooLong = backOff.isTooLong(limits.maximumHold, now: now)
            return isTooLong ? .refused(until: backOff.until, .backOff) : .notBefore(backOff.until, .backOff)
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
    mutating func recordBegin(_ clock: @autoclosure () -> UInt64) -> UInt64 {
        let needsClock = hasRate || backOff.until != 0 || lastUse != 0
        let now = needsClock ? clock() : 0
        if lastUse != 0 {
            if isOld(now: now) { reset() }
            lastUse = isFresh ? 0 : now
        }
        runningCount += 1
        lastNumber += 1
        if probe == .needed { probe = .running(number: lastNumber) }
        guard needsClock else { return lastNumber }
        backOff.recordBegin(now: now)
        if learned?.isForgotten(now: now) == true { learned = nil }
        bucket?.consume(now: now)
        learned?.recordBegin(now: now)
        return lastNumber
    }

    /// Records that a transfer that was paused in place continues. It counts as running, whatever limits apply to new
    /// transfers.
    ///
    /// - Returns: the transfer's new number.
    mutating func recordContinuation() -> UInt64 {
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
    mutating func recordEnd(of number: UInt64) {
        runningCount -= 1
        if probe == .running(number: number) { probe = .needed }
    }

    /// Records the outcome of a transfer. Called before the transfer's end, or not at all.
    mutating func record(_ outcome: TransferOutcome, of number: UInt64, _ clock: @autoclosure () -> UInt64) {
        let isProbe = probe == .running(number: number)
        if outcome.isTrouble { lastUse = clock() }
        recordForBreaker(outcome, isProbe: isProbe, clock())
        switch outcome.kind {
        case .response where outcome.isRefusal: recordRefusal(outcome, of: number, isProbe: isProbe, now: clock())
        case .response:
            if isProbe { endProbe() }
            if isProbe || number > lastRestrictedNumber { backOff.recordSuccess() }
            if number > lastRestrictedNumber { widen() }
            if hasRate { learned?.recordAccepted(now: clock(), isStale: number <= lastRestrictedNumber) }
            if let time = outcome.backOff { recordUsedUp(for: time, now: clock()) }
        case .connectTimeout:
            if isProbe, backOff.until == 0 { endProbe() }
            narrow(for: number)
        case .failure: if isProbe, backOff.until == 0 { endProbe() }
        }
    }

    /// Starts a back-off of `time` nanoseconds, because the server asked another client to wait.
    mutating func startBackOff(for time: UInt64, now: UInt64) {
        lastUse = now
        guard backOff.recordRefusal(for: time, isProbe: false, limits.maximumHold, now: now), probe == .none else {
            return
        }
        probe = .needed
    }

    private mutating func recordUsedUp(for time: UInt64, now: UInt64) {
        backOff.recordUsedUp(for: time, now: now)
        if probe == .none, backOff.isTooLong(limits.maximumHold, now: now) { probe = .needed }
    }

    private mutating func recordForBreaker(
        _ outcome: TransferOutcome, isProbe: Bool, _ clock: @autoclosure () -> UInt64
    ) {
        guard let settings = limits.circuitBreaker else { return }
        // While the origin is unavailable, only the probe counts.
        if breaker.opensAt != nil, !isProbe { return }
        switch outcome.kind {
        case .response(429): if isProbe { breaker.recordSuccess() }
        case .response(let status) where !settings.statusCodes.contains(status): breaker.recordSuccess()
        case .response, .connectTimeout, .failure:
            if breaker.recordFailure(settings, now: clock()) { probe = .needed }
        }
    }

    private mutating func recordRefusal(_ outcome: TransferOutcome, of number: UInt64, isProbe: Bool, now: UInt64) {
        if backOff.recordRefusal(for: outcome.backOff, isProbe: isProbe, limits.maximumHold, now: now) {
            probe = .needed
        }
        guard number > lastRestrictedNumber else { return }
        learned?.countRefusal()
        // A 503 without a time to wait means overload, not a rate limit: only the window reacts.
        if outcome.backOff == nil, outcome.kind != .response(status: 429) { return narrow(for: number) }
        // The learned rate already limits the number of transfers, and a smaller window could keep them below that
        // rate.
        if learned?.perSecond == nil || outcome.backOff != nil {
            narrow(for: number)
        } else {
            lastRestrictedNumber = lastNumber
        }
        guard learned != nil else {
            learned = LearnedRate(refusedAt: now)
            if outcome.backOff != nil { learned?.recordBackOff(now: now, until: backOff.until) }
            return
        }
        if outcome.backOff != nil {
            learned?.recordBackOff(now: now, until: backOff.until)
        } else {
            learned?.recordRefusal(now: now, floor: Self.lowestRate)
        }
    }

    /// Halves the window, once for all running transfers.
    private mutating func narrow(for number: UInt64) {
        guard number > lastRestrictedNumber else { return }
        lastRestrictedNumber = lastNumber
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
        backOff.lift()
    }
}
