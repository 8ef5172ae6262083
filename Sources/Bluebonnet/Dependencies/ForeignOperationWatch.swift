// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// What an operation of another kind waits for, and what that waits for, as far as Foundation tells.
struct ForeignBackground {
    struct Entry {
        let operation: Operation
        let dependencies: [Operation]
    }

    private(set) var entries: [Entry] = []

    /// Looks at an operation's dependencies, unless it is known to the graph already. Not under a lock: `dependencies`
    /// may be somebody's own.
    init(of operation: Operation) {
        guard !(operation is RequestOperation), !DependencyGraph.shared.withLock({ $0.isKnown(operation) }) else {
            return
        }
        var (open, seen) = ([operation], Set([ObjectIdentifier(operation)]))
        while let next = open.popLast() {
            let dependencies = next.dependencies
            guard !dependencies.isEmpty else { continue }
            entries.append(Entry(operation: next, dependencies: dependencies))
            open += dependencies.filter { dependency in
                !(dependency is RequestOperation) && seen.insert(ObjectIdentifier(dependency)).inserted
            }
        }
    }
}

/// Learns when an operation that is not ours ends: Foundation tells only another operation that depends on it.
enum ForeignOperationWatch {
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "org.bluebonnet.foreign-operations"
        queue.maxConcurrentOperationCount = 1
        return queue
    }()

    /// Watches an operation for the graph, until it has ended or nothing of ours waits for it.
    static func begin(_ operation: Operation) {
        let watch = BlockOperation {
            let hasFailed = operation.isCancelled
            DependencyGraph.shared.withLock { $0.finishForeign(operation, hasFailed: hasFailed) }.carryOut()
        }
        watch.addDependency(operation)
        let isWanted = DependencyGraph.shared.withLock { $0.setWatch(watch, on: operation) }
        queue.addOperation(watch)
        if !isWanted { end(watch, over: operation) }
    }

    /// Gives a watch up. The dependency goes first: a watch that is only cancelled would leave a dangling pointer in
    /// the operation; and only cancelling makes it ready then, because Foundation keeps the count.
    static func end(_ watch: BlockOperation, over operation: Operation) {
        watch.removeDependency(operation)
        watch.cancel()
    }
}
