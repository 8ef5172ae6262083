// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The attempts of one operation that has a retry policy: decides after each whether there is another one, and waits
/// for its time. A part of its runner; network thread only. It holds no slot, begins no transfer and calls no block.
struct AttemptSeries {
    /// What follows a failed attempt.
    enum Verdict {
        case wait(until: UInt64)
        /// It is the operation's last one.
        case end
        /// The retry block decides.
        case ask(Question)
    }

    /// What the retry block is asked about a failed attempt.
    struct Question: Sendable {
        let proposal: RetryProposal
        /// Of the attempt; nil when a response is held.
        let error: NetworkingError?
        fileprivate let decision: RetryDecision
        fileprivate let failed: FailedAttempt
    }

    private let course: RetryCourse
    private let waits: RetryWaits

    init(_ policy: RetryPolicy, _ waits: RetryWaits) {
        (course, self.waits) = (RetryCourse(policy, clock: waits.clock), waits)
    }

    /// The failed attempts that were followed by another one.
    var retries: [RetriedAttempt] { course.retries }

    /// Why there is no further attempt; nil while there may be one.
    var stop: RetryStop? { course.stop }

    /// What the operation waits for between two attempts, in half a sentence.
    func obstacle(until instant: UInt64) -> String { course.obstacle(until: instant) }

    func pause() { course.pause() }

    func resume() { course.resume() }

    /// A transfer is about to begin.
    func noteTransfer(of exchange: Exchange, to origin: Origin) {
        if course.noteTransfer(to: origin) { waits.noteRequest(to: origin) }
        exchange.beginAttempt(isLast: course.isLastAttempt)
    }

    // MARK: Failed attempts

    /// An attempt has failed.
    ///
    /// - Parameters:
    ///   - error: nil when a response is held.
    ///   - hasBlock: whether a retry block may decide.
    func judge(
        _ error: NetworkingError?, _ evidence: SendEvidence, of exchange: Exchange, _ account: TransferAccount,
        hasBlock: Bool
    ) -> Verdict {
        let failed = timed(exchange.failedAttempt(error: error, evidence: evidence, number: course.number), account)
        let decision = course.decision(on: failed)
        guard hasBlock, failed.isForBlock, !course.isLastAttempt else { return settle(decision, failed, exchange) }
        let proposal = RetryProposal(failed, error ?? exchange.heldError, decision)
        return .ask(Question(proposal: proposal, error: error, decision: decision, failed: failed))
    }

    /// The block has answered.
    func take(
        _ answer: RetryAnswer, to question: Question, of exchange: Exchange, _ account: TransferAccount
    ) -> Verdict {
        let failed = timed(question.failed, account)
        return settle(course.policy.decision(on: failed, after: answer, instead: question.decision), failed, exchange)
    }

    private func timed(_ failed: FailedAttempt, _ account: TransferAccount) -> FailedAttempt {
        var failed = failed
        (failed.elapsed, failed.timeLeft) = (course.elapsed, account.timeLeft)
        return failed
    }

    /// Does what was decided, if the budget has room for it.
    private func settle(_ decision: RetryDecision, _ failed: FailedAttempt, _ exchange: Exchange) -> Verdict {
        switch decision {
        case .wait(let time, let reason):
            let isPaidFor = course.policy.usesBudget && failed.needsBudget(reason)
            if isPaidFor, let origin = exchange.nextOrigin, !waits.takeRetry(from: origin) {
                return settle(.stop(.budgetUsedUp), failed, exchange)
            }
            exchange.endAttempt()
            return .wait(until: course.beginWait(time, reason, after: failed.end))
        case .stop(let stop):
            course.end(because: stop)
            return .end
        }
    }

    // MARK: Waits

    /// The governor has refused the next transfer.
    ///
    /// - Returns: until when the operation waits; nil when it ends.
    func wait(after refusal: TransferRefusal) -> UInt64? { course.wait(after: refusal) }

    /// Waits for the time of the next attempt.
    ///
    /// - Parameter isDue: called when it has come, later.
    /// - Returns: the ticket of the wait; nil when the time has come already.
    func wait(until instant: UInt64, _ isDue: @escaping () -> Void) -> NetworkTimers.Ticket? {
        instant > waits.clock.now() ? waits.wait(until: instant, isDue) : nil
    }

    func withdraw(_ ticket: NetworkTimers.Ticket) { waits.withdraw(ticket) }

    /// The wait is over.
    ///
    /// - Returns: how long it took in nanoseconds, without pauses.
    func endWait() -> UInt64 { course.endWait() }
}

@available(*, unavailable)
extension AttemptSeries: Sendable {}
