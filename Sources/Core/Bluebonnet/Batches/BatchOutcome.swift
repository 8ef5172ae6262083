// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The outcome of a batch.
public struct BatchOutcome: Sendable {
    /// Why a batch cancelled its unfinished members.
    public enum StopReason: String, Sendable, Hashable {
        /// A member failed, and the policy is `cancelAtFirstFailure`.
        case firstFailure
        /// As many members succeeded as the policy `succeed(after:)` requires.
        case enoughSuccesses
        /// More members failed than the policy allows.
        case tooManyFailures
        /// The batch took longer than `Batch.Options.timeout`.
        case timedOut
        /// The batch was cancelled.
        case cancelled
    }

    /// The numbers of members by kind of result.
    public struct Counts: Sendable, Hashable {
        /// Members that succeeded.
        public internal(set) var successCount = 0
        /// Members that failed.
        public internal(set) var failureCount = 0
        /// Members that were not started because a dependency did not succeed.
        public internal(set) var skippedCount = 0
        /// Members that were cancelled, by the program or by the batch.
        public internal(set) var cancelledCount = 0

        /// All members that have ended.
        public var finishedCount: Int { successCount + failureCount + skippedCount + cancelledCount }

        /// Counts a member.
        mutating func count(_ kind: MemberKind) {
            switch kind {
            case .success: successCount += 1
            case .failure: failureCount += 1
            case .skipped: skippedCount += 1
            case .cancelled: cancelledCount += 1
            }
        }
    }

    /// Every member's result, in the order of the batch's `operations`.
    public let results: [Result<any Sendable, NetworkingError>]
    /// The numbers of members by kind of result.
    public let counts: Counts
    /// Why the batch cancelled its unfinished members; nil if it did not cancel them.
    public let stopReason: StopReason?
    /// Whether the batch is a success. With `succeed(after:)`: enough members succeeded. With `stopAboveFailureCount`
    /// and `stopAboveFailureFraction`: the failures stayed within the limit, and no member was cancelled. Otherwise:
    /// every member succeeded.
    public let isSuccess: Bool
}

/// The kind of a member's result.
enum MemberKind: Sendable {
    case success, failure, skipped, cancelled

    init(_ error: NetworkingError?) {
        switch error?.code {
        case nil: self = .success
        case .cancelled?, .notStarted?: self = .cancelled  // not started: its manager was drained
        case .dependencyFailed?: self = .skipped
        case .some: self = .failure
        }
    }
}

/// The progress of a batch.
public struct BatchProgress: Sendable, Hashable {
    /// The number of members that have ended.
    public let finishedCount: Int
    /// The number of all members.
    public let totalCount: Int
    /// The body bytes that all members have received so far.
    public let receivedByteCount: Int64
    /// The expected body bytes of all members; nil while the length of any body is unknown.
    public let expectedByteCount: Int64?

    /// The completed fraction from 0 to 1: by bytes if all lengths are known, otherwise by members. 1 for an empty
    /// batch.
    public var fractionCompleted: Double {
        if let expectedByteCount, expectedByteCount > 0 {
            return min(1, Double(receivedByteCount) / Double(expectedByteCount))
        }
        return totalCount == 0 ? 1 : Double(finishedCount) / Double(totalCount)
    }
}
