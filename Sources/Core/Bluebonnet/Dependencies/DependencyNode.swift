// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// The state that an operation shares with the dependency graph: its number in the graph, the number of unfinished
/// dependencies, and whether it has ended. A separate object, so that the graph needs no reference to an operation that
/// is being deallocated. Any thread; the graph changes its part under the graph's lock.
final class DependencyNode: Sendable {
    /// The bits of `word`.
    private struct Flags {
        static let ended: UInt64 = 1
        static let failed: UInt64 = 2
        /// The graph has recorded the end.
        static let settled: UInt64 = 4
        /// A `RequestOperationQueue` retains the operation until its end.
        static let queued: UInt64 = 8
        /// A caller outside the library has read `isReady`.
        static let readinessRead: UInt64 = 16
        static let all: UInt64 = 31
        /// The bits above the flags contain the number in the graph, plus one.
        static let numberShift: UInt64 = 5
    }

    /// The flags and the number share one word. One atomic operation decides, without a lock, whether the operation
    /// ended or entered a queue before or after it got its first edge.
    private let word = Atomic<UInt64>(0)
    private let waitingCount = Atomic<Int32>(0)
    private let hasFailedDependency = Atomic<Bool>(false)

    /// The node's number in the graph; `TopologicalOrder.none` without an edge.
    var number: TopologicalOrder.Node { Self.number(word.load(ordering: .relaxed)) }
    /// Whether the graph has a number for the operation.
    var isInGraph: Bool { number != TopologicalOrder.none }
    /// Whether a dependency is unfinished.
    var isWaiting: Bool { waitingCount.load(ordering: .sequentiallyConsistent) > 0 }
    /// Whether a dependency has failed, was skipped or was cancelled.
    var hasSeenFailure: Bool { hasFailedDependency.load(ordering: .acquiring) }

    var hasEnded: Bool { has(Flags.ended) }
    var hasFailed: Bool { has(Flags.failed) }
    var isQueued: Bool { has(Flags.queued) }
    /// Whether a caller outside the library has read `isReady`, and must be notified when it changes.
    var readinessWasRead: Bool { has(Flags.readinessRead) }
    /// Whether the operation has ended, and the graph has edges of the operation but has not recorded the end yet.
    var isEndUnsettled: Bool {
        let value = word.load(ordering: .sequentiallyConsistent)
        return value & (Flags.ended | Flags.settled) == Flags.ended && Self.number(value) != TopologicalOrder.none
    }

    /// Records the end of the operation.
    ///
    /// - Returns: whether the graph must record the end too; false for an operation without an edge.
    func end(hasFailed: Bool) -> Bool { setReturningNumber(hasFailed ? Flags.ended | Flags.failed : Flags.ended) }

    /// Records that a `RequestOperationQueue` retains the operation until its end. Call this before reading
    /// `isWaiting`.
    ///
    /// - Returns: whether the operation must be registered with the graph as a listener.
    func markQueued() -> Bool { setReturningNumber(Flags.queued) }

    /// Records that a caller reads `isReady`. Call this before reading `isWaiting`.
    ///
    /// - Returns: whether the operation must be registered with the graph as a listener.
    func recordReadinessQuery() -> Bool {
        readinessWasRead ? isInGraph : setReturningNumber(Flags.readinessRead)
    }

    private func has(_ flag: UInt64) -> Bool { word.load(ordering: .sequentiallyConsistent) & flag != 0 }

    /// Sets flags, and returns whether the node had a number at that moment.
    private func setReturningNumber(_ flags: UInt64) -> Bool {
        Self.number(word.bitwiseOr(flags, ordering: .sequentiallyConsistent).oldValue) != TopologicalOrder.none
    }

    private static func number(_ word: UInt64) -> TopologicalOrder.Node {
        TopologicalOrder.Node(truncatingIfNeeded: word >> Flags.numberShift) - 1
    }
}

// MARK: - Under the graph's lock

extension DependencyNode {
    /// Assigns a number to the node, which had none.
    func enter(_ number: TopologicalOrder.Node) {
        word.bitwiseOr(UInt64(number + 1) << Flags.numberShift, ordering: .sequentiallyConsistent)
    }

    /// Removes the node's number.
    func leave() { word.bitwiseAnd(Flags.all, ordering: .sequentiallyConsistent) }

    /// Records that the graph has propagated the end to all dependents.
    func settle() { word.bitwiseOr(Flags.settled, ordering: .sequentiallyConsistent) }

    func addUnfinishedDependency() { waitingCount.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// Returns whether no unfinished dependency is left.
    func removeUnfinishedDependency() -> Bool {
        waitingCount.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0
    }

    func setHasSeenFailure(_ hasFailed: Bool) { hasFailedDependency.store(hasFailed, ordering: .releasing) }
}
