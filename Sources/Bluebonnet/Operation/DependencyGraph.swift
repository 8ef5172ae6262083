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

    private struct Member {
        weak var operation: Operation?
        /// Tells of the end of an operation of another kind.
        var watch: BlockOperation?
        /// Of an operation of another kind, which has no `GraphPlace`.
        var foreignID: ObjectIdentifier?
        /// Whether the number is taken.
        var isUsed = false
        var isFinished = false
        var hasFailed = false
    }

    private struct Tie {
        var dependency: Operation
        var policy: FailedDependencyPolicy
        /// False for what an operation of another kind waits for: that is Foundation's to count.
        var counts = true
        var isSettled = false
        var hasFailed = false
    }

    /// What has to be done once the lock is let go.
    struct Consequences {
        /// They wait for nothing any more.
        var ready: [RequestOperation] = []
        /// To be let go, where their release may run other code.
        var released: [Operation] = []
        var endedWatches: [(watch: BlockOperation, operation: Operation)] = []
    }

    private var order = GraphOrder()
    private var members: [Member] = []
    private var ties: [Tie?] = []
    private var foreignNodes: [ObjectIdentifier: GraphOrder.Node] = [:]
}

/// An operation's place in the graph. Written under the graph's lock; the counts may be read without it.
struct GraphPlace: ~Copyable, Sendable {
    fileprivate let node = Atomic<Int32>(GraphOrder.none)
    fileprivate let waiting = Atomic<Int32>(0)
    fileprivate let hasFailedDependency = Atomic<Bool>(false)
    fileprivate let ending = Atomic<UInt8>(0)

    /// Whether it has, or had, any edge that is still in the graph.
    var isInGraph: Bool { node.load(ordering: .relaxed) != GraphOrder.none }
    /// Whether something it waits for is unfinished.
    var isWaiting: Bool { waiting.load(ordering: .acquiring) > 0 }
    /// Whether something it waited for did not succeed.
    var hasSeenFailure: Bool { hasFailedDependency.load(ordering: .acquiring) }

    fileprivate static let finished: UInt8 = 1
    fileprivate static let failed: UInt8 = 3
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
        guard dependent.place.ending.load(ordering: .relaxed) == 0 else { return .known }
        let from = node(for: dependent)
        let isNewForeign = !(dependency is RequestOperation) && foreignNodes[ObjectIdentifier(dependency)] == nil
        let to = node(for: dependency)
        if isNewForeign { addBackground(background) }
        switch order.addEdge(from: from, to: to) {
        case .added(let edge):
            setTie(edge, Tie(dependency: dependency, policy: policy))
            dependent.place.waiting.wrappingAdd(1, ordering: .acquiringAndReleasing)
            if members[Int(to)].isFinished { settle(edge, of: dependent, hasFailed: members[Int(to)].hasFailed) }
            return .added(needsWatch: isNewForeign)
        case .known(let edge):
            if policy == .skip { ties[Int(edge)]?.policy = .skip }  // the stricter of the two holds
            return .known
        case .cycle(let nodes):
            let operations = nodes.compactMap { members[Int($0)].operation }
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
        if settle(edge, of: dependent, hasFailed: false) { consequences.ready.append(dependent) }
        let hadFailed = ties[Int(edge)]?.hasFailed == true
        removeEdge(edge, &consequences)
        if hadFailed { noteFailures(of: from, dependent) }
        dropUnused(from, &consequences)
        dropUnused(to, &consequences)
        return consequences
    }

    private func noteFailures(of node: GraphOrder.Node, _ dependent: RequestOperation) {
        var hasFailed = false
        order.forEachDependency(of: node) { hasFailed = hasFailed || ties[Int($0)]?.hasFailed == true }
        dependent.place.hasFailedDependency.store(hasFailed, ordering: .releasing)
    }
}

// MARK: - Ends

extension DependencyGraph {
    /// Notes the end of a request operation, and lets go of what it waited for.
    mutating func finish(_ operation: RequestOperation, hasFailed: Bool) -> Consequences {
        operation.place.ending.store(hasFailed ? GraphPlace.failed : GraphPlace.finished, ordering: .relaxed)
        guard let node = existingNode(of: operation) else { return Consequences() }
        return finish(node, hasFailed: hasFailed)
    }

    /// Notes the end of an operation of another kind.
    mutating func finishForeign(_ operation: Operation, hasFailed: Bool) -> Consequences {
        guard let node = foreignNodes[ObjectIdentifier(operation)] else { return Consequences() }
        members[Int(node)].watch = nil
        return finish(node, hasFailed: hasFailed)
    }

    private mutating func finish(_ node: GraphOrder.Node, hasFailed: Bool) -> Consequences {
        members[Int(node)].isFinished = true
        members[Int(node)].hasFailed = hasFailed
        var consequences = Consequences()
        var next = order.places[Int(node)].firstDependent
        while next != GraphOrder.none {
            let edge = next
            next = order.links[Int(edge)].nextDependent
            // One that is being released is gone already. The others must not be released under the lock.
            let dependent = members[Int(order.links[Int(edge)].dependent)].operation
            guard let request = dependent as? RequestOperation else {
                if let dependent { consequences.released.append(dependent) }
                continue
            }
            if settle(edge, of: request, hasFailed: hasFailed) {
                consequences.ready.append(request)
            } else {
                consequences.released.append(request)
            }
        }
        letGo(of: node, &consequences)
        return consequences
    }

    /// Lets go of what an operation waits for that is being released: nothing waits for it.
    mutating func release(_ place: borrowing GraphPlace) -> Consequences {
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

    /// Marks an edge as settled; true when its dependent waits for nothing any more.
    @discardableResult
    private mutating func settle(
        _ edge: GraphOrder.Edge, of dependent: RequestOperation, hasFailed: Bool
    ) -> Bool {
        guard let tie = ties[Int(edge)], tie.counts, !tie.isSettled else { return false }
        ties[Int(edge)]?.isSettled = true
        ties[Int(edge)]?.hasFailed = hasFailed
        if hasFailed { dependent.place.hasFailedDependency.store(true, ordering: .releasing) }
        return dependent.place.waiting.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
    }
}

// MARK: - Questions

extension DependencyGraph {
    /// What an operation waits for or waited for, in the order in which it was added.
    func dependencies(of operation: RequestOperation) -> [Operation] {
        guard let node = existingNode(of: operation) else { return [] }
        var dependencies: [Operation] = []
        order.forEachDependency(of: node) { edge in
            if let tie = ties[Int(edge)] { dependencies.append(tie.dependency) }
        }
        return dependencies
    }

    /// The first dependency that did not succeed and whose edge says that the operation is skipped then.
    ///
    /// - Parameter all: whether every edge says so.
    func firstFailure(of operation: RequestOperation, all: Bool) -> Operation? {
        guard let node = existingNode(of: operation) else { return nil }
        var failure: Operation?
        order.forEachDependency(of: node) { edge in
            guard failure == nil, let tie = ties[Int(edge)], tie.hasFailed else { return }
            if all || tie.policy == .skip { failure = tie.dependency }
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
        var member = Member(operation: operation, isUsed: true)
        if let request = operation as? RequestOperation {
            let ending = request.place.ending.load(ordering: .relaxed)
            member.isFinished = ending != 0
            member.hasFailed = ending == GraphPlace.failed
            request.place.node.store(node, ordering: .relaxed)
        } else {
            member.foreignID = ObjectIdentifier(operation)
            foreignNodes[ObjectIdentifier(operation)] = node
        }
        if node == members.count { members.append(member) } else { members[Int(node)] = member }
        return node
    }

    private mutating func setTie(_ edge: GraphOrder.Edge, _ tie: Tie) {
        if edge == ties.count { ties.append(tie) } else { ties[Int(edge)] = tie }
    }

    private mutating func removeEdge(_ edge: GraphOrder.Edge, _ consequences: inout Consequences) {
        if let tie = ties[Int(edge)] { consequences.released.append(tie.dependency) }
        ties[Int(edge)] = nil
        order.removeEdge(edge)
    }

    /// Takes a node out that has no edges; what only an operation of another kind waits for goes with it.
    private mutating func dropUnused(_ node: GraphOrder.Node, _ consequences: inout Consequences) {
        guard node < members.count, members[Int(node)].isUsed, !order.hasDependents(node) else { return }
        if members[Int(node)].foreignID != nil { return dropForeign(node, &consequences) }
        if order.isUnused(node) { forget(node, &consequences) }
    }

    /// The same for an operation of another kind, without recursion: it may be the end of a long chain of such.
    private mutating func dropForeign(_ node: GraphOrder.Node, _ consequences: inout Consequences) {
        var nodes = [node]
        while let node = nodes.popLast() {
            guard node < members.count, members[Int(node)].isUsed, !order.hasDependents(node) else { continue }
            if members[Int(node)].foreignID != nil {
                var edges: [GraphOrder.Edge] = []
                order.forEachDependency(of: node) { edges.append($0) }
                nodes += edges.map { order.links[Int($0)].dependency }
                for edge in edges { removeEdge(edge, &consequences) }
            }
            if order.isUnused(node) { forget(node, &consequences) }
        }
    }

    private mutating func forget(_ node: GraphOrder.Node, _ consequences: inout Consequences) {
        let operation = members[Int(node)].operation
        if let id = members[Int(node)].foreignID {
            foreignNodes[id] = nil
            if let operation, let watch = members[Int(node)].watch {
                consequences.endedWatches.append((watch, operation))
            }
        } else if let request = operation as? RequestOperation {
            request.place.node.store(GraphOrder.none, ordering: .relaxed)
        }
        if let operation { consequences.released.append(operation) }
        members[Int(node)] = Member()
        order.removeNode(node)
        if order.count == 0 { (members, ties) = ([], []) }
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
        guard let node = foreignNodes[ObjectIdentifier(operation)], members[Int(node)].watch == nil else {
            return false
        }
        members[Int(node)].watch = watch
        return true
    }

    /// Whether nobody waits for anybody.
    var isEmpty: Bool { order.count == 0 }

    /// Whether an operation of another kind has a place already.
    func isKnown(_ operation: Operation) -> Bool { foreignNodes[ObjectIdentifier(operation)] != nil }
}
