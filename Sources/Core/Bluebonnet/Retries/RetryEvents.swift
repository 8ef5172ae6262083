// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension RequestEvent.RetryFacts {
    init(_ failed: FailedAttempt) {
        switch failed.end {
        case .response(let status, _): self.init(code: .unacceptableStatus, statusCode: status)
        case .error(let code, _): self.init(code: code)
        }
        certainlyNotProcessed = failed.evidence.isHarmless
    }
}

extension RequestEvent.RetryStopReason {
    init(_ stop: RetryStop) {
        self =
            switch stop {
            case .notTransient: .notTransient
            case .unsafe: .unsafeMethod
            case .attemptsUsedUp: .attemptsUsedUp
            case .bodyGone: .bodyGone
            case .outputGone: .outputGone
            case .timeUsedUp: .timeUsedUp
            case .budgetUsedUp: .budgetUsedUp
            case .retryAfterTooLong: .retryAfterTooLong
            case .refusedByBlock: .refusedByBlock
            }
    }
}
