// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// One origin under a governor: its state, and the schedulers that wait for it. All managers with the governor share
/// it. Network thread only.
final class GovernedOrigin {
    let origin: Origin
    private let timers: RetryWaits
    // Benchmark `limits`: unchecked, an idle governor costs less. Nothing that these values call comes back to them.
    @exclusivity(unchecked) private var state: OriginState
    @exclusivity(unchecked) private var gate = GovernorGate()

    init(_ origin: Origin, _ limits: OriginLimits, timers: RetryWaits) {
        (self.origin, self.timers) = (origin, timers)
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

    /// Whether nobody waits for it, and nothing is known of it.
    var isIdle: Bool { state.isIdle && gate.clients.isEmpty }
}

@available(*, unavailable)
extension GovernedOrigin: Sendable {}

extension GovernedOrigin {
    /// Whether nothing is in the way of a transfer; when it is not known, `isOpen(for:)` has to be asked.
    var isKnownToBeOpen: Bool { gate.isOpen }

    /// Whether a transfer may begin. A client that gets no is told when the answer may be another one.
    func isOpen(for client: any GovernorClient) -> Bool {
        if gate.isOpen { return true }
        let permission = permission
        if gate.clients.isEmpty, !permission.isClosed {
            _ = gate.open(timers)
            return true
        }
        // Others wait, perhaps of the client that asks, which is in the middle of something: all are told together.
        gate.add(client)
        wake(for: permission)
        return false
    }

    /// A transfer takes its place.
    func begin(for client: any GovernorClient) -> GovernorPlace {
        if case .refused = permission { return GovernorPlace(governed: self, number: 0) }
        gate.noteTaker(client)
        let number = state.noteBegin(timers.clock.now())
        if permission.isClosed { gate.close() }
        return GovernorPlace(governed: self, number: number)
    }

    fileprivate func end(_ number: UInt64, isUnused: Bool) {
        state.noteEnd(of: number)
        if isUnused { state.giveBack() }
        update()
    }

    fileprivate func giveBack() {
        state.giveBack()
        update()
    }

    fileprivate func note(_ outcome: TransferOutcome, of number: UInt64) {
        state.note(outcome, of: number, timers.clock.now())
        update()
    }

    private var permission: OriginState.Permission { state.mayBegin(timers.clock.now()) }

    /// Something has changed: the gate may have to be closed, or opened for those who wait.
    private func update() {
        if !gate.isOpen { look() } else if permission.isClosed { gate.close() }
    }

    /// Opens the gate, or has it looked at again when somebody waits and that may help.
    private func look() {
        let permission = permission
        guard permission.isClosed else {
            for client in gate.open(timers) { client.mayBeginAgain(to: origin) }
            return
        }
        if !gate.clients.isEmpty { wake(for: permission) }
    }

    private func wake(for permission: OriginState.Permission) {
        let instant: UInt64
        switch permission {
        case .now, .refused: instant = timers.clock.now()
        case .notBefore(let opensAt, _): instant = opensAt
        case .whenOneEnds: return
        }
        gate.wake(at: instant, timers) { [weak self] in
            self?.gate.noteWake()
            self?.look()
        }
    }
}

extension OriginState.Permission {
    /// Whether what wants to begin has to wait.
    fileprivate var isClosed: Bool {
        switch self {
        case .now, .refused: false
        case .notBefore, .whenOneEnds: true
        }
    }
}

// MARK: - What it says

extension GovernedOrigin {
    /// Why a transfer has to wait; nil when it need not.
    var obstacle: String? {
        switch permission {
        case .now, .refused: nil
        case .notBefore(let instant, .rate(let perSecond)):
            "the rate of \(origin) is limited to \(Self.text(perSecond)), and the next request may begin at "
                + text(instant)
        case .notBefore(let instant, _): "\(origin) is held until \(text(instant)), as its server has asked"
        case .whenOneEnds(.probe): "one request tries whether \(origin) answers again"
        case .whenOneEnds: "the governor lets no more than \(Int(state.window)) at once run to \(origin)"
        }
    }

    /// The error of a transfer that is refused; nil when it need not be.
    var refusal: NetworkingError? {
        guard case .refused(let instant, let reason) = permission else { return nil }
        var error =
            reason == .breaker
            ? NetworkingError(
                .originUnavailable,
                "not sent, because \(origin) has failed \(limits.circuitBreaker?.failureCount ?? 1) times in a row; "
                    + "it is tried again at \(text(instant))")
            : NetworkingError(
                .retryAfterTooLong,
                "not sent, because the server of \(origin) wants to be asked again not before \(text(instant))")
        error.retryDate = date(instant)
        return error
    }

    /// What there is to know of it at this moment.
    var status: OriginStatus {
        var status = OriginStatus(origin: "\(origin)")
        switch permission {
        case .notBefore(let instant, .hold): status.heldUntil = date(instant)
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

    fileprivate var date: Date { timers.clock.date() }

    private func date(_ instant: UInt64) -> Date {
        let now = timers.clock.now()
        let distance = instant > now ? Double(instant - now) / 1e9 : 0
        return timers.clock.date().addingTimeInterval(distance)
    }

    private func text(_ instant: UInt64) -> String { Self.text(date(instant)) }

    /// A date as a sentence has it.
    static func text(_ date: Date) -> String { date.formatted(.iso8601) }

    /// `200/s`, `0.5/s`.
    private static func text(_ perSecond: Double) -> String {
        let digits = perSecond < 9.95 ? 1 : 0
        return String(format: "%.\(digits)f", perSecond) + "/s"
    }
}

/// The place of one transfer among those to its origin. Network thread only.
struct GovernorPlace {
    fileprivate let governed: GovernedOrigin
    /// 0 when the transfer is refused, and counts for nothing.
    fileprivate let number: UInt64

    var isRefused: Bool { number == 0 }

    /// Why the transfer must not be sent; nil when it may be.
    var refusal: NetworkingError? { number == 0 ? governed.refusal : nil }

    /// The place is free again.
    ///
    /// - Parameter isUnused: whether nothing was sent.
    func leave(isUnused: Bool) { if number != 0 { governed.end(number, isUnused: isUnused) } }

    /// The place is for a transfer that goes on: it counts as one that runs, and not as one that begins.
    func keepRate() { if number != 0 { governed.giveBack() } }

    func note(_ outcome: TransferOutcome) { if number != 0 { governed.note(outcome, of: number) } }
}

@available(*, unavailable)
extension GovernorPlace: Sendable {}

extension GovernorPlace {
    /// The head of a response has come.
    func note(_ head: ResponseHead) {
        var outcome = TransferOutcome(kind: .response(status: head.statusCode))
        if outcome.isRefusal || head.headers.mayTellRateLimit {
            let hint =
                outcome.isRefusal
                ? RetryHint(in: head.headers, now: governed.date)
                : RetryHint(ofAccepted: head.headers, now: governed.date)
            if let hint, hint.seconds > 0 { outcome.hold = UInt64(min(hint.seconds, Self.longestHold) * 1e9) }
        }
        note(outcome)
    }

    /// The transfer has ended without a response.
    func note(_ error: NetworkingError) {
        if error.code == .timedOut, error.timeLimit == .connect { return note(TransferOutcome(kind: .connectTimeout)) }
        let isTotal = error.code == .timedOut && error.timeLimit == .total
        if Self.failures.contains(error.code), !isTotal { note(TransferOutcome(kind: .failure)) }
    }

    private static let failures: Set<NetworkingError.Code> = [
        .cannotFindHost, .cannotConnect, .timedOut, .connectionLost, .secureConnectionFailed, .badServerResponse,
    ]
    /// Some thirty years.
    private static let longestHold = 1e9
}
