// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// One failed attempt: the facts that decide whether the request is retried.
struct FailedAttempt {
    /// How the attempt ended.
    enum End {
        /// A response that is not accepted.
        case response(status: Int, headers: HeaderFields)
        case error(NetworkingError.Code, NetworkingError.TimeLimit?)
    }

    /// The number of the attempt, starting at 1.
    var number: Int
    var method: String
    var end: End
    var evidence = DeliveryCertainty.mayHaveArrived
    /// Whether the request has an `Idempotency-Key`.
    var hasIdempotencyKey = false
    /// Whether the response head had arrived and the body ended too early.
    var isBodyCutShort = false
    /// Whether a proxy has permanently refused to open a tunnel.
    var isRefusedByProxy = false
    /// Whether the request body can be sent from its start again.
    var canRepeatBody = true
    /// Whether the received part of the response body can be continued or discarded.
    var canRenewOutput = true
    /// Nanoseconds since the first attempt began, excluding pauses.
    var elapsed: UInt64 = 0
    /// The rest of the operation's total time limit, in nanoseconds; nil without a limit.
    var timeLeft: UInt64?

    /// The idempotent methods (RFC 9110, 9.2.2).
    static let idempotentMethods: Set = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]

    /// Whether a retry cannot make the server process the request twice.
    var isSafeToRepeat: Bool {
        Self.idempotentMethods.contains(method) || hasIdempotencyKey || isKnownToBeHarmless
    }

    /// Whether a retry may succeed because the cause of the failure is temporary.
    func isTransient(_ policy: RetryPolicy) -> Bool {
        switch end {
        case .response(let status, _): policy.statusCodes.contains(status)
        case .error(.timedOut, let limit): limit != .total
        case .error(.badServerResponse, _): isBodyCutShort
        case .error(let code, _): Self.transientCodes.contains(code) && !isRefusedByProxy
        }
    }

    /// Whether the retry block is asked about the failure, whatever the policy says. It is not asked about errors that
    /// a retry cannot fix, such as an invalid request, the server's certificate or a local disk error.
    var isForBlock: Bool {
        if case .response = end { return true }
        return isTransient(.standard)
    }

    /// Whether the server certainly has not processed the request.
    var isKnownToBeHarmless: Bool {
        if case .response(429, _) = end { return true }
        return evidence.isHarmless
    }

    /// Whether another attempt consumes a retry of the origin's budget. A 429 response, and a time that the server
    /// names, need no budget: the server already limits its clients, and a client that follows its instructions does
    /// not overload it.
    func needsBudget(_ reason: RetriedAttempt.WaitRule) -> Bool {
        if case .response(429, _) = end { return false }
        return reason == .backoff || reason == .block
    }

    private static let transientCodes: Set<NetworkingError.Code> = [
        .cannotFindHost, .cannotConnect, .connectionLost, .secureConnectionFailed,
    ]
}

/// Why no attempt follows.
enum RetryStop: Sendable, Equatable {
    /// A retry would end in the same way.
    case notTransient
    case unsafe(method: String)
    case attemptsUsedUp
    case bodyGone
    case outputGone
    case timeUsedUp
    case budgetUsedUp
    /// The server asks clients to wait for longer than the policy allows.
    case retryAfterTooLong(until: Date)
    /// The retry block stopped the operation.
    case refusedByBlock

    /// The text that is added to the error's message; nil if the error alone is sufficient.
    var words: String? {
        switch self {
        case .notTransient, .attemptsUsedUp, .retryAfterTooLong, .refusedByBlock: nil
        case .unsafe(let method): "\(method) is not retried, because the server may have processed it"
        case .bodyGone: "not retried, because the body stream cannot be created again; use onNeedNewBodyStream"
        case .outputGone: "not retried, because a part of the body was already delivered"
        case .timeUsedUp: "not retried, because the retry time limit has passed"
        case .budgetUsedUp: "not retried, because the retry budget of the origin is exhausted"
        }
    }
}

/// Whether and when another attempt follows a failed attempt.
enum RetryDecision: Equatable {
    case wait(nanoseconds: UInt64, RetriedAttempt.WaitRule)
    case stop(RetryStop)
}

extension RetryPolicy {
    /// Decides about a failed attempt, without regard to the budget. Pure: the random number and the date are
    /// parameters.
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
            let reason: RetriedAttempt.WaitRule = hint.source == .retryAfter ? .retryAfter : .rateLimit
            return timed(UInt64(hint.seconds * 1e9), reason, failed)
        }
        return timed(backoff(after: failed.number, random: random), .backoff, failed)
    }

    /// Applies the answer of a retry block to a failed attempt.
    ///
    /// - Parameter decision: the decision that was made before the block was called. Its wait may no longer fit the
    ///   time limits.
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

    /// Returns the limit that forbids another attempt, even if a block requests one.
    private func obstacle(to failed: FailedAttempt) -> RetryStop? {
        if failed.number >= maximumAttemptCount { return .attemptsUsedUp }
        if !failed.canRepeatBody { return .bodyGone }
        return failed.canRenewOutput ? nil : .outputGone
    }

    private func timed(
        _ wait: UInt64, _ reason: RetriedAttempt.WaitRule, _ failed: FailedAttempt
    ) -> RetryDecision {
        if let left = failed.timeLeft, left <= wait { return .stop(.timeUsedUp) }
        if let maximumTime, failed.elapsed + wait > maximumTime.nanoseconds { return .stop(.timeUsedUp) }
        return .wait(nanoseconds: wait, reason)
    }

    /// Returns a random time up to the exponential backoff (full jitter).
    private func backoff(after number: Int, random: Double) -> UInt64 {
        let doubled = initialBackoff.seconds * Double(sign: .plus, exponent: min(number - 1, 62), significand: 1)
        return UInt64(max(0, min(doubled, maximumBackoff.seconds, RetryHint.mostSeconds)) * random * 1e9)
    }
}
