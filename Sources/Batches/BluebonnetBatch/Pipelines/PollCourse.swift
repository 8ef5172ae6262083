// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetHTTP

/// Counts the requests of a polling line, and decides what follows a response. A value without a clock.
package struct PollCourse: Sendable, Equatable {
    package enum Step: Equatable {
        /// The line ends with the response.
        case end
        case fail(ResultLine.Failure)
        /// The request is sent again, after the time that the condition names.
        case again
    }

    package private(set) var requestCount: Int
    package private(set) var attemptCount: Int

    package init(requestCount: Int = 0, attemptCount: Int = 0) {
        (self.requestCount, self.attemptCount) = (requestCount, attemptCount)
    }

    /// Records a request with its attempts.
    package mutating func record(attempts: Int) {
        requestCount += 1
        attemptCount += attempts
    }

    /// Completes the result of the last request, which is the result of the line.
    package func complete(_ result: inout ResultLine) {
        let wasNotSent = result.outcome == .cancelled && result.attempts == 0
        result.requests = wasNotSent ? requestCount - 1 : requestCount
        result.attempts = attemptCount
    }

    /// Decides what follows a response.
    ///
    /// - Parameters:
    ///   - reason: why the condition is not met; nil if it is met, or if the request failed.
    ///   - elapsed: the seconds since the first request began.
    package func step(_ condition: RequestLine.Condition, unmet reason: String?, elapsed: Double) -> Step {
        guard let reason else { return .end }
        let isLast = condition.max.map { requestCount >= $0 } ?? false
        guard isLast || condition.timeout.map({ elapsed + condition.every > $0 }) ?? false else { return .again }
        let limit = isLast ? "\(requestCount) requests" : "\(condition.timeout.map { "\($0)" } ?? "") seconds"
        let message = "the condition was not met within \(limit): \(reason)"
        return .fail(ResultLine.Failure(code: .conditionNotMet, message: message))
    }
}
