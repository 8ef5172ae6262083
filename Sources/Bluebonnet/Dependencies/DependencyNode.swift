// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// An operation's place in the graph: an object of its own, so that the graph needs no reference to an operation that
/// may just be going. The graph changes it under its lock; what others note or read is atomic.
final class DependencyNode: Sendable {
    let node = Atomic<TopologicalOrder.Node>(TopologicalOrder.none)
    let waiting = Atomic<Int32>(0)
    let hasFailedDependency = Atomic<Bool>(false)
    private let ending = Atomic<UInt8>(0)
    /// Whether a queue of ours holds the operation, or who delivers its end; one does until it has ended here.
    private let isQueued = Atomic<Bool>(false)
    /// Whether anybody but the library has asked whether the operation is ready.
    private let wasAskedOf = Atomic<Bool>(false)
    /// Of an operation of another kind.
    let foreignID: ObjectIdentifier?
    private let parties: Mutex<Parties>

    private struct Parties {
        /// The request operation whose place this is. Used only while something holds it: a queue of ours; who delivers
        /// its end, until the graph has noted it; what waits for it; or its own call.
        unowned(unsafe) var request: RequestOperation?
        /// The same one, when it is in no queue of ours and somebody was told that it is not ready.
        weak var listener: RequestOperation?
        /// An operation of another kind, and what tells of its end.
        weak var foreign: Operation?
        var watch: BlockOperation?
    }

    private static let finished: UInt8 = 1
    private static let failed: UInt8 = 3

    /// A request operation's, which calls `belong(to:)`.
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

    /// Whether it has, or had, any edge that is still in the graph.
    var isInGraph: Bool { node.load(ordering: .relaxed) != TopologicalOrder.none }
    /// Whether something it waits for is unfinished.
    var isWaiting: Bool { waiting.load(ordering: .sequentiallyConsistent) > 0 }
    /// Whether something it waited for did not succeed.
    var hasSeenFailure: Bool { hasFailedDependency.load(ordering: .acquiring) }

    /// Whether anybody but the library has asked whether it is ready, and has to be told when that changes.
    var wasAsked: Bool { wasAskedOf.load(ordering: .sequentiallyConsistent) }

    /// Somebody asks whether it is ready. Whether it waits has to be looked at after this.
    func noteQuestion() { wasAskedOf.store(true, ordering: .sequentiallyConsistent) }

    /// A queue of ours holds the operation from now on. Whether it waits has to be looked at after this.
    func noteQueue() { isQueued.store(true, ordering: .sequentiallyConsistent) }
}

// MARK: - Under the graph's lock

extension DependencyNode {
    var isFinished: Bool { ending.load(ordering: .relaxed) != 0 }
    var hasFailed: Bool { ending.load(ordering: .relaxed) == Self.failed }

    func end(hasFailed: Bool) { ending.store(hasFailed ? Self.failed : Self.finished, ordering: .relaxed) }

    /// The operation to be told that it is ready. One that is in no queue, and was not asked, needs not be told; it may
    /// be going.
    var operationToTell: RequestOperation? {
        let isHeld = isQueued.load(ordering: .sequentiallyConsistent) && !isFinished
        return parties.withLock { isHeld ? $0.request : $0.listener }
    }

    /// The operation, when something that is alive waits for it.
    var operationWithDependents: Operation? { parties.withLock { $0.request ?? $0.foreign } }

    /// Somebody was told that it is not ready.
    func listen() {
        guard !isQueued.load(ordering: .relaxed) else { return }
        parties.withLock { $0.listener = $0.request }
    }

    /// The operation of another kind, unless it is going.
    var foreign: Operation? { parties.withLock { $0.foreign } }

    /// What tells of the end of an operation of another kind.
    var watch: BlockOperation? {
        get { parties.withLock { $0.watch } }
        set { parties.withLock { $0.watch = newValue } }
    }
}
