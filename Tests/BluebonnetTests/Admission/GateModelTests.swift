// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import Bluebonnet

/// One queue in front of two schedulers, against lists that are searched anew for each operation.
@Suite(.timeLimit(.minutes(1))) struct GateModelTests {
    @Test(arguments: 1...60) func queueAgreesWithANaiveModel(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let twins = GateTwins(using: &random)
        for _ in 0..<300 { twins.step(using: &random) }
        twins.finish()
        #expect(twins.differences == [])
    }
}

private final class GateTwins {
    private final class Member {
        let operation: Operation
        /// Nil when it needs no slot.
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

    private static let origins = ["a", "b", "c"].map(SchedulerTests.origin)
    private static let priorities = [-8, -4, 0, 4, 8]

    private let bench = GateBench()
    private let queue: BenchQueue
    private let schedulers: [Scheduler]
    private let limitPerOrigin: Int
    private var members: [Member] = []
    private var limit: Int?
    private var isSuspended = false
    private var fairQueue = FairQueue()
    private var lastNumber = 0
    private var cancelled: [Member] = []
    private(set) var differences: [String] = []

    init(using random: inout SeededGenerator) {
        queue = bench.queue()
        limitPerOrigin = Int.random(in: 1...2, using: &random)
        schedulers = [1, 3].map { [bench, limitPerOrigin] in bench.scheduler(limit: $0, limitPerOrigin: limitPerOrigin)
        }
    }

    func step(using random: inout SeededGenerator) {
        switch Int.random(in: 0..<14, using: &random) {
        case 0..<5: add(using: &random)
        case 5: makeReady(members.filter { !$0.isReady && !$0.isBarrier }.randomElement(using: &random))
        case 6: cancel(members.filter { !$0.isRunning && !$0.isBarrier }.randomElement(using: &random))
        case 7:
            isSuspended.toggle()
            queue.change { $0.isSuspended = isSuspended }
        case 8:
            limit = [nil, 0, 1, 2, 5].randomElement(using: &random) ?? nil
            queue.change { $0.limit = limit }
        case 9: changePriority(using: &random)
        case 10: addBarrier()
        default: end(members.filter(\.isRunning).randomElement(using: &random))
        }
        compare()
    }

    /// Opens the gate and ends everything.
    func finish() {
        (isSuspended, limit) = (false, nil)
        queue.change { ($0.isSuspended, $0.limit) = (false, nil) }
        for member in members where !member.isReady && !member.isBarrier { makeReady(member) }
        compare()
        while let member = members.first(where: \.isRunning) {
            end(member)
            compare()
        }
        if !members.isEmpty { differences.append("\(members.count) never ran") }
        if !schedulers.allSatisfy({ $0.runningCount == 0 }) { differences.append("a slot is missing") }
    }

    private func add(using random: inout SeededGenerator) {
        let kind = [nil, 0, 0, 1, 1].randomElement(using: &random) ?? nil
        let origin = Int.random(in: 0..<3, using: &random)
        let priority = Self.priorities.randomElement(using: &random) ?? 0
        let flow = Int.random(in: 0...2, using: &random)
        let isReady = Int.random(in: 0..<4, using: &random) > 0
        lastNumber += 1
        let operation = queue.add(
            kind.map { schedulers[$0] }, Self.origins[origin], flow: flow, priority: priority, isReady: isReady)
        let member = Member(
            operation, scheduler: kind, origin: origin, virtualTime: fairQueue.take(flow: flow, priority: priority),
            number: lastNumber, priority: priority)
        member.isReady = isReady
        members.append(member)
    }

    private func addBarrier() {
        lastNumber += 1
        let operation = Operation()
        let member = Member(operation, scheduler: nil, origin: 0, virtualTime: 0, number: lastNumber, priority: 0)
        (member.isBarrier, member.isReady) = (true, true)
        members.append(member)
        queue.change { $0.addBarrier(operation) }
    }

    private func makeReady(_ member: Member?) {
        guard let member else { return }
        member.isReady = true
        queue.makeReady(member.operation, priority: member.priority)
    }

    private func cancel(_ member: Member?) {
        guard let member else { return }
        member.isReady = true
        cancelled.append(member)
        queue.makeReady(member.operation, isCancelled: true, priority: member.priority)
    }

    private func changePriority(using random: inout SeededGenerator) {
        let waiting = members.filter { $0.isReady && !$0.isRunning && !$0.isBarrier }
        guard let member = waiting.randomElement(using: &random) else { return }
        member.priority = Self.priorities.randomElement(using: &random) ?? 0
        queue.change { $0.changePriority(of: member.operation, to: member.priority) }
    }

    private func end(_ member: Member?) {
        guard let member else { return }
        members.removeAll { $0 === member }
        queue.end(member.operation)
    }

    private func compare() {
        let found = bench.turn()
        let expected = startAll()
        guard found != expected.map(\.operation), differences.count < 3 else { return }
        let numbers = found.map { operation in members.first { $0.operation === operation }?.number ?? 0 }
        differences.append("started \(numbers), not \(expected.map(\.number))")
    }

    private func startAll() -> [Member] {
        var started = Array(cancelled.reversed())
        for member in started { member.isRunning = true }
        cancelled = []
        while let next = next {
            next.isRunning = true
            next.hasSlot = next.scheduler != nil
            if !next.isBarrier { fairQueue.serve(next.virtualTime, priority: next.priority) }
            started.append(next)
        }
        return started
    }

    private var next: Member? {
        guard !isSuspended else { return nil }
        let barrier = members.firstIndex(where: \.isBarrier)
        if barrier == 0 { return members[0].isRunning ? nil : members[0] }
        guard limit.map({ limit in members.count { $0.isRunning && !$0.isBarrier } < limit }) ?? true else {
            return nil
        }
        return members[..<(barrier ?? members.count)].filter { $0.isReady && !$0.isRunning && hasSlot($0) }.min {
            (-$0.priority, $0.virtualTime, $0.number) < (-$1.priority, $1.virtualTime, $1.number)
        }
    }

    private func hasSlot(_ member: Member) -> Bool {
        guard let scheduler = member.scheduler else { return true }
        let running = members.filter { $0.hasSlot && $0.scheduler == scheduler }
        return running.count < schedulers[scheduler].limit
            && running.count { $0.origin == member.origin } < limitPerOrigin
    }
}
