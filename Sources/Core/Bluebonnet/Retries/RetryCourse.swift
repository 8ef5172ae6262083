// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The attempts of one operation that has a retry policy: their times, and what became of them. A part of its runner;
/// network thread only. It sends nothing and waits for nothing.
final class RetryCourse {
    let policy: RetryPolicy
    private let clock: TimeSource
    /// The failed attempts that were followed by another one.
    private(set) var retries: [RetriedAttempt] = []
    /// The attempt that failed last, until another one follows.
    private var lastFailed: RetriedAttempt?
    /// Why there is no further attempt; nil while there may be one.
    private(set) var stop: RetryStop?
    private var firstBegan: UInt64?
    /// When the current attempt began; nil between attempts.
    private var began: UInt64?
    /// Where the first attempt's last transfer went.
    private var lastOrigin: Origin?
    private var waitBegan: UInt64?
    private var elapsedBeforeWait: UInt64 = 0
    private var pauseBegan: UInt64?
    private var pausedTime: UInt64 = 0
    /// When the governor refused a transfer first, since the last one that was sent.
    private var refusedAt: UInt64?

    init(_ policy: RetryPolicy, clock: TimeSource) { (self.policy, self.clock) = (policy, clock) }

    /// The number of the attempt that runs or ran last, from 1.
    var number: Int { retries.count + 1 }

    /// Whether a failure of the current attempt ends the operation.
    var isLastAttempt: Bool { number >= policy.maximumAttemptCount }

    /// A transfer begins.
    ///
    /// - Returns: whether it is the operation's first one to that origin, and belongs to the first attempt.
    func noteTransfer(to origin: Origin) -> Bool {
        if began == nil { beginAttempt() }
        guard retries.isEmpty, lastOrigin != origin else { return false }
        lastOrigin = origin
        return true
    }

    private func beginAttempt() {
        let now = clock.now()
        (began, refusedAt) = (now, nil)
        if let lastFailed = lastFailed.take() { retries.append(lastFailed) }
        if firstBegan == nil { (firstBegan, pausedTime) = (now, 0) }
    }

    /// What the operation waits for between two attempts, in half a sentence.
    func obstacle(until instant: UInt64) -> String {
        let now = clock.now()
        let date = clock.date().addingTimeInterval(instant > now ? Double(instant - now) / 1e9 : 0)
        return "attempt \(lastFailed == nil ? number : number + 1) begins at \(date.formatted(.iso8601))"
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
        let notCounted = firstBegan + pausedTime + (pauseBegan.map { now - $0 } ?? 0)
        return now > notCounted ? now - notCounted : 0
    }

    func decision(on failed: FailedAttempt) -> RetryDecision {
        policy.decision(on: failed, random: clock.random(), date: clock.date())
    }

    /// The current attempt has failed, and the wait for the next one begins.
    ///
    /// - Returns: the instant of the clock at which the wait ends.
    func beginWait(_ nanoseconds: UInt64, _ reason: RetriedAttempt.WaitReason, after end: FailedAttempt.End) -> UInt64 {
        let now = clock.now()
        let duration = now - (began.take() ?? now)
        let (code, status): (NetworkingError.Code, Int?) =
            switch end {
            case .response(let status, _): (.unacceptableStatus, status)
            case .error(let code, _): (code, nil)
            }
        lastFailed = RetriedAttempt(
            date: clock.date().addingTimeInterval(-Double(duration) / 1e9), duration: .nanoseconds(duration),
            code: code, statusCode: status, waitReason: reason)
        (waitBegan, elapsedBeforeWait) = (now, elapsed)
        return now + nanoseconds
    }

    /// The wait is over.
    ///
    /// - Returns: how long it took in nanoseconds, without pauses.
    func endWait() -> UInt64 {
        guard let began = waitBegan.take() else { return 0 }
        lastFailed?.wait = .nanoseconds(clock.now() - began)
        let elapsed = elapsed
        return elapsed > elapsedBeforeWait ? elapsed - elapsedBeforeWait : 0
    }

    /// The governor has refused the next transfer: the operation waits when its policy waits for as long.
    ///
    /// - Returns: the instant of the clock at which the wait ends; nil when the operation ends.
    func wait(after refusal: TransferRefusal) -> UInt64? {
        let (now, first) = (clock.now(), refusedAt ?? clock.now())
        if let end = refusal.end, end > now, end - first <= policy.maximumRetryAfter.nanoseconds, fits(end - now) {
            refusedAt = first
            return end
        }
        // The attempt that failed before is followed by none, and yet not what the operation ends with.
        if let lastFailed = lastFailed.take() { retries.append(lastFailed) }
        return nil
    }

    private func fits(_ wait: UInt64) -> Bool {
        guard let maximumTime = policy.maximumTime else { return true }
        return elapsed + wait <= maximumTime.nanoseconds
    }

    func end(because stop: RetryStop) { self.stop = stop }
}

@available(*, unavailable)
extension RetryCourse: Sendable {}
