// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a batch came to: one outcome of all its members.
public struct BatchOutcome: Sendable {
    /// Why a batch ended before all of its members had their turn.
    public enum StopReason: String, Sendable, Hashable {
        /// One failed, and the batch was to end then.
        case firstFailure
        /// As many succeeded as were wanted.
        case enoughSuccesses
        /// More failed than the batch was to put up with.
        case tooManyFailures
        /// The batch took longer than `Batch.Options.timeout`.
        case timedOut
        /// The batch was cancelled.
        case cancelled
    }

    /// How many ended in which way.
    public struct Counts: Sendable, Hashable {
        /// Those with a value.
        public internal(set) var successCount = 0
        /// Those that failed by themselves.
        public internal(set) var failureCount = 0
        /// Those that were not started because of a dependency that did not succeed.
        public internal(set) var skippedCount = 0
        /// Those that were cancelled, by you or by the batch.
        public internal(set) var cancelledCount = 0

        /// All that have ended.
        public var finishedCount: Int { successCount + failureCount + skippedCount + cancelledCount }

        /// Counts one more.
        mutating func count(_ kind: MemberKind) {
            switch kind {
            case .success: successCount += 1
            case .failure: failureCount += 1
            case .skipped: skippedCount += 1
            case .cancelled: cancelledCount += 1
            }
        }
    }

    /// Every member's result, in the order in which they were given; those of inner batches stand in their place.
    public let results: [Result<any Sendable, NetworkingError>]
    /// How many ended in which way.
    public let counts: Counts
    /// Why the batch ended early; nil when it did not.
    public let stopReason: StopReason?
    /// Whether it is a success: enough members succeeded, when a number was asked for; else, every one did, or the
    /// failures stayed within what the batch puts up with and nothing was cancelled.
    public let isSuccess: Bool
}

/// In which way a member ended.
enum MemberKind: Sendable {
    case success, failure, skipped, cancelled

    init(_ error: NetworkingError?) {
        switch error?.code {
        case nil: self = .success
        case .cancelled?: self = .cancelled
        case .dependencyFailed?: self = .skipped
        case .some: self = .failure
        }
    }
}

/// How far a batch is.
public struct BatchProgress: Sendable, Hashable {
    /// Members that have ended.
    public let finishedCount: Int
    /// All members.
    public let totalCount: Int
    /// Body bytes that arrived so far, in all.
    public let receivedByteCount: Int64
    /// Body bytes that are expected in all; nil as long as one length is not known.
    public let expectedByteCount: Int64?

    /// By bytes where all lengths are known, else by members; from 0 to 1. An empty batch is complete.
    public var fractionCompleted: Double {
        if let expectedByteCount, expectedByteCount > 0 {
            return min(1, Double(receivedByteCount) / Double(expectedByteCount))
        }
        return totalCount == 0 ? 1 : Double(finishedCount) / Double(totalCount)
    }
}
