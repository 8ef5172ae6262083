// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// One origin under a governor: its state, and the schedulers that wait for it. All managers with the governor share
/// the origin. Network thread only.
final class GovernedOrigin {
    let origin: Origin
    private let timers: NetworkTimers
    private let backingOff: BackingOffOrigins
    // Unchecked, because an idle governor costs less then (benchmark `limits`). No call on these values re-enters them.
    @exclusivity(unchecked) private var state: OriginState
    @exclusivity(unchecked) private var gate = GovernorGate()
    /// When and why transfers to the origin had to wait.
    private(set) var history = WaitHistory()
    /// The status of the response that asked clients to wait; nil if no response did.
    private var holdStatus: Int?

    init(_ origin: Origin, _ limits: OriginLimits, timers: NetworkTimers, backingOff: BackingOffOrigins) {
        (self.origin, self.timers, self.backingOff) = (origin, timers, backingOff)
        state = OriginState(limits)
    }

    var limits: OriginLimits {
        get { state.limits }
        set {
            guard newValue != state.limits else { return }
            state.limits = newValue
            update()
        }
    }

    /// Whether no scheduler waits for the origin, and the origin has no state.
    var isIdle: Bool { gate.clients.isEmpty && state.isIdle(now: timers.clock.now()) }
}

@available(*, unavailable)
extension GovernedOrigin: Sendable {}

extension GovernedOrigin {
    /// Whether a transfer is known to be allowed; if false, `isOpen(for:)` gives the answer.
    var isKnownToBeOpen: Bool { gate.isOpen }

    /// Returns whether a transfer may begin, or fails at once. If not, the client is notified when that may have
    /// changed.
    func isOpen(for client: any GovernorClient) -> Bool {
        if gate.isOpen { return true }
        let permission = permission
        if case .refused = permission { return true }  // the gate stays closed: the permission changes with time
        if gate.clients.isEmpty, permission.isNow {
            _ = open()
            return true
        }
        // Other operations wait, perhaps of this client, which is in the middle of a call: all are notified together.
        gate.add(client)
        wake(for: permission)
        return false
    }

    /// Begins a transfer and returns its permit. The permit of a transfer that must not be sent has a refusal.
    func begin(for client: any GovernorClient) -> GovernorPermit {
        if !gate.isOpen, let refusal = refusal(for: permission) { return GovernorPermit(self, refused: refusal) }
        gate.recordLastStarter(client)
        let before = EventChannels.want(.governorChanged) ? GovernorFacts(state) : nil
        let number = state.recordBegin(timers.clock.now())
        if let before { reportChanges(since: before) }
        if !permission.isNow { close() }
        return GovernorPermit(self, number: number)
    }

    /// Continues a transfer that was paused in place. It has waited like new transfers, but continues where they fail,
    /// because its request was already sent.
    func continueTransfer() -> GovernorPermit {
        let number = state.recordContinuation()
        update()
        return GovernorPermit(self, number: number)
    }

    func end(_ number: UInt64, isUnused: Bool) {
        state.recordEnd(of: number)
        if isUnused { state.giveBack() }
        update()
    }

    func record(_ outcome: TransferOutcome, of number: UInt64) {
        let before = GovernorFacts(state)
        state.record(outcome, of: number, timers.clock.now())
        if state.mayBeBackingOff { backingOff.add(origin) }
        if state.backOff.until > before.backOffEnd {
            holdStatus = outcome.status
            reportBackOff()
        }
        if EventChannels.want(.governorChanged) { reportChanges(since: before) }
        update()
    }

    /// Starts a back-off of `time` nanoseconds as if the origin's server had asked for it.
    func startBackOff(for time: UInt64) {
        state.startBackOff(for: time, now: timers.clock.now())
        backingOff.add(origin)
        update()
    }

    private func reportChanges(since before: GovernorFacts) {
        let after = GovernorFacts(state)
        if after != before { report(from: before, to: after, holdStatus: holdStatus) }
    }

    private func reportBackOff() {
        let now = timers.clock.now()
        if state.backOff.until > now { backingOff.onBackOff?(origin, state.backOff.until - now) }
    }

    /// Forgets refusals and failures.
    func reset() {
        state.reset()
        update()
    }

    private var permission: OriginState.Permission { state.permission(at: timers.clock.now()) }

    /// Updates the gate after a change: closes it, or opens it for waiting clients.
    private func update() {
        if !gate.isOpen { look() } else if !permission.isNow { close() }
    }

    /// Closes the gate.
    private func close() {
        gate.close()
        history.record(permission.waitKind, now: MonotonicClock.now())
    }

    /// Opens the gate.
    ///
    /// - Returns: the clients to notify, in this order.
    private func open() -> [any GovernorClient] {
        if !history.isEmpty { history.record(nil, now: MonotonicClock.now()) }
        return gate.open(timers)
    }

    /// Opens the gate, or schedules another look if clients wait and a later time may help.
    private func look() {
        let permission = permission
        switch permission {
        case .now: tell(open())
        case .refused:
            let clients = open()
            close()
            tell(clients)  // waiting operations pass the gate and fail
        case .notBefore, .whenOneEnds:
            history.record(permission.waitKind, now: MonotonicClock.now())
            if !gate.clients.isEmpty { wake(for: permission) }
        }
    }

    private func tell(_ clients: [any GovernorClient]) {
        for client in clients { client.originDidOpen(origin) }
    }

    private func wake(for permission: OriginState.Permission) {
        let instant: UInt64
        switch permission {
        case .now, .refused: instant = timers.clock.now()
        case .notBefore(let opensAt, _): instant = opensAt
        case .whenOneEnds: return
        }
        gate.wake(at: instant, timers) { [weak self] in
            self?.gate.timerDidFire()
            self?.look()
        }
    }
}

extension OriginState.Permission {
    /// Whether a transfer may begin and be sent.
    fileprivate var isNow: Bool { if case .now = self { true } else { false } }

    /// The kind of wait of an operation; nil if a transfer may begin, or fails at once.
    fileprivate var waitKind: WaitReason.Kind? {
        switch self {
        case .now, .refused: nil
        case .notBefore(_, .rate): .rate
        case .notBefore: .hold
        case .whenOneEnds(.probe): .breaker
        case .whenOneEnds: .originSlot
        }
    }
}

// MARK: - Messages and status

extension GovernedOrigin {
    /// Why a transfer has to wait; nil if it does not.
    var waitReason: WaitReason? {
        switch permission {
        case .now, .refused: nil
        case .notBefore(let instant, .rate(let perSecond)):
            .rate(origin: "\(origin)", perSecond: perSecond, until: date(instant))
        case .notBefore(let instant, _): .hold(origin: "\(origin)", until: date(instant), status: holdStatus)
        case .whenOneEnds(.probe): .breaker(origin: "\(origin)", until: nil)
        case .whenOneEnds: .originSlot(origin: "\(origin)", limit: Int(state.window), isGovernors: true)
        }
    }

    /// Whether no transfer begins because the server asked clients to wait, or because the origin is unavailable.
    var isBackingOffOrUnavailable: Bool {
        switch permission {
        case .notBefore(_, .backOff), .refused: true
        case .now, .notBefore, .whenOneEnds: false
        }
    }

    /// Returns why a transfer must not be sent; nil if it may be sent.
    private func refusal(for permission: OriginState.Permission) -> TransferRefusal? {
        switch permission {
        case .now: nil
        case .refused(let instant, .breaker):
            TransferRefusal(
                error: refusal(
                    .originUnavailable,
                    "has failed \(limits.circuitBreaker?.failureCount ?? 1) times in a row; "
                        + "the next attempt is at", instant), end: nil)
        // The last three cases occur only if time has passed since a refusal.
        case .refused(let instant, _), .notBefore(let instant, _): tooLong(until: instant)
        case .whenOneEnds: tooLong(until: timers.clock.now())
        }
    }

    private func tooLong(until instant: UInt64) -> TransferRefusal {
        let sentence = "asked for no request before"
        return TransferRefusal(
            error: refusal(.retryAfterTooLong, sentence, instant), end: state.backOff.mayBeWaitedFor ? instant : nil)
    }

    private func refusal(_ code: NetworkingError.Code, _ sentence: String, _ instant: UInt64) -> NetworkingError {
        let subject = code == .originUnavailable ? "\(origin)" : "the server of \(origin)"
        var error = NetworkingError(code, "not sent, because \(subject) \(sentence) \(text(instant))")
        error.retryDate = date(instant)
        return error
    }

    /// The current status of the origin.
    var status: OriginStatus {
        var status = OriginStatus(origin: "\(origin)")
        switch permission {
        case .notBefore(let instant, .backOff): status.heldUntil = date(instant)
        case .refused(let instant, let reason):
            status.heldUntil = date(instant)
            status.isUnavailable = reason == .breaker
        case .now, .notBefore, .whenOneEnds: break
        }
        status.runningCount = state.runningCount
        status.waitingCount = gate.clients.reduce(0) { $0 + $1.waitingCount(for: origin) }
        status.transferLimit = Int(state.window)
        status.learnedRate = state.learned?.perSecond
        return status
    }

    var date: Date { timers.clock.date() }

    func date(_ instant: UInt64) -> Date {
        let now = timers.clock.now()
        let distance = instant > now ? Double(instant - now) / 1e9 : 0
        return timers.clock.date().addingTimeInterval(distance)
    }

    private func text(_ instant: UInt64) -> String { Self.text(date(instant)) }

    /// Formats a date for a message.
    static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
