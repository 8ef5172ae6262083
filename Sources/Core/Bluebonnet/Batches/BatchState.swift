// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A batch's state: the members that have ended, their kinds of results, and whether the batch stops early. A value,
/// guarded by the batch's lock; it cancels nothing.
struct BatchState: Sendable {
    private let policy: Batch.FailurePolicy
    private let totalCount: Int
    private(set) var counts = BatchOutcome.Counts()
    private(set) var stopReason: BatchOutcome.StopReason?
    /// The members' numbers in the order in which they ended.
    private(set) var endings: [Int32] = []
    /// Members and inner batches that have not ended.
    private var pendingCount: Int
    private(set) var hasBegun = false
    /// Whether the completion has run.
    private(set) var hasEnded = false
    /// The waits for the end of the next member.
    private var memberWaits: [TaskWait] = []
    /// The waits for the end of the batch.
    private var endWaits: [TaskWait] = []
    /// The dependencies among the members when the batch began.
    var edges: [BatchGraph.Edge] = []

    init(policy: Batch.FailurePolicy, totalCount: Int, innerCount: Int) {
        self.policy = policy
        self.totalCount = totalCount
        pendingCount = totalCount + innerCount
    }

    var isSuccess: Bool {
        switch policy {
        case .carryOn, .cancelAtFirstFailure: counts.successCount == totalCount
        case .succeed(let wanted): counts.successCount >= min(wanted, totalCount)
        case .stopAboveFailureCount, .stopAboveFailureFraction: stopReason == nil && counts.cancelledCount == 0
        }
    }
}

// MARK: - Changes

extension BatchState {
    /// What follows an ending.
    struct Step {
        var stop: BatchOutcome.StopReason?
        var waits: [TaskWait] = []
        var isLast = false
        var finishedCount = 0
    }

    /// Notes that the batch begins; true when it has no members, nil when it has begun before.
    mutating func begin() -> Bool? {
        guard !hasBegun else { return nil }
        hasBegun = true
        return pendingCount == 0
    }

    /// Notes how a member ended.
    mutating func note(_ index: Int, _ kind: MemberKind) -> Step {
        counts.count(kind)
        endings.append(Int32(index))
        pendingCount -= 1
        var step = Step(waits: takeMemberWaits(), isLast: pendingCount == 0, finishedCount: counts.finishedCount)
        if let reason = reasonToStop, stop(reason) { step.stop = reason }
        return step
    }

    /// Notes the end of an inner batch; true when all members and inner batches have ended.
    mutating func noteInnerEnd() -> Bool {
        pendingCount -= 1
        return pendingCount == 0
    }

    /// Notes why the batch stops early; false when it was stopped before, or when all members have ended.
    mutating func stop(_ reason: BatchOutcome.StopReason) -> Bool {
        guard stopReason == nil, counts.finishedCount < totalCount else { return false }
        stopReason = reason
        return true
    }

    /// Notes that the completion has run.
    mutating func end() -> [TaskWait] {
        hasEnded = true
        defer { endWaits = [] }
        return takeMemberWaits() + endWaits
    }

    private var reasonToStop: BatchOutcome.StopReason? {
        switch policy {
        case .carryOn: nil
        case .cancelAtFirstFailure: counts.failureCount > 0 ? .firstFailure : nil
        case .succeed(let wanted): counts.successCount >= wanted ? .enoughSuccesses : nil
        case .stopAboveFailureCount(let allowed): counts.failureCount > allowed ? .tooManyFailures : nil
        case .stopAboveFailureFraction(let fraction):
            Double(counts.failureCount) > fraction * Double(totalCount) ? .tooManyFailures : nil
        }
    }
}

// MARK: - Waiting

extension BatchState {
    /// Keeps a wait until more than `position` members, or all, have ended; false when they have ended already.
    mutating func keep(_ wait: TaskWait, beyond position: Int) -> Bool {
        guard endings.count <= position, endings.count < totalCount else { return false }
        memberWaits.append(wait)
        return true
    }

    /// Keeps a wait until the batch has ended; false when it has.
    mutating func keepUntilEnd(_ wait: TaskWait) -> Bool {
        if !hasEnded { endWaits.append(wait) }
        return !hasEnded
    }

    /// Forgets a wait that was given up.
    mutating func remove(_ wait: TaskWait) {
        memberWaits.removeAll { $0 === wait }
        endWaits.removeAll { $0 === wait }
    }

    private mutating func takeMemberWaits() -> [TaskWait] {
        defer { memberWaits = [] }
        return memberWaits
    }
}
