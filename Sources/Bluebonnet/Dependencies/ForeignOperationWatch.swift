// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// The transitive dependencies of an operation of another kind, as far as Foundation knows them.
struct ForeignBackground {
    struct Entry {
        let operation: Operation
        let dependencies: [Operation]
    }

    private(set) var entries: [Entry] = []

    /// Reads an operation's dependencies, unless the graph knows the operation already. Not under a lock, because a
    /// subclass may override `dependencies`.
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

/// Reports the end of an operation of another kind, with a block operation that depends on it: Foundation has no other
/// notification.
enum ForeignOperationWatch {
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "org.bluebonnet.foreign-operations"
        queue.maxConcurrentOperationCount = 1
        return queue
    }()

    /// Watches an operation for the graph, until it has ended or no request operation waits for it.
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

    /// Ends a watch: first removes its dependency, because a watch that is only cancelled would leave a dangling
    /// pointer in the operation; then cancels it, because only that makes it ready after Foundation has counted the
    /// dependency.
    static func end(_ watch: BlockOperation, over operation: Operation) {
        watch.removeDependency(operation)
        watch.cancel()
    }
}
