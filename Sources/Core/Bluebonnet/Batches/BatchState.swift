// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The state of a batch: the members that have ended, their results by kind, and whether the batch stops early. A
/// value, guarded by the batch's lock; it cancels nothing.
struct BatchState: Sendable {
    private let policy: Batch.FailurePolicy
    private(set) var operations: [HTTPRequestOperation]
    private(set) var innerBatches: [Batch]
    private var expansions: [Int: [BatchExpansion]]
    /// Whether the batch has stopped growing.
    private var isClosed = false
    /// Whether new members are paused.
    private(set) var isPaused = false
    private var totalCount: Int { operations.count }
    private(set) var counts = BatchOutcome.Counts()
    private(set) var stopReason: BatchOutcome.StopReason?
    /// The indices of the members in the order in which they ended.
    private(set) var endings: [Int32] = []
    /// The number of members and inner batches that have not ended.
    private var pendingCount: Int
    private(set) var hasBegun = false
    /// Whether the completion has run.
    private(set) var hasEnded = false
    /// The waiters for the end of the next member.
    private var memberWaits: [TaskWait] = []
    /// The waiters for the end of the batch.
    private var endWaits: [TaskWait] = []
    /// The dependencies among the members when the batch began.
    private(set) var edges: [BatchGraph.Edge] = []

    init(policy: Batch.FailurePolicy, members: BatchMembers) {
        self.policy = policy
        (operations, innerBatches, expansions) = (members.operations, members.batches, members.expansions)
        pendingCount = operations.count + innerBatches.count
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
    /// The consequences of a member's end.
    struct Step {
        var stop: BatchOutcome.StopReason?
        var waits: [TaskWait] = []
        var isLast = false
        var finishedCount = 0
        var totalCount = 0
    }

    /// Records that the batch begins. Returns its members; nil if it has begun before.
    mutating func begin(with edges: [BatchGraph.Edge]) -> BatchMembers? {
        guard !hasBegun else { return nil }
        hasBegun = true
        self.edges = edges
        return BatchMembers(operations, innerBatches)
    }

    /// Records how a member ended.
    mutating func recordEnd(of index: Int, _ kind: MemberKind) -> Step {
        counts.count(kind)
        endings.append(Int32(index))
        pendingCount -= 1
        var step = Step(waits: removeMemberWaits(), isLast: pendingCount == 0)
        (step.finishedCount, step.totalCount) = (counts.finishedCount, totalCount)
        if let reason = reasonToStop, stop(reason) { step.stop = reason }
        return step
    }

    /// Records the end of an inner batch. Returns true if all members and inner batches have ended.
    mutating func recordInnerEnd() -> Bool {
        pendingCount -= 1
        return pendingCount == 0
    }

    /// Records why the batch stops early. Returns false if it was stopped before, or if all members have ended.
    mutating func stop(_ reason: BatchOutcome.StopReason) -> Bool {
        guard stopReason == nil, counts.finishedCount < totalCount else { return false }
        stopReason = reason
        isClosed = true
        return true
    }

    /// Records whether new members are paused, and returns the members.
    mutating func setPaused(_ isPaused: Bool) -> [HTTPRequestOperation] {
        self.isPaused = isPaused
        return operations
    }

    /// Keeps the batch from growing.
    mutating func close() { isClosed = true }

    /// Removes and returns the expansions of a member that has succeeded; none if the batch no longer grows.
    mutating func removeExpansions(of index: Int) -> [BatchExpansion] {
        let removed = expansions.removeValue(forKey: index) ?? []
        return isClosed ? [] : removed
    }

    /// Adds members.
    ///
    /// - Parameter source: the member from whose result they were made.
    /// - Returns: the index of the first new operation; nil if the batch no longer grows.
    mutating func add(_ members: BatchMembers, madeFrom source: Int?) -> Int? {
        guard !isClosed else { return nil }
        let first = operations.count
        let ownEdges = BatchGraph.edges(among: members.operations)
        edges += ownEdges.map { BatchGraph.Edge(dependency: $0.dependency + first, dependent: $0.dependent + first) }
        operations += members.operations
        innerBatches += members.batches
        for (index, made) in members.expansions { expansions[first + index] = made }
        pendingCount += members.operations.count + members.batches.count
        if let source {
            edges += (first..<operations.count).map { BatchGraph.Edge(dependency: source, dependent: $0) }
        }
        return first
    }

    /// Records that the completion has run, and returns the waiters.
    mutating func end() -> [TaskWait] {
        hasEnded = true
        defer { endWaits = [] }
        return removeMemberWaits() + endWaits
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
    /// Keeps a waiter until more than `position` members, or all members, have ended. Returns false if they have
    /// already.
    mutating func keep(_ wait: TaskWait, beyond position: Int) -> Bool {
        guard endings.count <= position, endings.count < totalCount else { return false }
        memberWaits.append(wait)
        return true
    }

    /// Keeps a waiter until the batch has ended. Returns false if the batch has ended already.
    mutating func keepUntilEnd(_ wait: TaskWait) -> Bool {
        if !hasEnded { endWaits.append(wait) }
        return !hasEnded
    }

    /// Forgets a waiter that was cancelled.
    mutating func remove(_ wait: TaskWait) {
        memberWaits.removeAll { $0 === wait }
        endWaits.removeAll { $0 === wait }
    }

    private mutating func removeMemberWaits() -> [TaskWait] {
        defer { memberWaits = [] }
        return memberWaits
    }
}
