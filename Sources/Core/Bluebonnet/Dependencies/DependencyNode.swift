// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// What an operation and the dependency graph both know of its edges: its number in the graph, for how many
/// dependencies it waits, and whether it has ended. A separate object, so that the graph needs no reference to an
/// operation that may be in deallocation. Any thread; the graph's part changes under the graph's lock.
final class DependencyNode: Sendable {
    private struct Flags {
        static let ended: UInt64 = 1
        static let failed: UInt64 = 2
        /// The graph has noted the end.
        static let settled: UInt64 = 4
        /// A `RequestOperationQueue` holds the operation until its end.
        static let queued: UInt64 = 8
        /// A caller outside the library has read `isReady`.
        static let asked: UInt64 = 16
        static let all: UInt64 = 31
        /// Above the flags: the number in the graph, plus one.
        static let numberShift: UInt64 = 5
    }

    /// The flags and the number are in one word: whether an operation ends before or after it gets its first edge, and
    /// whether it is in a queue by then, has one answer, without a lock.
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
    /// Whether a caller outside the library has read `isReady`, and has to be told when it changes.
    var wasAsked: Bool { has(Flags.asked) }
    /// Whether the operation has ended, and the graph has edges that do not know yet.
    var isEndUnsettled: Bool {
        let value = word.load(ordering: .sequentiallyConsistent)
        return value & (Flags.ended | Flags.settled) == Flags.ended && Self.number(value) != TopologicalOrder.none
    }

    /// Notes the end of the operation.
    ///
    /// - Returns: whether the graph has to note the end too; false for an operation without an edge.
    func end(hasFailed: Bool) -> Bool { setReturningNumber(hasFailed ? Flags.ended | Flags.failed : Flags.ended) }

    /// Notes that a `RequestOperationQueue` keeps the operation alive until its end. Call this before reading
    /// `isWaiting`.
    ///
    /// - Returns: whether the graph has to be told who listens.
    func noteQueue() -> Bool { setReturningNumber(Flags.queued) }

    /// Notes that a caller reads `isReady`. Call this before reading `isWaiting`.
    ///
    /// - Returns: whether the graph has to be told who listens.
    func noteQuestion() -> Bool {
        wasAsked ? isInGraph : setReturningNumber(Flags.asked)
    }

    private func has(_ flag: UInt64) -> Bool { word.load(ordering: .sequentiallyConsistent) & flag != 0 }

    /// Sets flags; true when the node had a number then.
    private func setReturningNumber(_ flags: UInt64) -> Bool {
        Self.number(word.bitwiseOr(flags, ordering: .sequentiallyConsistent).oldValue) != TopologicalOrder.none
    }

    private static func number(_ word: UInt64) -> TopologicalOrder.Node {
        TopologicalOrder.Node(truncatingIfNeeded: word >> Flags.numberShift) - 1
    }
}

// MARK: - Under the graph's lock

extension DependencyNode {
    /// Gives the node a number; it had none.
    func enter(_ number: TopologicalOrder.Node) {
        word.bitwiseOr(UInt64(number + 1) << Flags.numberShift, ordering: .sequentiallyConsistent)
    }

    /// Takes the number back.
    func leave() { word.bitwiseAnd(Flags.all, ordering: .sequentiallyConsistent) }

    /// Notes that all dependents know of the end.
    func settle() { word.bitwiseOr(Flags.settled, ordering: .sequentiallyConsistent) }

    func addUnfinishedDependency() { waitingCount.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// True when no dependency is unfinished any more.
    func removeUnfinishedDependency() -> Bool {
        waitingCount.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0
    }

    func setHasSeenFailure(_ hasFailed: Bool) { hasFailedDependency.store(hasFailed, ordering: .releasing) }
}
