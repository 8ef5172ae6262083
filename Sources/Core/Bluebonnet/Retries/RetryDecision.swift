// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// One attempt that failed, as far as it decides whether there is another one.
struct FailedAttempt {
    enum End {
        /// A response that is not accepted.
        case response(status: Int, headers: HeaderFields)
        case error(NetworkingError.Code, NetworkingError.TimeLimit?)
    }

    /// From 1.
    var number: Int
    var method: String
    var end: End
    var evidence = SendEvidence.mayHaveArrived
    /// Whether the request has an `Idempotency-Key`.
    var hasIdempotencyKey = false
    /// Whether the response's head had come, and its body ended too early.
    var isBodyCutShort = false
    /// Whether a proxy has refused to make a tunnel, and will refuse again.
    var isRefusedByProxy = false
    /// Whether the request's body can be sent from its start again.
    var canRepeatBody = true
    /// Whether what came of the response's body can be continued, or taken back.
    var canRenewOutput = true
    /// Nanoseconds since the first attempt began, without pauses.
    var elapsed: UInt64 = 0
    /// Nanoseconds that the operation's total limit leaves; nil without one.
    var timeLeft: UInt64?

    /// RFC 9110, 9.2.2.
    static let idempotentMethods: Set = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]

    /// Whether sending the request again cannot make the server act twice.
    var isSafeToRepeat: Bool {
        Self.idempotentMethods.contains(method) || hasIdempotencyKey || isKnownToBeHarmless
    }

    /// Whether the failure may have passed when the request is sent again.
    func isTransient(_ policy: RetryPolicy) -> Bool {
        switch end {
        case .response(let status, _): policy.statusCodes.contains(status)
        case .error(.timedOut, let limit): limit != .total
        case .error(.badServerResponse, _): isBodyCutShort
        case .error(let code, _): Self.transientCodes.contains(code) && !isRefusedByProxy
        }
    }

    /// Whether a block is asked about the failure, whatever the policy says of it: what is wrong with the request, the
    /// server's certificate or this machine's disk stays wrong.
    var isForBlock: Bool {
        if case .response = end { return true }
        return isTransient(.standard)
    }

    /// Whether it is known that the server has not acted on the request.
    var isKnownToBeHarmless: Bool {
        if case .response(429, _) = end { return true }
        return evidence.isHarmless
    }

    /// Whether another attempt needs room in the budget of its origin. A server that limits its clients, or says when
    /// to come again, is not kept down by those who do as it says.
    func needsBudget(_ reason: RetriedAttempt.WaitReason) -> Bool {
        if case .response(429, _) = end { return false }
        return reason == .backoff || reason == .block
    }

    private static let transientCodes: Set<NetworkingError.Code> = [
        .cannotFindHost, .cannotConnect, .connectionLost, .secureConnectionFailed,
    ]
}

/// Why there is no further attempt.
enum RetryStop: Sendable, Equatable {
    /// It would end alike.
    case notTransient
    case unsafe(method: String)
    case attemptsUsedUp
    case bodyGone
    case outputGone
    case timeUsedUp
    case budgetUsedUp
    /// The server wants to be left alone for longer than the policy waits.
    case retryAfterTooLong(until: Date)
    /// The block said so.
    case refusedByBlock

    /// What an error's message says of it; nil when the failure says it all.
    var words: String? {
        switch self {
        case .notTransient, .attemptsUsedUp, .retryAfterTooLong, .refusedByBlock: nil
        case .unsafe(let method): "\(method) is not sent again, because the server may have acted on it"
        case .bodyGone: "not tried again, because the body stream cannot be made again; use onNeedNewBodyStream"
        case .outputGone: "not tried again, because a part of the body was given away and cannot be continued"
        case .timeUsedUp: "not tried again, because the time for it is used up"
        case .budgetUsedUp: "not tried again, because the retry budget of the origin is used up"
        }
    }
}

/// Whether a failed attempt is followed by another one, and when.
enum RetryDecision: Equatable {
    case wait(nanoseconds: UInt64, RetriedAttempt.WaitReason)
    case stop(RetryStop)
}

extension RetryPolicy {
    /// Decides about a failed attempt, but for the budget. Pure: clock and random source are handed in.
    ///
    /// - Parameters:
    ///   - random: from 0 to 1.
    ///   - date: when the attempt ended.
    func decision(on failed: FailedAttempt, random: Double, date: Date) -> RetryDecision {
        guard failed.isTransient(self) else { return .stop(.notTransient) }
        guard failed.isSafeToRepeat else { return .stop(.unsafe(method: failed.method)) }
        if let obstacle = obstacle(to: failed) { return .stop(obstacle) }
        if case .response(_, let headers) = failed.end, let hint = RetryHint(in: headers, now: date), hint.seconds > 0 {
            guard hint.seconds <= maximumRetryAfter.seconds else {
                return .stop(.retryAfterTooLong(until: date.addingTimeInterval(hint.seconds)))
            }
            let reason: RetriedAttempt.WaitReason = hint.source == .retryAfter ? .retryAfter : .rateLimit
            return timed(UInt64(hint.seconds * 1e9), reason, failed)
        }
        return timed(backoff(after: failed.number, random: random), .backoff, failed)
    }

    /// Decides about a failed attempt as a block has answered.
    ///
    /// - Parameter decision: the one that was made before the block was asked, whose wait may not fit any more.
    func decision(
        on failed: FailedAttempt, after answer: RetryAnswer, instead decision: RetryDecision
    ) -> RetryDecision {
        switch answer {
        case .performDefault:
            guard case .wait(let time, let reason) = decision else { return decision }
            return timed(time, reason, failed)
        case .retry(let time):
            return obstacle(to: failed).map(RetryDecision.stop) ?? timed(time.nanoseconds, .block, failed)
        case .stop: return .stop(.refusedByBlock)
        }
    }

    /// What stands against another attempt whoever wants one.
    private func obstacle(to failed: FailedAttempt) -> RetryStop? {
        if failed.number >= maximumAttemptCount { return .attemptsUsedUp }
        if !failed.canRepeatBody { return .bodyGone }
        return failed.canRenewOutput ? nil : .outputGone
    }

    private func timed(
        _ wait: UInt64, _ reason: RetriedAttempt.WaitReason, _ failed: FailedAttempt
    ) -> RetryDecision {
        if let left = failed.timeLeft, left <= wait { return .stop(.timeUsedUp) }
        if let maximumTime, failed.elapsed + wait > maximumTime.nanoseconds { return .stop(.timeUsedUp) }
        return .wait(nanoseconds: wait, reason)
    }

    /// Full jitter: any time up to the doubled backoff.
    private func backoff(after number: Int, random: Double) -> UInt64 {
        let doubled = initialBackoff.seconds * Double(sign: .plus, exponent: min(number - 1, 62), significand: 1)
        return UInt64(max(0, min(doubled, maximumBackoff.seconds, RetryHint.mostSeconds)) * random * 1e9)
    }
}
