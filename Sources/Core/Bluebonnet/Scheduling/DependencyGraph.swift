// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation

/// All edges between unfinished operations of the process: which operation waits for which, for how many each still
/// waits, and whether one of those has failed. A value behind one lock, which an operation without an edge never takes.
///
/// The graph calls nothing and releases nothing under its lock: what has to be told and released is collected as
/// `DependencyConsequences`. Dependents keep their dependencies alive, not the other way round. An operation has a
/// number
/// only while it has an edge.
struct DependencyGraph: Sendable {
    private static let shared = Mutex(DependencyGraph())

    private struct Dependency {
        /// Nil where the entry is free.
        var operation: Operation?
        var policy = FailedDependencyPolicy.runAnyway
        /// False for the dependencies of an operation of another kind, which Foundation counts.
        var counts = true
        var isSettled = false
        var hasFailed = false
    }

    private var order = TopologicalOrder()
    private var members = DependencyMembers()
    private var dependencyByEdge: [Dependency] = []
    /// Of the change that is being made; empty otherwise.
    private var consequences = DependencyConsequences()

    /// Reads the graph under its lock.
    static func read<Result: Sendable>(_ body: (borrowing DependencyGraph) -> Result) -> Result {
        shared.withLock { body($0) }
    }

    /// Changes the graph under its lock. Carry the consequences out afterwards.
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
        /// Whether an operation of another kind has to be watched from now on.
        case added(needsWatch: Bool)
        case known
        /// Each operation waits for the next; the last is the first.
        case cycle([Operation])
    }

    /// Makes `dependent` wait for `dependency`. Does nothing when `dependent` has ended.
    ///
    /// - Parameter background: the known dependencies of an operation of another kind.
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
        // Asked only now: an end that comes later finds the number, and comes to the graph.
        guard !dependent.dependencyNode.hasEnded else { return .known }
        if isNewForeign { addBackground(background) }
        switch order.addEdge(from: from, to: to) {
        case .added(let edge):
            set(edge, Dependency(operation: dependency, policy: policy))
            if let node = members[to].node, node.hasEnded {
                // The dependent must not count as waiting even for a moment: nothing would tell it afterwards that it
                // is ready.
                note(edge, of: dependent.dependencyNode, hasFailed: node.hasFailed)
            } else {
                dependent.dependencyNode.addUnfinishedDependency()
            }
            return .added(needsWatch: isNewForeign)
        case .known(let edge):
            if policy == .skip { dependencyByEdge[Int(edge)].policy = .skip }  // the stricter of the two holds
            return .known
        case .cycle(let numbers):
            return .cycle(numbers.compactMap { $0 == from ? dependent : $0 == to ? dependency : operation($0) })
        }
    }

    /// An operation that another one waits for.
    private func operation(_ number: TopologicalOrder.Node) -> Operation? {
        let edge = order.nodeLinks[Int(number)].firstDependent
        return edge == TopologicalOrder.none ? nil : dependencyByEdge[Int(edge)].operation
    }

    /// Removes an edge.
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

    /// Lets the graph tell an operation when it is ready.
    mutating func listen(_ operation: RequestOperation) { members.listen(operation) }
}

// MARK: - Ends

extension DependencyGraph {
    /// Notes the end of a request operation, and releases its dependencies. Does nothing the second time.
    mutating func finish(_ operation: RequestOperation) {
        let node = operation.dependencyNode
        guard node.isEndUnsettled else { return }
        members[node.number].queued = nil  // the caller holds the operation
        finish(node.number, node)
    }

    /// Notes the end of an operation of another kind.
    mutating func finishForeign(_ operation: Operation, hasFailed: Bool) {
        guard let number = members.number(of: operation), let node = members[number].node else { return }
        members[number].watch = nil  // it runs, so it is kept alive
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

    private mutating func note(_ edge: TopologicalOrder.Edge, of dependent: DependencyNode, hasFailed: Bool) {
        dependencyByEdge[Int(edge)].isSettled = true
        dependencyByEdge[Int(edge)].hasFailed = hasFailed
        if hasFailed { dependent.setHasSeenFailure(true) }
    }

    /// Marks an edge as settled; true when its dependent has no unfinished dependency any more.
    private mutating func settle(
        _ edge: TopologicalOrder.Edge, of dependent: DependencyNode, hasFailed: Bool
    ) -> Bool {
        guard dependencyByEdge[Int(edge)].counts, !dependencyByEdge[Int(edge)].isSettled else { return false }
        note(edge, of: dependent, hasFailed: hasFailed)
        return dependent.removeUnfinishedDependency()
    }
}

// MARK: - Questions

extension DependencyGraph {
    /// The dependencies of an operation, finished ones included, in the order in which they were added.
    func dependencies(of operation: RequestOperation) -> [Operation] { edges(of: operation).compactMap(\.operation) }

    /// The first dependency that failed and whose edge says that the operation is skipped then.
    ///
    /// - Parameter all: whether every edge says so.
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

    /// Whether an operation has a number already.
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

    /// Removes the edges to what a node waits for, and returns the nodes at their other ends.
    private mutating func removeDependencies(of number: TopologicalOrder.Node) -> SmallList<TopologicalOrder.Node> {
        var dependencies = SmallList<TopologicalOrder.Node>()
        while case let edge = order.nodeLinks[Int(number)].firstDependency, edge != TopologicalOrder.none {
            dependencies.append(order.edgeLinks[Int(edge)].dependency)
            removeEdge(edge)
        }
        return dependencies
    }

    /// Removes a node without edges. The dependencies of an operation of another kind go with the last operation that
    /// waits for it; not recursive, because the chain may be long.
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

// MARK: - Operations of other kinds

extension DependencyGraph {
    /// Adds the dependencies of operations of another kind. An edge that would close a cycle among them is left out;
    /// Foundation allows it.
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

    /// Stores the watch of an operation of another kind; false when no operation waits for it any more, or when it has
    /// a watch already.
    mutating func setWatch(_ watch: BlockOperation, on operation: Operation) -> Bool {
        guard let number = members.number(of: operation), members[number].watch == nil else { return false }
        members[number].watch = watch
        return true
    }
}

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
