// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// All edges between unfinished operations of the process: which operation waits for which, for how many each still
/// waits, and whether one of those has failed. A value behind one lock. It calls no operation; its methods return the
/// operations to tell.
///
/// Dependents keep their dependencies alive, not the other way round. An operation has a node only while it has an
/// edge.
struct DependencyGraph: Sendable {
    static let shared = Mutex(DependencyGraph())

    private struct Dependency {
        /// Nil where the entry is free.
        var operation: Operation?
        var policy = FailedDependencyPolicy.runAnyway
        /// False for the dependencies of an operation of another kind, which Foundation counts.
        var counts = true
        var isSettled = false
        var hasFailed = false
    }

    /// What the caller has to do after it has released the lock.
    struct Consequences {
        /// The operations that have no unfinished dependency any more.
        var ready = SmallList<RequestOperation>()
        /// References to release outside the lock, because a release may run other code.
        var released = SmallList<Operation>()
        var endedWatches: [(watch: BlockOperation, operation: Operation)] = []
    }

    private var order = TopologicalOrder()
    /// By node; nil where the number is free.
    private var dependencyNodes: [DependencyNode?] = []
    private var dependencyByEdge: [Dependency] = []
    private var foreignNodes: [ObjectIdentifier: TopologicalOrder.Node] = [:]
}

// MARK: - Adding and removing

extension DependencyGraph {
    enum Addition {
        /// Whether an operation of another kind has to be watched from now on.
        case added(needsWatch: Bool)
        case known
        /// A cycle: each operation waits for the next; the last is the first. The consequences only hold references to
        /// release.
        case cycle([Operation], Consequences)
    }

    /// Makes `dependent` wait for `dependency`.
    ///
    /// - Parameter background: the known dependencies of an operation of another kind.
    mutating func add(
        _ dependency: Operation, to dependent: RequestOperation, policy: FailedDependencyPolicy,
        background: [ForeignBackground.Entry]
    ) -> Addition {
        guard !dependent.dependencyNode.isFinished else { return .known }
        let from = node(for: dependent)
        let isNewForeign = !(dependency is RequestOperation) && foreignNodes[ObjectIdentifier(dependency)] == nil
        let to = node(for: dependency)
        if isNewForeign { addBackground(background) }
        switch order.addEdge(from: from, to: to) {
        case .added(let edge):
            setDependency(edge, Dependency(operation: dependency, policy: policy))
            if let dependencyNode = dependencyNodes[Int(to)], dependencyNode.isFinished {
                // The dependent must not count as waiting even for a moment: nothing would tell it afterwards that it
                // is ready.
                note(edge, of: dependent.dependencyNode, hasFailed: dependencyNode.hasFailed)
            } else {
                dependent.dependencyNode.waiting.wrappingAdd(1, ordering: .sequentiallyConsistent)
            }
            return .added(needsWatch: isNewForeign)
        case .known(let edge):
            if policy == .skip { dependencyByEdge[Int(edge)].policy = .skip }  // the stricter of the two holds
            return .known
        case .cycle(let nodes):
            let operations = nodes.compactMap { node in
                node == from ? dependent : dependencyNodes[Int(node)]?.operationWithDependents
            }
            var unused = Consequences()
            dropUnused(from, &unused)
            dropUnused(to, &unused)
            return .cycle(operations, unused)
        }
    }

    /// Removes an edge.
    mutating func remove(_ dependency: Operation, from dependent: RequestOperation) -> Consequences {
        var consequences = Consequences()
        guard let from = existingNode(of: dependent), let to = existingNode(of: dependency),
            let edge = order.edge(from: from, to: to)
        else { return consequences }
        if settle(edge, of: dependent.dependencyNode, hasFailed: false) { consequences.ready.append(dependent) }
        let hadFailed = dependencyByEdge[Int(edge)].hasFailed
        removeEdge(edge, &consequences)
        if hadFailed { noteFailures(of: from, dependent) }
        dropUnused(from, &consequences)
        dropUnused(to, &consequences)
        return consequences
    }

    private func noteFailures(of node: TopologicalOrder.Node, _ dependent: RequestOperation) {
        var hasFailed = false
        order.forEachDependency(of: node) { hasFailed = hasFailed || dependencyByEdge[Int($0)].hasFailed }
        dependent.dependencyNode.hasFailedDependency.store(hasFailed, ordering: .releasing)
    }
}

// MARK: - Ends

extension DependencyGraph {
    /// Notes the end of a request operation, and releases its dependencies.
    mutating func finish(_ operation: RequestOperation, hasFailed: Bool) -> Consequences {
        operation.dependencyNode.end(hasFailed: hasFailed)
        let node = operation.dependencyNode.node.load(ordering: .relaxed)
        return node == TopologicalOrder.none ? Consequences() : finish(node, hasFailed: hasFailed)
    }

    /// Notes the end of an operation of another kind.
    mutating func finishForeign(_ operation: Operation, hasFailed: Bool) -> Consequences {
        guard let node = foreignNodes[ObjectIdentifier(operation)] else { return Consequences() }
        dependencyNodes[Int(node)]?.watch = nil
        dependencyNodes[Int(node)]?.end(hasFailed: hasFailed)
        return finish(node, hasFailed: hasFailed)
    }

    private mutating func finish(_ node: TopologicalOrder.Node, hasFailed: Bool) -> Consequences {
        var consequences = Consequences()
        var next = order.nodeLinks[Int(node)].firstDependent
        while next != TopologicalOrder.none {
            let edge = next
            next = order.edgeLinks[Int(edge)].nextDependent
            guard let dependent = dependencyNodes[Int(order.edgeLinks[Int(edge)].dependent)] else { continue }
            if settle(edge, of: dependent, hasFailed: hasFailed), let operation = dependent.operationToTell {
                consequences.ready.append(operation)
            }
        }
        letGo(of: node, &consequences)
        return consequences
    }

    /// Releases the dependencies of an operation that is being deallocated. No operation waits for it.
    mutating func release(_ dependencyNode: DependencyNode) -> Consequences {
        var consequences = Consequences()
        let node = dependencyNode.node.load(ordering: .relaxed)
        if node != TopologicalOrder.none { letGo(of: node, &consequences) }
        return consequences
    }

    private mutating func letGo(of node: TopologicalOrder.Node, _ consequences: inout Consequences) {
        var edge = order.nodeLinks[Int(node)].firstDependency
        while edge != TopologicalOrder.none {
            let link = order.edgeLinks[Int(edge)]
            removeEdge(edge, &consequences)
            dropUnused(link.dependency, &consequences)
            // The graph releases its memory with its last node.
            edge = order.count == 0 ? TopologicalOrder.none : link.nextDependency
        }
        dropUnused(node, &consequences)
    }

    private mutating func note(_ edge: TopologicalOrder.Edge, of dependent: DependencyNode, hasFailed: Bool) {
        dependencyByEdge[Int(edge)].isSettled = true
        dependencyByEdge[Int(edge)].hasFailed = hasFailed
        if hasFailed { dependent.hasFailedDependency.store(true, ordering: .releasing) }
    }

    /// Marks an edge as settled; true when its dependent has no unfinished dependency any more.
    @discardableResult
    private mutating func settle(
        _ edge: TopologicalOrder.Edge, of dependent: DependencyNode, hasFailed: Bool
    ) -> Bool {
        guard dependencyByEdge[Int(edge)].counts, !dependencyByEdge[Int(edge)].isSettled else { return false }
        note(edge, of: dependent, hasFailed: hasFailed)
        return dependent.waiting.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0
    }
}

// MARK: - Questions

extension DependencyGraph {
    /// The dependencies of an operation, finished ones included, in the order in which they were added.
    func dependencies(of operation: RequestOperation) -> [Operation] {
        guard let node = existingNode(of: operation) else { return [] }
        var dependencies: [Operation] = []
        order.forEachDependency(of: node) { edge in
            if let dependency = dependencyByEdge[Int(edge)].operation { dependencies.append(dependency) }
        }
        return dependencies
    }

    /// The first dependency that failed and whose edge says that the operation is skipped then.
    ///
    /// - Parameter all: whether every edge says so.
    func firstFailure(of operation: RequestOperation, all: Bool) -> Operation? {
        guard let node = existingNode(of: operation) else { return nil }
        var failure: Operation?
        order.forEachDependency(of: node) { edge in
            guard failure == nil, dependencyByEdge[Int(edge)].hasFailed else { return }
            if all || dependencyByEdge[Int(edge)].policy == .skip { failure = dependencyByEdge[Int(edge)].operation }
        }
        return failure
    }
}

// MARK: - Nodes

extension DependencyGraph {
    private func existingNode(of operation: Operation) -> TopologicalOrder.Node? {
        guard let request = operation as? RequestOperation else { return foreignNodes[ObjectIdentifier(operation)] }
        let node = request.dependencyNode.node.load(ordering: .relaxed)
        return node == TopologicalOrder.none ? nil : node
    }

    private mutating func node(for operation: Operation) -> TopologicalOrder.Node {
        if let node = existingNode(of: operation) { return node }
        let node = order.addNode()
        let dependencyNode: DependencyNode
        if let request = operation as? RequestOperation {
            dependencyNode = request.dependencyNode
        } else {
            dependencyNode = DependencyNode(ofForeign: operation)
            foreignNodes[ObjectIdentifier(operation)] = node
        }
        dependencyNode.node.store(node, ordering: .relaxed)
        if node == dependencyNodes.count {
            dependencyNodes.append(dependencyNode)
        } else {
            dependencyNodes[Int(node)] = dependencyNode
        }
        return node
    }

    private mutating func setDependency(_ edge: TopologicalOrder.Edge, _ dependency: Dependency) {
        if edge == dependencyByEdge.count {
            dependencyByEdge.append(dependency)
        } else {
            dependencyByEdge[Int(edge)] = dependency
        }
    }

    private mutating func removeEdge(_ edge: TopologicalOrder.Edge, _ consequences: inout Consequences) {
        if let dependency = dependencyByEdge[Int(edge)].operation.take() { consequences.released.append(dependency) }
        order.removeEdge(edge)
    }

    /// Removes a node without edges. For an operation of another kind, also removes its dependencies that nothing else
    /// waits for.
    private mutating func dropUnused(_ node: TopologicalOrder.Node, _ consequences: inout Consequences) {
        guard node < dependencyNodes.count, let dependencyNode = dependencyNodes[Int(node)], !order.hasDependents(node)
        else { return }
        if dependencyNode.foreignID != nil { return dropForeign(node, &consequences) }
        if order.isUnused(node) { forget(node, &consequences) }
    }

    /// Removes the node of an operation of another kind, and the nodes that only it waits for. Not recursive, because
    /// the chain may be long.
    private mutating func dropForeign(_ node: TopologicalOrder.Node, _ consequences: inout Consequences) {
        var nodes = [node]
        while let node = nodes.popLast() {
            guard node < dependencyNodes.count, let dependencyNode = dependencyNodes[Int(node)],
                !order.hasDependents(node)
            else { continue }
            if dependencyNode.foreignID != nil {
                var edges: [TopologicalOrder.Edge] = []
                order.forEachDependency(of: node) { edges.append($0) }
                nodes += edges.map { order.edgeLinks[Int($0)].dependency }
                for edge in edges { removeEdge(edge, &consequences) }
            }
            if order.isUnused(node) { forget(node, &consequences) }
        }
    }

    private mutating func forget(_ node: TopologicalOrder.Node, _ consequences: inout Consequences) {
        guard let dependencyNode = dependencyNodes[Int(node)].take() else { return }
        dependencyNode.node.store(TopologicalOrder.none, ordering: .relaxed)
        if let id = dependencyNode.foreignID {
            foreignNodes[id] = nil
            if let operation = dependencyNode.foreign {
                if let watch = dependencyNode.watch { consequences.endedWatches.append((watch, operation)) }
                consequences.released.append(operation)
            }
        }
        order.removeNode(node)
        if order.count == 0 { (dependencyNodes, dependencyByEdge) = ([], []) }
    }
}

// MARK: - Operations of other kinds

extension DependencyGraph {
    /// Adds the dependencies of operations of another kind. An edge that would close a cycle among them is left out;
    /// Foundation allows it.
    private mutating func addBackground(_ entries: [ForeignBackground.Entry]) {
        for entry in entries {
            let from = node(for: entry.operation)
            for dependency in entry.dependencies {
                let to = node(for: dependency)
                guard case .added(let edge) = order.addEdge(from: from, to: to) else { continue }
                setDependency(edge, Dependency(operation: dependency, policy: .runAnyway, counts: false))
            }
        }
    }

    /// Stores the watch of an operation of another kind; false when no operation waits for it any more, or when it has
    /// a watch already.
    mutating func setWatch(_ watch: BlockOperation, on operation: Operation) -> Bool {
        guard let node = foreignNodes[ObjectIdentifier(operation)], let dependencyNode = dependencyNodes[Int(node)],
            dependencyNode.watch == nil
        else { return false }
        dependencyNode.watch = watch
        return true
    }

    /// Whether there are no edges.
    var isEmpty: Bool { order.count == 0 }

    /// Whether an operation of another kind has a node already.
    func isKnown(_ operation: Operation) -> Bool { foreignNodes[ObjectIdentifier(operation)] != nil }
}
