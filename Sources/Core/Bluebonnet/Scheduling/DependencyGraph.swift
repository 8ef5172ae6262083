// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation

/// All edges between unfinished operations of the process: which operation waits for which operations, how many of them
/// are unfinished, and whether one of them has failed. A value guarded by one lock, which an operation without an edge
/// never takes.
///
/// The graph calls nothing and releases nothing under its lock: notifications and releases are collected as
/// `DependencyConsequences`. Dependents keep their dependencies alive, not the other way round. An operation has a
/// number only while it has an edge.
struct DependencyGraph: Sendable {
    private static let shared = Mutex(DependencyGraph())

    private struct Dependency {
        /// Nil if the entry is free.
        var operation: Operation?
        var policy = FailedDependencyPolicy.runAnyway
        /// False for the dependencies of a foreign operation (not a `RequestOperation`), which Foundation counts.
        var counts = true
        var isSettled = false
        var hasFailed = false
    }

    private var order = TopologicalOrder()
    private var members = DependencyMembers()
    private var dependencyByEdge: [Dependency] = []
    /// The consequences of the current change; empty otherwise.
    private var consequences = DependencyConsequences()

    /// Reads the graph under its lock.
    static func read<Result: Sendable>(_ body: (borrowing DependencyGraph) -> Result) -> Result {
        shared.withLock { body($0) }
    }

    /// Changes the graph under its lock. The caller carries out the consequences afterwards.
    static func change<Result: Sendable>(
        _ body: (inout DependencyGraph) -> Result
    ) -> (result: Result, consequences: DependencyConsequences) {
        shared.withLock { graph in
            let result = body(&graph)
            defer { graph.consequences = DependencyConsequences() }
            return (result, graph.consequences)
        }
    }
}

// MARK: - Adding and removing

extension DependencyGraph {
    enum Addition: Sendable {
        /// `needsWatch`: whether a foreign operation has to be watched from now on.
        case added(needsWatch: Bool)
        case known
        /// Each operation waits for the next; the last operation is the first again.
        case cycle([Operation])
    }

    /// Makes `dependent` wait for `dependency`. Does nothing if `dependent` has ended.
    ///
    /// - Parameter background: the known dependencies of `dependency`, if it is a foreign operation.
    mutating func add(
        _ dependency: Operation, to dependent: RequestOperation, policy: FailedDependencyPolicy,
        background: [ForeignBackground.Entry]
    ) -> Addition {
        let isNewForeign = !(dependency is RequestOperation) && !isKnown(dependency)
        let (from, to) = (number(for: dependent), number(for: dependency))
        defer {
            dropUnused(from)
            dropUnused(to)
        }
        // Checked only now: an end that comes later finds the number, and comes to the graph.
        guard !dependent.dependencyNode.hasEnded else { return .known }
        if isNewForeign { addBackground(background) }
        switch order.addEdge(from: from, to: to) {
        case .added(let edge):
            set(edge, Dependency(operation: dependency, policy: policy))
            if let node = members[to].node, node.hasEnded {
                // The dependent must not count as waiting even for a moment: no later event would report that it is
                // ready.
                record(edge, of: dependent.dependencyNode, hasFailed: node.hasFailed)
            } else {
                dependent.dependencyNode.addUnfinishedDependency()
            }
            return .added(needsWatch: isNewForeign)
        case .known(let edge):
            if policy == .skip { dependencyByEdge[Int(edge)].policy = .skip }  // the stricter policy applies
            return .known
        case .cycle(let numbers):
            return .cycle(numbers.compactMap { $0 == from ? dependent : $0 == to ? dependency : operation($0) })
        }
    }

    /// Returns the operation of a number for which another operation waits.
    private func operation(_ number: TopologicalOrder.Node) -> Operation? {
        let edge = order.nodeLinks[Int(number)].firstDependent
        return edge == TopologicalOrder.none ? nil : dependencyByEdge[Int(edge)].operation
    }

    /// Removes a dependency.
    mutating func remove(_ dependency: Operation, from dependent: RequestOperation) {
        guard let from = members.number(of: dependent), let to = members.number(of: dependency),
            let edge = order.edge(from: from, to: to)
        else { return }
        if settle(edge, of: dependent.dependencyNode, hasFailed: false) { consequences.ready.append(dependent) }
        let hadFailed = dependencyByEdge[Int(edge)].hasFailed
        removeEdge(edge)
        if hadFailed { dependent.dependencyNode.setHasSeenFailure(edges(of: dependent).contains(where: \.hasFailed)) }
        dropUnused(from)
        dropUnused(to)
    }

    /// Registers an operation, which the graph notifies when it is ready.
    mutating func listen(_ operation: RequestOperation) { members.listen(operation) }
}

// MARK: - Ends

extension DependencyGraph {
    /// Records the end of a request operation, and releases its dependencies. A second call does nothing.
    mutating func finish(_ operation: RequestOperation) {
        let node = operation.dependencyNode
        guard node.isEndUnsettled else { return }
        members[node.number].queued = nil  // the caller retains the operation
        finish(node.number, node)
    }

    /// Records the end of a foreign operation.
    mutating func finishForeign(_ operation: Operation, hasFailed: Bool) {
        guard let number = members.number(of: operation), let node = members[number].node else { return }
        members[number].watch = nil  // the watch is running, so it stays alive
        _ = node.end(hasFailed: hasFailed)
        finish(number, node)
    }

    private mutating func finish(_ number: TopologicalOrder.Node, _ node: DependencyNode) {
        node.settle()
        var next = order.nodeLinks[Int(number)].firstDependent
        while next != TopologicalOrder.none {
            let (edge, dependent) = (next, order.edgeLinks[Int(next)].dependent)
            next = order.edgeLinks[Int(edge)].nextDependent
            guard let dependentNode = members[dependent].node,
                settle(edge, of: dependentNode, hasFailed: node.hasFailed),
                let operation = members[dependent].queued ?? members[dependent].listener
            else { continue }
            consequences.ready.append(operation)
        }
        releaseDependencies(of: number)
    }

    /// Releases the dependencies of an operation that has ended, or that is being deallocated and has no dependents.
    mutating func releaseDependencies(of number: TopologicalOrder.Node) {
        guard number != TopologicalOrder.none else { return }
        removeDependencies(of: number).visit { dropUnused($0) }
        dropUnused(number)
    }

    private mutating func record(_ edge: TopologicalOrder.Edge, of dependent: DependencyNode, hasFailed: Bool) {
        dependencyByEdge[Int(edge)].isSettled = true
        dependencyByEdge[Int(edge)].hasFailed = hasFailed
        if hasFailed { dependent.setHasSeenFailure(true) }
    }

    /// Marks an edge as settled; returns whether its dependent has no unfinished dependencies left.
    private mutating func settle(
        _ edge: TopologicalOrder.Edge, of dependent: DependencyNode, hasFailed: Bool
    ) -> Bool {
        guard dependencyByEdge[Int(edge)].counts, !dependencyByEdge[Int(edge)].isSettled else { return false }
        record(edge, of: dependent, hasFailed: hasFailed)
        return dependent.removeUnfinishedDependency()
    }
}

// MARK: - Queries

extension DependencyGraph {
    /// Returns the dependencies of an operation, including finished ones, in the order in which they were added.
    func dependencies(of operation: RequestOperation) -> [Operation] { edges(of: operation).compactMap(\.operation) }

    /// Returns the first failed dependency whose edge has the policy `skip`.
    ///
    /// - Parameter all: whether every edge counts as `skip`.
    func firstFailure(of operation: RequestOperation, all: Bool) -> Operation? {
        edges(of: operation).first { $0.hasFailed && (all || $0.policy == .skip) }?.operation
    }

    private func edges(of operation: RequestOperation) -> [Dependency] {
        guard let number = members.number(of: operation) else { return [] }
        var edges: [Dependency] = []
        order.forEachDependency(of: number) { edges.append(dependencyByEdge[Int($0)]) }
        return edges
    }

    /// Whether there are no edges.
    var isEmpty: Bool { order.count == 0 }

    /// Returns whether an operation already has a number.
    func isKnown(_ operation: Operation) -> Bool { members.number(of: operation) != nil }
}

// MARK: - Numbers

extension DependencyGraph {
    private mutating func number(for operation: Operation) -> TopologicalOrder.Node {
        if let number = members.number(of: operation) { return number }
        let number = order.addNode()
        members.add(operation, as: number)
        return number
    }

    private mutating func set(_ edge: TopologicalOrder.Edge, _ dependency: Dependency) {
        if edge == dependencyByEdge.count { dependencyByEdge.append(Dependency()) }
        dependencyByEdge[Int(edge)] = dependency
    }

    private mutating func removeEdge(_ edge: TopologicalOrder.Edge) {
        if let dependency = dependencyByEdge[Int(edge)].operation.take() { consequences.released.append(dependency) }
        order.removeEdge(edge)
    }

    /// Removes the edges from a node to its dependencies, and returns the dependencies.
    private mutating func removeDependencies(of number: TopologicalOrder.Node) -> InlineList<TopologicalOrder.Node> {
        var dependencies = InlineList<TopologicalOrder.Node>()
        while case let edge = order.nodeLinks[Int(number)].firstDependency, edge != TopologicalOrder.none {
            dependencies.append(order.edgeLinks[Int(edge)].dependency)
            removeEdge(edge)
        }
        return dependencies
    }

    /// Removes a node without edges. The dependencies of a foreign operation are removed together with the last
    /// operation that waits for it. Not recursive, because the chain may be long.
    private mutating func dropUnused(_ number: TopologicalOrder.Node) {
        var (next, others): (TopologicalOrder.Node?, [TopologicalOrder.Node]) = (number, [])
        while let number = next {
            if members.contains(number), !order.hasDependents(number) {
                if members[number].foreign != nil { others += removeDependencies(of: number).all }
                if order.isUnused(number) { forget(number) }
            }
            next = others.popLast()
        }
    }

    private mutating func forget(_ number: TopologicalOrder.Node) {
        members.remove(number, &consequences)
        order.removeNode(number)
        if order.count == 0 { (members, dependencyByEdge) = (DependencyMembers(), []) }
    }
}

// MARK: - Foreign operations

extension DependencyGraph {
    /// Adds the dependencies of foreign operations. An edge that would close a cycle among them is omitted, because
    /// Foundation allows such cycles.
    private mutating func addBackground(_ entries: [ForeignBackground.Entry]) {
        for entry in entries {
            let from = number(for: entry.operation)
            for dependency in entry.dependencies {
                let to = number(for: dependency)
                guard case .added(let edge) = order.addEdge(from: from, to: to) else { continue }
                set(edge, Dependency(operation: dependency, counts: false))
            }
        }
    }

    /// Stores the watch of a foreign operation; returns false if no operation waits for the foreign operation any more,
    /// or if it already has a watch.
    mutating func setWatch(_ watch: BlockOperation, on operation: Operation) -> Bool {
        guard let number = members.number(of: operation), members[number].watch == nil else { return false }
        members[number].watch = watch
        return true
    }
}

/// The work that a change of the dependency graph leaves for the time after the graph's lock was released: notifying an
/// operation and releasing a reference may both run other code.
struct DependencyConsequences: Sendable {
    /// The operations that have no unfinished dependencies left.
    var ready = InlineList<RequestOperation>()
    /// References that the graph retained; released with this value.
    var released = InlineList<Operation>()
    var endedWatches: [EndedWatch] = []

    struct EndedWatch: Sendable {
        let watch: BlockOperation
        let operation: Operation
    }

    /// Ends the watches and notifies the operations that are ready. Other references are released with this value.
    func carryOut() {
        endWatches()
        ready.visit { $0.dependenciesSettled() }
    }

    func endWatches() {
        for ended in endedWatches { OperationWatch.end(ended.watch, over: ended.operation) }
    }
}
