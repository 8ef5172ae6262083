// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// One operation's place in the graph: what it waits for and what waits for it. A value, guarded by its operation's
/// lock; adding or removing an edge costs the same however many there are.
struct DependencyNode: Sendable {
    private struct Dependency {
        let operation: Operation
        let number: Int
    }

    /// Dependents are not kept alive: one that is dropped without being started is simply not told.
    private struct Dependent {
        weak var operation: RequestOperation?
    }

    private var dependencies: [ObjectIdentifier: Dependency] = [:]
    private var unfinished: Set<ObjectIdentifier> = []
    private var dependents: [ObjectIdentifier: Dependent] = [:]
    private var nextNumber = 0
    private var isFinished = false

    var unfinishedCount: Int { unfinished.count }

    /// What the operation depends on, in the order in which it was added.
    var operations: [Operation] {
        dependencies.values.sorted { $0.number < $1.number }.map(\.operation)
    }

    /// Adds an unfinished dependency; false when it is there already, or when this operation is finished itself.
    mutating func add(_ operation: Operation) -> Bool {
        let id = ObjectIdentifier(operation)
        guard !isFinished, dependencies[id] == nil else { return false }
        dependencies[id] = Dependency(operation: operation, number: nextNumber)
        nextNumber += 1
        unfinished.insert(id)
        return true
    }

    /// Takes a dependency away; true when it was the last unfinished one.
    mutating func remove(_ operation: Operation) -> Bool {
        dependencies[ObjectIdentifier(operation)] = nil
        return settle(operation)
    }

    /// Notes that a dependency has finished; true when it was the last unfinished one.
    mutating func settle(_ operation: Operation) -> Bool {
        unfinished.remove(ObjectIdentifier(operation)) != nil && unfinished.isEmpty
    }

    /// Adds an operation to tell when this one is finished; false when it is finished already.
    mutating func addDependent(_ operation: RequestOperation) -> Bool {
        guard !isFinished else { return false }
        dependents[ObjectIdentifier(operation)] = Dependent(operation: operation)
        return true
    }

    mutating func removeDependent(_ operation: RequestOperation) {
        dependents[ObjectIdentifier(operation)] = nil
    }

    /// Marks the operation finished and gives whom to tell.
    mutating func finish() -> [RequestOperation] {
        isFinished = true
        defer { dependents = [:] }
        return dependents.values.compactMap(\.operation)
    }

    /// Lets go of the dependencies, which keep one another alive along a chain.
    mutating func takeDependencies() -> [Operation] {
        defer {
            dependencies = [:]
            unfinished = []
        }
        return dependencies.values.map(\.operation)
    }

    /// Releases operations without recursion, however long the chain behind them.
    static func release(_ operations: consuming [Operation]) {
        var last = operations
        while var operation = last.popLast() {
            guard isKnownUniquelyReferenced(&operation), let request = operation as? RequestOperation else { continue }
            last += request.shared.withLock { $0.node.takeDependencies() }
        }
    }
}

// MARK: - Edges

extension RequestOperation {
    func addEdge(to operation: Operation) {
        precondition(operation !== self, "an operation cannot depend on itself")
        let (isNew, wasReady) = shared.withLock { state in
            let wasReady = state.isReady
            return (state.node.add(operation), wasReady)
        }
        guard isNew else { return }
        if wasReady { announceReadiness(isReady: false) }
        if let request = operation as? RequestOperation {
            let isWaiting = request.shared.withLock { $0.node.addDependent(self) }
            if !isWaiting { dependencyFinished(request) }
        } else {
            ForeignOperationWatch.whenFinished(operation) { [weak self] in self?.dependencyFinished(operation) }
        }
    }

    func removeEdge(to operation: Operation) {
        let isReady = shared.withLock { $0.node.remove(operation) && $0.isReady }
        (operation as? RequestOperation)?.shared.withLock { $0.node.removeDependent(self) }
        if isReady { announceReadiness(isReady: true) }
    }

    func dependencyFinished(_ operation: Operation) {
        let isReady = shared.withLock { $0.node.settle(operation) && $0.isReady }
        if isReady { announceReadiness(isReady: true) }
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

    static func whenFinished(_ operation: Operation, _ action: @escaping @Sendable () -> Void) {
        let watch = BlockOperation(block: action)
        watch.addDependency(operation)
        queue.addOperation(watch)
    }
}
