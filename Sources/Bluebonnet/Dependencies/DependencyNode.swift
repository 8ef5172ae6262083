// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// An operation's node in the dependency graph. A separate object, so that the graph needs no reference to an operation
/// that may be in deallocation. The graph changes the node under its lock; everything else is atomic.
final class DependencyNode: Sendable {
    let node = Atomic<TopologicalOrder.Node>(TopologicalOrder.none)
    let waiting = Atomic<Int32>(0)
    let hasFailedDependency = Atomic<Bool>(false)
    private let ending = Atomic<UInt8>(0)
    /// Whether a `RequestOperationQueue`, and later the delivery of the end, keeps the operation alive until the graph
    /// has noted its end.
    private let isQueued = Atomic<Bool>(false)
    /// Whether a caller outside the library has read `isReady`.
    private let wasAskedOf = Atomic<Bool>(false)
    /// The identity of an operation of another kind; nil for a request operation.
    let foreignID: ObjectIdentifier?
    private let parties: Mutex<Parties>

    private struct Parties {
        /// The request operation of this node. The reference is used only while one of these keeps the operation alive:
        /// a `RequestOperationQueue`; the delivery of its end, until the graph has noted the end; a dependent; a call
        /// of the operation's own method.
        unowned(unsafe) var request: RequestOperation?
        /// The request operation, when it is in no `RequestOperationQueue` and a caller was told that it is not ready.
        weak var listener: RequestOperation?
        /// The operation of another kind; `watch` reports its end.
        weak var foreign: Operation?
        var watch: BlockOperation?
    }

    private static let finished: UInt8 = 1
    private static let failed: UInt8 = 3

    /// Makes the node of a request operation, which then calls `belong(to:)`.
    init() {
        foreignID = nil
        parties = Mutex(Parties())
    }

    init(ofForeign operation: Operation) {
        foreignID = ObjectIdentifier(operation)
        parties = Mutex(Parties(foreign: operation))
    }

    func belong(to operation: RequestOperation) {
        parties.withLock { $0.request = operation }
    }

    /// Whether the graph has a node for the operation.
    var isInGraph: Bool { node.load(ordering: .relaxed) != TopologicalOrder.none }
    /// Whether a dependency is unfinished.
    var isWaiting: Bool { waiting.load(ordering: .sequentiallyConsistent) > 0 }
    /// Whether a dependency has failed, was skipped or was cancelled.
    var hasSeenFailure: Bool { hasFailedDependency.load(ordering: .acquiring) }

    /// Whether a caller outside the library has read `isReady`, and has to be told when it changes.
    var wasAsked: Bool { wasAskedOf.load(ordering: .sequentiallyConsistent) }

    /// Notes that a caller reads `isReady`. Call this before reading `isWaiting`.
    func noteQuestion() { wasAskedOf.store(true, ordering: .sequentiallyConsistent) }

    /// Notes that a `RequestOperationQueue` keeps the operation alive from now on. Call this before reading
    /// `isWaiting`.
    func noteQueue() { isQueued.store(true, ordering: .sequentiallyConsistent) }
}

// MARK: - Under the graph's lock

extension DependencyNode {
    var isFinished: Bool { ending.load(ordering: .relaxed) != 0 }
    var hasFailed: Bool { ending.load(ordering: .relaxed) == Self.failed }

    func end(hasFailed: Bool) { ending.store(hasFailed ? Self.failed : Self.finished, ordering: .relaxed) }

    /// The operation to tell that it is ready. Nil for an operation that is in no queue and whose `isReady` was not
    /// read: it need not be told, and may be in deallocation.
    var operationToTell: RequestOperation? {
        let isHeld = isQueued.load(ordering: .sequentiallyConsistent) && !isFinished
        return parties.withLock { isHeld ? $0.request : $0.listener }
    }

    /// The operation. Call this only while a dependent is alive.
    var operationWithDependents: Operation? { parties.withLock { $0.request ?? $0.foreign } }

    /// Notes that a caller was told that the operation is not ready.
    func listen() {
        guard !isQueued.load(ordering: .relaxed) else { return }
        parties.withLock { $0.listener = $0.request }
    }

    /// The operation of another kind; nil once it is deallocated.
    var foreign: Operation? { parties.withLock { $0.foreign } }

    /// The block that reports the end of an operation of another kind.
    var watch: BlockOperation? {
        get { parties.withLock { $0.watch } }
        set { parties.withLock { $0.watch = newValue } }
    }
}
