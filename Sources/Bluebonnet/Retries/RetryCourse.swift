// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The attempts of one operation that has a retry policy: their times, and what became of them. A part of its runner;
/// network thread only. It sends nothing and waits for nothing.
final class RetryCourse {
    private struct Attempt {
        let began: UInt64
        let date: Date
    }

    let policy: RetryPolicy
    private let clock: RetryClock
    /// The failed attempts that were followed by another one.
    private(set) var retries: [RetriedAttempt] = []
    /// Why there is no further attempt; nil while there may be one.
    private(set) var stop: RetryStop?
    private var firstBegan: UInt64?
    /// Nil between attempts.
    private var current: Attempt?
    private var waitBegan: UInt64?
    private var pauseBegan: UInt64?
    private var pausedTime: UInt64 = 0

    init(_ policy: RetryPolicy, clock: RetryClock) { (self.policy, self.clock) = (policy, clock) }

    /// The number of the attempt that runs or ran last, from 1.
    var number: Int { retries.count + 1 }

    /// Whether a failure of the current attempt ends the operation.
    var isLastAttempt: Bool { number >= policy.maximumAttemptCount }

    /// A transfer begins.
    ///
    /// - Returns: whether it is the operation's first.
    func noteTransfer() -> Bool {
        guard current == nil else { return false }
        let now = clock.now()
        current = Attempt(began: now, date: clock.date())
        guard firstBegan == nil else { return false }
        firstBegan = now
        return true
    }

    func pause() { pauseBegan = pauseBegan ?? clock.now() }

    func resume() {
        guard let began = pauseBegan.take() else { return }
        pausedTime += clock.now() - began
    }

    /// Nanoseconds since the first attempt began, without pauses.
    var elapsed: UInt64 {
        guard let firstBegan else { return 0 }
        let now = clock.now()
        return now - firstBegan - pausedTime - (pauseBegan.map { now - $0 } ?? 0)
    }

    func decision(on failed: FailedAttempt) -> RetryDecision {
        policy.decision(on: failed, random: clock.random(), date: clock.date())
    }

    /// The current attempt has failed, and the wait for the next one begins.
    ///
    /// - Returns: the instant of the clock at which the wait ends.
    func beginWait(_ nanoseconds: UInt64, _ reason: RetriedAttempt.WaitReason, after end: FailedAttempt.End) -> UInt64 {
        let now = clock.now()
        let attempt = current.take() ?? Attempt(began: now, date: clock.date())
        let (code, status): (NetworkingError.Code, Int?) =
            switch end {
            case .response(let status, _): (.unacceptableStatus, status)
            case .error(let code, _): (code, nil)
            }
        retries.append(
            RetriedAttempt(
                date: attempt.date, duration: .nanoseconds(now - attempt.began), code: code, statusCode: status,
                waitReason: reason))
        waitBegan = now
        return now + nanoseconds
    }

    /// The wait is over, or the operation has ended.
    func endWait() {
        guard let began = waitBegan.take(), !retries.isEmpty else { return }
        retries[retries.count - 1].wait = .nanoseconds(clock.now() - began)
    }

    func end(because stop: RetryStop) { self.stop = stop }
}

@available(*, unavailable)
extension RetryCourse: Sendable {}
