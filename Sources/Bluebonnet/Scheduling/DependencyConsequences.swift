// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// What a change of the dependency graph leaves to do after the graph's lock was released: telling an operation and
/// releasing a reference may both run other code.
struct DependencyConsequences: Sendable {
    /// The operations that have no unfinished dependency any more.
    var ready = SmallList<RequestOperation>()
    /// What the graph kept alive; released with this value.
    var released = SmallList<Operation>()
    var endedWatches: [EndedWatch] = []

    struct EndedWatch: Sendable {
        let watch: BlockOperation
        let operation: Operation
    }

    /// Tells the operations that are ready. The other references are released with the value.
    func carryOut() {
        endWatches()
        ready.visit { $0.dependenciesSettled() }
    }

    func endWatches() {
        for ended in endedWatches { OperationWatch.end(ended.watch, over: ended.operation) }
    }
}
