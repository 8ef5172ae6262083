// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import Bluebonnet

/// Compares queues in front of schedulers with lists that are searched for each operation: an operation that may
/// start is started, in the order of its queue. With several schedulers, each scheduler has its own order, and
/// operations that need no slot have another. The model does not know the order in which queues take turns, except
/// that a higher priority goes first.
@Suite(.timeLimit(.minutes(1))) struct GateModelTests {
    @Test(arguments: 1...60, [(1, 1), (1, 2), (4, 1), (4, 2)])
    func queuesAgreeWithNaiveModel(seed: UInt64, counts: (queues: Int, schedulers: Int)) {
        var random = SeededGenerator(seed: seed)
        let twins = GateTwins(queueCount: counts.queues, schedulerCount: counts.schedulers, using: &random)
        for _ in 0..<300 { twins.step(using: &random) }
        twins.finish()
        #expect(twins.differences == [])
    }
}

private final class GateTwins {
    private final class Member {
        let operation: Operation
        /// Nil if the operation needs no slot.
        let scheduler: Int?
        let origin: Int
        let virtualTime: UInt64
        let number: Int
        var priority: Int
        var isReady = false
        var isRunning = false
        var hasSlot = false
        var isBarrier = false

        init(
            _ operation: Operation, scheduler: Int?, origin: Int, virtualTime: UInt64, number: Int, priority: Int
        ) {
            (self.operation, self.scheduler, self.origin) = (operation, scheduler, origin)
            (self.virtualTime, self.number, self.priority) = (virtualTime, number, priority)
        }
    }

    /// A queue, and the model of it.
    private final class Queue {
        let queue: BenchQueue
        var members: [Member] = []
        var cancelled: [Member] = []
        var limit: Int?
        var isSuspended = false
        var fairQueue = FairQueue()

        init(_ queue: BenchQueue) { self.queue = queue }
    }

    private static let origins = ["a", "b", "c"].map(SchedulerTests.origin)
    private static let priorities = [-8, -4, 0, 4, 8]

    private let bench = GateBench()
    private let queues: [Queue]
    private let schedulers: [Scheduler]
    private let limitPerOrigin: Int
    private var lastNumber = 0
    private(set) var differences: [String] = []

    init(queueCount: Int, schedulerCount: Int, using random: inout SeededGenerator) {
        queues = (0..<queueCount).map { [bench] _ in Queue(bench.queue()) }
        limitPerOrigin = Int.random(in: 1...2, using: &random)
        let limits = schedulerCount == 1 ? [Int.random(in: 1...3, using: &random)] : [1, 3]
        schedulers = limits.map { [bench, limitPerOrigin] limit in
            bench.scheduler(limit: limit, limitPerOrigin: limitPerOrigin)
        }
    }

    func step(using random: inout SeededGenerator) {
        let queue = queues[Int.random(in: 0..<queues.count, using: &random)]
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<5: add(to: queue, using: &random)
        case 5: makeReady(queue.members.filter { !$0.isReady && !$0.isBarrier }.randomElement(using: &random), queue)
        case 6: cancel(queue.members.filter { !$0.isRunning && !$0.isBarrier }.randomElement(using: &random), queue)
        case 7:
            queue.isSuspended.toggle()
            queue.queue.change { $0.isSuspended = queue.isSuspended }
        case 8:
            queue.limit = [nil, 0, 1, 2, 5].randomElement(using: &random) ?? nil
            queue.queue.change { $0.limit = queue.limit }
        case 9: changePriority(in: queue, using: &random)
        case 10: addBarrier(to: queue)
        default: end(queue.members.filter(\.isRunning).randomElement(using: &random), queue)
        }
        compare()
    }

    /// Opens the gates and ends all operations.
    func finish() {
        for queue in queues {
            (queue.isSuspended, queue.limit) = (false, nil)
            queue.queue.change { ($0.isSuspended, $0.limit) = (false, nil) }
            for member in queue.members where !member.isReady && !member.isBarrier { makeReady(member, queue) }
        }
        compare()
        while let queue = queues.first(where: { $0.members.contains(where: \.isRunning) }) {
            end(queue.members.first(where: \.isRunning), queue)
            compare()
        }
        if queues.contains(where: { !$0.members.isEmpty }) { report("operations never ran") }
        if !schedulers.allSatisfy({ $0.runningCount == 0 }) { report("a slot is missing") }
    }

    private func report(_ difference: String) { if differences.count < 3 { differences.append(difference) } }
}

// MARK: - Changes

extension GateTwins {
    private func add(to queue: Queue, using random: inout SeededGenerator) {
        let kinds = [nil, 0, 0] + (schedulers.count == 1 ? [] : [1, 1])
        let kind = kinds.randomElement(using: &random) ?? nil
        let origin = Int.random(in: 0..<3, using: &random)
        let priority = Self.priorities.randomElement(using: &random) ?? 0
        let flow = Int.random(in: 0...2, using: &random)
        let isReady = Int.random(in: 0..<4, using: &random) > 0
        lastNumber += 1
        let operation = queue.queue.add(
            kind.map { schedulers[$0] }, Self.origins[origin], flow: flow, priority: priority, isReady: isReady)
        let member = Member(
            operation, scheduler: kind, origin: origin,
            virtualTime: queue.fairQueue.assignTime(flow: flow, priority: priority), number: lastNumber,
            priority: priority)
        member.isReady = isReady
        queue.members.append(member)
    }

    private func addBarrier(to queue: Queue) {
        lastNumber += 1
        let operation = Operation()
        let member = Member(operation, scheduler: nil, origin: 0, virtualTime: 0, number: lastNumber, priority: 0)
        (member.isBarrier, member.isReady) = (true, true)
        queue.members.append(member)
        queue.queue.change { $0.addBarrier(operation) }
    }

    private func makeReady(_ member: Member?, _ queue: Queue) {
        guard let member else { return }
        member.isReady = true
        queue.queue.makeReady(member.operation, priority: member.priority)
    }

    private func cancel(_ member: Member?, _ queue: Queue) {
        guard let member else { return }
        member.isReady = true
        queue.cancelled.append(member)
        queue.queue.makeReady(member.operation, isCancelled: true, priority: member.priority)
    }

    private func changePriority(in queue: Queue, using random: inout SeededGenerator) {
        let waiting = queue.members.filter { $0.isReady && !$0.isRunning && !$0.isBarrier }
        guard let member = waiting.randomElement(using: &random) else { return }
        member.priority = Self.priorities.randomElement(using: &random) ?? 0
        queue.queue.change { $0.changePriority(of: member.operation, to: member.priority) }
    }

    private func end(_ member: Member?, _ queue: Queue) {
        guard let member else { return }
        queue.members.removeAll { $0 === member }
        queue.queue.end(member.operation)
    }
}

// MARK: - The model

extension GateTwins {
    private func compare() {
        for operation in bench.turn() {
            guard let queue = queues.first(where: { $0.members.contains { $0.operation === operation } }),
                let member = queue.members.first(where: { $0.operation === operation })
            else {
                report("an unknown operation was started")
                continue
            }
            let ended = queue.cancelled.popLast()
            let expected = ended ?? next(member.scheduler, in: queue)
            if expected !== member { report("started \(member.number), not \(expected?.number ?? 0)") }
            if ended == nil, isOvertaken(member) { report("\(member.number) overtook a higher priority") }
            member.isRunning = true
            guard ended == nil, !member.isBarrier else { continue }
            member.hasSlot = member.scheduler != nil
            queue.fairQueue.serve(member.virtualTime, priority: member.priority)
        }
        let kinds = [nil] + schedulers.indices.map(Optional.some)
        let forgotten = queues.flatMap { queue in queue.cancelled + kinds.compactMap { next($0, in: queue) } }
        if let member = forgotten.first { report("\(member.number) was not started") }
    }

    /// Whether another queue has an operation of higher priority that may start with the same scheduler.
    private func isOvertaken(_ member: Member) -> Bool {
        guard let scheduler = member.scheduler else { return false }
        return queues.contains { queue in
            guard let other = next(scheduler, in: queue), !other.isBarrier, other.scheduler == scheduler else {
                return false
            }
            return other.priority > member.priority
        }
    }

    /// The first operation of a queue that may start, among the operations that share an order with a kind.
    private func next(_ kind: Int?, in queue: Queue) -> Member? {
        guard !queue.isSuspended else { return nil }
        let members = queue.members
        let barrier = members.firstIndex(where: \.isBarrier)
        if barrier == 0 { return members[0].isRunning ? nil : members[0] }
        let runningCount = members.count { $0.isRunning && !$0.isBarrier }
        guard queue.limit.map({ runningCount < $0 }) ?? true else { return nil }
        return members[..<(barrier ?? members.count)].filter { member in
            member.isReady && !member.isRunning && hasSlot(member)
                && (schedulers.count == 1 || member.scheduler == kind)
        }.min {
            (-$0.priority, $0.virtualTime, $0.number) < (-$1.priority, $1.virtualTime, $1.number)
        }
    }

    private func hasSlot(_ member: Member) -> Bool {
        guard let scheduler = member.scheduler else { return true }
        let running = queues.flatMap(\.members).filter { $0.hasSlot && $0.scheduler == scheduler }
        return running.count < schedulers[scheduler].limit
            && running.count { $0.origin == member.origin } < limitPerOrigin
    }
}
