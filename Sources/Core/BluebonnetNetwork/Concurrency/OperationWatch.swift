// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Reports the end of operations that do not belong to the library. A block operation that depends on them makes the
/// report, because Foundation has no other notification. Any thread; reports run serially on a queue of the library and
/// must be short.
package enum OperationWatch {
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "org.bluebonnet.operation-watch"
        queue.maxConcurrentOperationCount = 1
        return queue
    }()

    /// Calls `report` when all of the operations have ended.
    package static func begin(_ operations: [Operation], _ report: @escaping @Sendable () -> Void) {
        begin(make(operations, report))
    }

    /// Makes a watch without starting it.
    package static func make(_ operations: [Operation], _ report: @escaping @Sendable () -> Void) -> BlockOperation {
        let watch = BlockOperation(block: report)
        for operation in operations { watch.addDependency(operation) }
        return watch
    }

    package static func begin(_ watch: BlockOperation) { queue.addOperation(watch) }

    /// Ends a watch early. The dependency is removed first: a watch that is only cancelled would leave a dangling
    /// pointer in the operation. The watch is then cancelled, because only cancellation makes it ready after Foundation
    /// has counted the dependency.
    package static func end(_ watch: BlockOperation, over operation: Operation) {
        watch.removeDependency(operation)
        watch.cancel()
    }
}
