// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import FoundationNetworking

/// A failed attempt, as a retry block is asked about it.
public struct RetryProposal: Sendable {
    /// The number of attempts so far.
    public let attemptCount: Int
    /// How the last attempt ended: the error, or `unacceptableStatus` with the response and its body.
    public let error: NetworkingError
    /// How long the policy would wait before the next attempt; nil when it would end the operation.
    public let wait: Duration?
    /// Whether the server may have acted on the request. False when nothing was sent, when an HTTP/2 server refused the
    /// stream, and for a response with status 429.
    public let mayHaveBeenReceived: Bool

    init(_ failed: FailedAttempt, _ error: NetworkingError, _ decision: RetryDecision) {
        (attemptCount, self.error) = (failed.number, error)
        wait = if case .wait(let time, _) = decision { .nanoseconds(time) } else { nil }
        mayHaveBeenReceived = !failed.isKnownToBeHarmless
    }

    /// The response of the last attempt; nil when there was none.
    public var response: HTTPURLResponse? { error.response }
}

/// The answer of a retry block.
public enum RetryAnswer: Sendable {
    /// Does what the policy says.
    case performDefault
    /// Sends the request again after that time, whatever its method and the failure. The policy's attempts, time and
    /// budget are still limits; a request body that cannot be made again is too.
    case retry(after: Duration)
    /// Ends the operation with the failure.
    case stop
}
