// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import FoundationNetworking

/// Describes a failed attempt to a retry block.
public struct RetryProposal: Sendable {
    /// The number of attempts so far.
    public let attemptCount: Int
    /// The error of the last attempt; `unacceptableStatus`, with the response and its body, if the attempt ended with a
    /// response.
    public let error: NetworkingError
    /// How long the policy would wait before the next attempt; nil if the policy would end the operation.
    public let wait: Duration?
    /// Whether the server may have processed the request. False if nothing was sent, if an HTTP/2 server refused the
    /// stream, and for a response with status 429.
    public let mayHaveBeenReceived: Bool

    init(_ failed: FailedAttempt, _ error: NetworkingError, _ decision: RetryDecision) {
        (attemptCount, self.error) = (failed.number, error)
        wait = if case .wait(let time, _) = decision { .nanoseconds(time) } else { nil }
        mayHaveBeenReceived = !failed.isKnownToBeHarmless
    }

    /// The response of the last attempt; nil if no response arrived.
    public var response: HTTPURLResponse? { error.response }
}

/// The answer of a retry block.
public enum RetryAnswer: Sendable {
    /// Follows the policy.
    case performDefault
    /// Retries the request after the given time, whatever its method and the failure. The policy's limits on attempts,
    /// time and budget still apply. A request body that cannot be made again still prevents the retry.
    case retry(after: Duration)
    /// Ends the operation with the failure.
    case stop
}
