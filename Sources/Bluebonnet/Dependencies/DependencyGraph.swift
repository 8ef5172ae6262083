// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// All edges between unfinished operations of the process: who waits for whom, how many each still waits for, and
/// whether one of those has not succeeded. A value behind one lock; it calls nobody, and says whom to tell.
///
/// Dependencies are kept alive by their dependents, not the other way round. An operation has a place here only while
/// it has an edge.
struct DependencyGraph: Sendable {
    static let shared = Mutex(DependencyGraph())

    private struct Tie {
        /// Nil where another tie may stand.
        var dependency: Operation?
        var policy = FailedDependencyPolicy.runAnyway
        /// False for what an operation of another kind waits for: that is Foundation's to count.
        var counts = true
        var isSettled = false
        var hasFailed = false
    }

    /// What has to be done once the lock is let go.
    struct Consequences {
        /// They wait for nothing any more.
        var ready = Few<RequestOperation>()
        /// To be let go, where their release may run other code.
        var released = Few<Operation>()
        var endedWatches: [(watch: BlockOperation, operation: Operation)] = []
    }

    private var order = GraphOrder()
    /// By node; nil where the number is free.
    private var places: [GraphPlace?] = []
    private var ties: [Tie] = []
    private var foreignNodes: [ObjectIdentifier: GraphOrder.Node] = [:]
}

// MARK: - Adding and removing

extension DependencyGraph {
    enum Addition {
        /// Whether an operation of another kind has to be watched from now on.
        case added(needsWatch: Bool)
        case known
        /// Each waits for the next; the last is the first. The others are only to be let go.
        case cycle([Operation], Consequences)
    }

    /// Makes `dependent` wait for `dependency`.
    ///
    /// - Parameter background: what an operation of another kind waits for, as far as it was known.
    mutating func add(
        _ dependency: Operation, to dependent: RequestOperation, policy: FailedDependencyPolicy,
        background: [ForeignBackground.Entry]
    ) -> Addition {
        guard !dependent.place.isFinished else { return .known }
        let from = node(for: dependent)
        let isNewForeign = !(dependency is RequestOperation) && foreignNodes[ObjectIdentifier(dependency)] == nil
        let to = node(for: dependency)
        if isNewForeign { addBackground(background) }
        switch order.addEdge(from: from, to: to) {
        case .added(let edge):
            setTie(edge, Tie(dependency: dependency, policy: policy))
            if let place = places[Int(to)], place.isFinished {
                // It does not wait, not even for a moment: nobody would tell it that it is ready again.
                note(edge, of: dependent.place, hasFailed: place.hasFailed)
            } else {
                dependent.place.waiting.wrappingAdd(1, ordering: .sequentiallyConsistent)
            }
            return .added(needsWatch: isNewForeign)
        case .known(let edge):
            if policy == .skip { ties[Int(edge)].policy = .skip }  // the stricter of the two holds
            return .known
        case .cycle(let nodes):
            let operations = nodes.compactMap { node in
                node == from ? dependent : places[Int(node)]?.operationWithDependents
            }
            var unused = Consequences()
            dropUnused(from, &unused)
            dropUnused(to, &unused)
            return .cycle(operations, unused)
        }
    }

    /// Takes an edge away.
    mutating func remove(_ dependency: Operation, from dependent: RequestOperation) -> Consequences {
        var consequences = Consequences()
        guard let from = existingNode(of: dependent), let to = existingNode(of: dependency),
            let edge = order.edge(from: from, to: to)
        else { return consequences }
        if settle(edge, of: dependent.place, hasFailed: false) { consequences.ready.append(dependent) }
        let hadFailed = ties[Int(edge)].hasFailed
        removeEdge(edge, &consequences)
        if hadFailed { noteFailures(of: from, dependent) }
        dropUnused(from, &consequences)
        dropUnused(to, &consequences)
        return consequences
    }

    private func noteFailures(of node: GraphOrder.Node, _ dependent: RequestOperation) {
        var hasFailed = false
        order.forEachDependency(of: node) { hasFailed = hasFailed || ties[Int($0)].hasFailed }
        dependent.place.hasFailedDependency.store(hasFailed, ordering: .releasing)
    }
}

// MARK: - Ends

extension DependencyGraph {
    /// Notes the end of a request operation, and lets go of what it waited for.
    mutating func finish(_ operation: RequestOperation, hasFailed: Bool) -> Consequences {
        operation.place.end(hasFailed: hasFailed)
        let node = operation.place.node.load(ordering: .relaxed)
        return node == GraphOrder.none ? Consequences() : finish(node, hasFailed: hasFailed)
    }

    /// Notes the end of an operation of another kind.
    mutating func finishForeign(_ operation: Operation, hasFailed: Bool) -> Consequences {
        guard let node = foreignNodes[ObjectIdentifier(operation)] else { return Consequences() }
        places[Int(node)]?.watch = nil
        places[Int(node)]?.end(hasFailed: hasFailed)
        return finish(node, hasFailed: hasFailed)
    }

    private mutating func finish(_ node: GraphOrder.Node, hasFailed: Bool) -> Consequences {
        var consequences = Consequences()
        var next = order.places[Int(node)].firstDependent
        while next != GraphOrder.none {
            let edge = next
            next = order.links[Int(edge)].nextDependent
            guard let dependent = places[Int(order.links[Int(edge)].dependent)] else { continue }
            if settle(edge, of: dependent, hasFailed: hasFailed), let operation = dependent.operationToTell {
                consequences.ready.append(operation)
            }
        }
        letGo(of: node, &consequences)
        return consequences
    }

    /// Lets go of what an operation waits for that is being released: nothing waits for it.
    mutating func release(_ place: GraphPlace) -> Consequences {
        var consequences = Consequences()
        let node = place.node.load(ordering: .relaxed)
        if node != GraphOrder.none { letGo(of: node, &consequences) }
        return consequences
    }

    private mutating func letGo(of node: GraphOrder.Node, _ consequences: inout Consequences) {
        var edge = order.places[Int(node)].firstDependency
        while edge != GraphOrder.none {
            let link = order.links[Int(edge)]
            removeEdge(edge, &consequences)
            dropUnused(link.dependency, &consequences)
            // The graph gives its memory back with its last node.
            edge = order.count == 0 ? GraphOrder.none : link.nextDependency
        }
        dropUnused(node, &consequences)
    }

    private mutating func note(_ edge: GraphOrder.Edge, of dependent: GraphPlace, hasFailed: Bool) {
        ties[Int(edge)].isSettled = true
        ties[Int(edge)].hasFailed = hasFailed
        if hasFailed { dependent.hasFailedDependency.store(true, ordering: .releasing) }
    }

    /// Marks an edge as settled; true when its dependent waits for nothing any more.
    @discardableResult
    private mutating func settle(
        _ edge: GraphOrder.Edge, of dependent: GraphPlace, hasFailed: Bool
    ) -> Bool {
        guard ties[Int(edge)].counts, !ties[Int(edge)].isSettled else { return false }
        note(edge, of: dependent, hasFailed: hasFailed)
        return dependent.waiting.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0
    }
}

// MARK: - Questions

extension DependencyGraph {
    /// What an operation waits for or waited for, in the order in which it was added.
    func dependencies(of operation: RequestOperation) -> [Operation] {
        guard let node = existingNode(of: operation) else { return [] }
        var dependencies: [Operation] = []
        order.forEachDependency(of: node) { edge in
            if let dependency = ties[Int(edge)].dependency { dependencies.append(dependency) }
        }
        return dependencies
    }

    /// Somebody who asked was told that an operation is not ready, and has to hear of it when it is.
    func listen(for operation: RequestOperation) { operation.place.listen() }

    /// The first dependency that did not succeed and whose edge says that the operation is skipped then.
    ///
    /// - Parameter all: whether every edge says so.
    func firstFailure(of operation: RequestOperation, all: Bool) -> Operation? {
        guard let node = existingNode(of: operation) else { return nil }
        var failure: Operation?
        order.forEachDependency(of: node) { edge in
            guard failure == nil, ties[Int(edge)].hasFailed else { return }
            if all || ties[Int(edge)].policy == .skip { failure = ties[Int(edge)].dependency }
        }
        return failure
    }
}

// MARK: - Nodes

extension DependencyGraph {
    private func existingNode(of operation: Operation) -> GraphOrder.Node? {
        guard let request = operation as? RequestOperation else { return foreignNodes[ObjectIdentifier(operation)] }
        let node = request.place.node.load(ordering: .relaxed)
        return node == GraphOrder.none ? nil : node
    }

    private mutating func node(for operation: Operation) -> GraphOrder.Node {
        if let node = existingNode(of: operation) { return node }
        let node = order.addNode()
        let place: GraphPlace
        if let request = operation as? RequestOperation {
            place = request.place
        } else {
            place = GraphPlace(ofForeign: operation)
            foreignNodes[ObjectIdentifier(operation)] = node
        }
        place.node.store(node, ordering: .relaxed)
        if node == places.count { places.append(place) } else { places[Int(node)] = place }
        return node
    }

    private mutating func setTie(_ edge: GraphOrder.Edge, _ tie: Tie) {
        if edge == ties.count { ties.append(tie) } else { ties[Int(edge)] = tie }
    }

    private mutating func removeEdge(_ edge: GraphOrder.Edge, _ consequences: inout Consequences) {
        if let dependency = ties[Int(edge)].dependency.take() { consequences.released.append(dependency) }
        order.removeEdge(edge)
    }

    /// Takes a node out that has no edges; what only an operation of another kind waits for goes with it.
    private mutating func dropUnused(_ node: GraphOrder.Node, _ consequences: inout Consequences) {
        guard node < places.count, let place = places[Int(node)], !order.hasDependents(node) else { return }
        if place.foreignID != nil { return dropForeign(node, &consequences) }
        if order.isUnused(node) { forget(node, &consequences) }
    }

    /// The same for an operation of another kind, without recursion: it may be the end of a long chain of such.
    private mutating func dropForeign(_ node: GraphOrder.Node, _ consequences: inout Consequences) {
        var nodes = [node]
        while let node = nodes.popLast() {
            guard node < places.count, let place = places[Int(node)], !order.hasDependents(node) else { continue }
            if place.foreignID != nil {
                var edges: [GraphOrder.Edge] = []
                order.forEachDependency(of: node) { edges.append($0) }
                nodes += edges.map { order.links[Int($0)].dependency }
                for edge in edges { removeEdge(edge, &consequences) }
            }
            if order.isUnused(node) { forget(node, &consequences) }
        }
    }

    private mutating func forget(_ node: GraphOrder.Node, _ consequences: inout Consequences) {
        guard let place = places[Int(node)].take() else { return }
        place.node.store(GraphOrder.none, ordering: .relaxed)
        if let id = place.foreignID {
            foreignNodes[id] = nil
            if let operation = place.foreign {
                if let watch = place.watch { consequences.endedWatches.append((watch, operation)) }
                consequences.released.append(operation)
            }
        }
        order.removeNode(node)
        if order.count == 0 { (places, ties) = ([], []) }
    }
}

// MARK: - Operations of other kinds

extension DependencyGraph {
    /// Notes what operations of another kind wait for. An edge that would close a cycle among them is theirs to answer
    /// for, and is left out.
    private mutating func addBackground(_ entries: [ForeignBackground.Entry]) {
        for entry in entries {
            let from = node(for: entry.operation)
            for dependency in entry.dependencies {
                let to = node(for: dependency)
                guard case .added(let edge) = order.addEdge(from: from, to: to) else { continue }
                setTie(edge, Tie(dependency: dependency, policy: .runAnyway, counts: false))
            }
        }
    }

    /// Keeps the watch over an operation of another kind; false when nobody waits for it any more, or it has one.
    mutating func setWatch(_ watch: BlockOperation, on operation: Operation) -> Bool {
        guard let node = foreignNodes[ObjectIdentifier(operation)], let place = places[Int(node)], place.watch == nil
        else { return false }
        place.watch = watch
        return true
    }

    /// Whether nobody waits for anybody.
    var isEmpty: Bool { order.count == 0 }

    /// Whether an operation of another kind has a place already.
    func isKnown(_ operation: Operation) -> Bool { foreignNodes[ObjectIdentifier(operation)] != nil }
}
