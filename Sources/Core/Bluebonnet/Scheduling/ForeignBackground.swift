// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The transitive dependencies of a foreign operation (not a `RequestOperation`), as far as Foundation knows them.
struct ForeignBackground {
    struct Entry {
        let operation: Operation
        let dependencies: [Operation]
    }

    private(set) var entries: [Entry] = []

    /// Reads an operation's dependencies, unless the graph already knows the operation. Not called under a lock,
    /// because a subclass may override `dependencies`.
    init(of operation: Operation) {
        guard !(operation is RequestOperation), !DependencyGraph.read({ $0.isKnown(operation) }) else {
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
