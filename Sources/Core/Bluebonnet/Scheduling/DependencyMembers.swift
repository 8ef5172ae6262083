// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The operation of each number in the dependency graph. A part of the graph, under its lock.
struct DependencyMembers: Sendable {
    struct Member: Sendable {
        /// Nil if the number is free.
        fileprivate(set) var node: DependencyNode?
        /// A request operation in a `RequestOperationQueue`, until its end. It is notified when it is ready.
        var queued: RequestOperation?
        /// A request operation in no such queue, whose `isReady` was read. It is also notified, while it is alive.
        fileprivate(set) weak var listener: RequestOperation?
        /// A foreign operation (not a `RequestOperation`); `watch` reports its end.
        fileprivate(set) var foreign: Operation?
        var watch: BlockOperation?
    }

    private var members: [Member] = []
    private var foreignNumbers: [ObjectIdentifier: TopologicalOrder.Node] = [:]

    subscript(number: TopologicalOrder.Node) -> Member {
        _read { yield members[Int(number)] }
        _modify { yield &members[Int(number)] }
    }

    func contains(_ number: TopologicalOrder.Node) -> Bool {
        number < members.count && members[Int(number)].node != nil
    }

    func number(of operation: Operation) -> TopologicalOrder.Node? {
        guard let request = operation as? RequestOperation else { return foreignNumbers[ObjectIdentifier(operation)] }
        let number = request.dependencyNode.number
        return number == TopologicalOrder.none ? nil : number
    }

    /// Adds an operation with a number.
    mutating func add(_ operation: Operation, as number: TopologicalOrder.Node) {
        let request = operation as? RequestOperation
        let node = request?.dependencyNode ?? DependencyNode()
        node.enter(number)
        if number == members.count { members.append(Member()) }
        members[Int(number)].node = node
        if let request { return listen(request) }
        members[Int(number)].foreign = operation
        foreignNumbers[ObjectIdentifier(operation)] = number
    }

    /// Registers an operation, which is notified when it is ready. An operation in a queue is retained until its end,
    /// as by the queue; other operations are not retained.
    mutating func listen(_ operation: RequestOperation) {
        let node = operation.dependencyNode
        guard node.isInGraph, !node.hasEnded else { return }
        if node.isQueued {
            members[Int(node.number)].queued = operation
        } else if node.readinessWasRead {
            members[Int(node.number)].listener = operation
        }
    }

    /// Frees a number.
    mutating func remove(_ number: TopologicalOrder.Node, _ consequences: inout DependencyConsequences) {
        let member = members[Int(number)]
        members[Int(number)] = Member()
        member.node?.leave()
        if let queued = member.queued { consequences.released.append(queued) }
        guard let foreign = member.foreign else { return }
        foreignNumbers[ObjectIdentifier(foreign)] = nil
        consequences.released.append(foreign)
        if let watch = member.watch { consequences.endedWatches.append(.init(watch: watch, operation: foreign)) }
    }
}
