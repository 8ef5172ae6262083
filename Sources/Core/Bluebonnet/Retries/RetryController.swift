// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Records the attempts of one operation with a retry policy, and decides after each failed attempt whether and when
/// the request is retried.
///
/// Belongs to the operation's runner; network thread only. The controller sends nothing, waits for nothing and calls no
/// block.
final class RetryController {
    /// The decision after a failed attempt.
    enum Verdict {
        /// The next attempt begins at this instant of the clock.
        case wait(until: UInt64)
        /// No attempt follows.
        case end
        /// The retry block decides.
        indirect case ask(Question)
    }

    /// A failed attempt that the retry block decides about.
    struct Question: Sendable {
        let proposal: RetryProposal
        /// The error of the attempt; nil if a response was refused.
        let error: NetworkingError?
        fileprivate let decision: RetryDecision
        fileprivate let failed: FailedAttempt
    }

    let policy: RetryPolicy
    private let waits: RetryWaits
    private var clock: TimeSource { waits.clock }
    /// The failed attempts that were followed by another attempt.
    private(set) var retries: [RetriedAttempt] = []
    /// The attempt that failed last, until the next attempt begins.
    private var lastFailed: RetriedAttempt?
    /// Why no attempt follows; nil while another attempt is possible.
    private(set) var stop: RetryStop?
    private var firstBegan: UInt64?
    /// When the current attempt began; nil between attempts.
    private var began: UInt64?
    /// The origin of the last transfer of the first attempt.
    private var lastOrigin: Origin?
    private var waitBegan: UInt64?
    private var elapsedBeforeWait: UInt64 = 0
    private var pauseBegan: UInt64?
    private var pausedTime: UInt64 = 0
    /// When the governor first refused a transfer since the last transfer that was sent.
    private var refusedAt: UInt64?
    /// The origin whose transfer the governor has refused last.
    private var refusedBy: Origin?
    /// The last decision, for events.
    private(set) var lastVerdict: RequestEvent.RetryVerdict?

    init(_ policy: RetryPolicy, _ waits: RetryWaits) { (self.policy, self.waits) = (policy, waits) }

    /// The number of the current or last attempt, starting at 1.
    var number: Int { retries.count + 1 }

    /// Whether a failure of the current attempt ends the operation.
    var isLastAttempt: Bool { number >= policy.maximumAttemptCount }

    /// Records the beginning of a transfer. In the first attempt, the first transfer to an origin adds to the origin's
    /// budget.
    ///
    /// - Returns: whether the budget was increased.
    @discardableResult func recordTransfer(to origin: Origin) -> Bool {
        if began == nil { beginAttempt() }
        guard retries.isEmpty, lastOrigin != origin else { return false }
        lastOrigin = origin
        waits.recordRequest(to: origin)
        return true
    }

    private func beginAttempt() {
        let now = clock.now()
        (began, refusedAt) = (now, nil)
        if let lastFailed = lastFailed.take() { retries.append(lastFailed) }
        if firstBegan == nil { (firstBegan, pausedTime) = (now, 0) }
    }

    /// Whether the operation waits for its next attempt after a failed attempt.
    var isBackingOff: Bool { waitBegan != nil }

    /// Returns what the operation waits for between two attempts, or after a refusal of the governor.
    func waitReason(until instant: UInt64) -> WaitReason {
        let now = clock.now()
        let date = clock.date().addingTimeInterval(instant > now ? Double(instant - now) / 1e9 : 0)
        guard !isBackingOff, let refusedBy else {
            return .backoff(attempt: lastFailed == nil ? number : number + 1, until: date)
        }
        return .hold(origin: "\(refusedBy)", until: date, status: nil)
    }

    func pause() { pauseBegan = pauseBegan ?? clock.now() }

    func resume() {
        guard let began = pauseBegan.take() else { return }
        pausedTime += clock.now() - began
    }

    /// Nanoseconds since the first attempt began, excluding pauses.
    var elapsed: UInt64 {
        guard let firstBegan else { return 0 }
        let now = clock.now()
        let notCounted = firstBegan + pausedTime + (pauseBegan.map { now - $0 } ?? 0)
        return now > notCounted ? now - notCounted : 0
    }

    func decision(on failed: FailedAttempt) -> RetryDecision {
        policy.decision(on: failed, random: clock.random(), date: clock.date())
    }

    /// Decides what follows a failed attempt.
    ///
    /// - Parameters:
    ///   - error: the error of the attempt, or the error that represents the refused response.
    ///   - isResponse: whether a response was refused.
    ///   - origin: the destination of the next transfer.
    ///   - hasBlock: whether there is a retry block.
    func judge(
        _ failed: FailedAttempt, _ error: NetworkingError, isResponse: Bool, to origin: Origin?, timeLeft: UInt64?,
        hasBlock: Bool
    ) -> Verdict {
        let failed = timed(failed, timeLeft)
        let decision = decision(on: failed)
        guard hasBlock, failed.isForBlock, !isLastAttempt else { return settle(decision, failed, to: origin) }
        return .ask(
            Question(
                proposal: RetryProposal(failed, error, decision), error: isResponse ? nil : error, decision: decision,
                failed: failed))
    }

    /// Applies the answer of the retry block.
    func judge(_ answer: RetryAnswer, to question: Question, to origin: Origin?, timeLeft: UInt64?) -> Verdict {
        let failed = timed(question.failed, timeLeft)
        return settle(policy.decision(on: failed, after: answer, instead: question.decision), failed, to: origin)
    }

    private func timed(_ failed: FailedAttempt, _ timeLeft: UInt64?) -> FailedAttempt {
        var failed = failed
        (failed.elapsed, failed.timeLeft) = (elapsed, timeLeft)
        return failed
    }

    /// Carries out a decision, if the origin's budget allows a retry.
    private func settle(_ decision: RetryDecision, _ failed: FailedAttempt, to origin: Origin?) -> Verdict {
        switch decision {
        case .wait(let time, let reason):
            if policy.usesBudget, failed.needsBudget(reason), let origin, !waits.consumeRetry(from: origin) {
                return settle(.stop(.budgetUsedUp), failed, to: origin)
            }
            lastVerdict = .retry(after: .nanoseconds(time), rule: reason, RequestEvent.RetryFacts(failed))
            return .wait(until: beginWait(time, reason, after: failed.end))
        case .stop(let stop):
            self.stop = stop
            lastVerdict = .stop(RequestEvent.RetryStopReason(stop), RequestEvent.RetryFacts(failed))
            return .end
        }
    }

    /// Records that the current attempt has failed and that waiting for the next attempt begins.
    ///
    /// - Returns: the instant of the clock at which waiting ends.
    func beginWait(_ nanoseconds: UInt64, _ reason: RetriedAttempt.WaitRule, after end: FailedAttempt.End) -> UInt64 {
        let now = clock.now()
        let duration = now - (began.take() ?? now)
        let (code, status): (NetworkingError.Code, Int?) =
            switch end {
            case .response(let status, _): (.unacceptableStatus, status)
            case .error(let code, _): (code, nil)
            }
        lastFailed = RetriedAttempt(
            date: clock.date().addingTimeInterval(-Double(duration) / 1e9), duration: .nanoseconds(duration),
            code: code, statusCode: status, waitRule: reason)
        (waitBegan, elapsedBeforeWait) = (now, elapsed)
        return now + nanoseconds
    }

    /// Records that waiting is over.
    ///
    /// - Returns: how long the operation waited, in nanoseconds, excluding pauses.
    func endWait() -> UInt64 {
        guard let began = waitBegan.take() else { return 0 }
        lastFailed?.wait = .nanoseconds(clock.now() - began)
        let elapsed = elapsed
        return elapsed > elapsedBeforeWait ? elapsed - elapsedBeforeWait : 0
    }

    /// Decides what follows after the governor has refused the next transfer: the operation waits if its policy allows
    /// waiting that long.
    ///
    /// - Returns: the instant of the clock at which waiting ends; nil if the operation ends.
    func wait(after refusal: TransferRefusal, of origin: Origin) -> UInt64? {
        refusedBy = origin
        let (now, first) = (clock.now(), refusedAt ?? clock.now())
        if let end = refusal.end, end > now, end - first <= policy.maximumRetryAfter.nanoseconds, fits(end - now) {
            refusedAt = first
            return end
        }
        // The attempt that failed earlier has no successor, but the operation ends with the refusal, not with that
        // attempt.
        if let lastFailed = lastFailed.take() { retries.append(lastFailed) }
        return nil
    }

    private func fits(_ wait: UInt64) -> Bool {
        guard let maximumTime = policy.maximumTime else { return true }
        return elapsed + wait <= maximumTime.nanoseconds
    }
}

@available(*, unavailable)
extension RetryController: Sendable {}
