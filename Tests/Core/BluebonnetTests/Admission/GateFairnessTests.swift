// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

/// The order in which queues in front of schedulers take turns.
@Suite(.timeLimit(.minutes(1))) struct GateFairnessTests {
    private let bench = GateBench()
    private let a = SchedulerTests.origin("a")

    private func add(_ count: Int, _ scheduler: Scheduler?, to queue: BenchQueue, flow: Int = 0) -> [Operation] {
        (0..<count).map { _ in queue.add(scheduler, flow: flow) }
    }

    /// Ends the operation that was started last.
    private func turnAfterEnd(in queues: [BenchQueue]) -> [Operation] {
        guard let last = bench.started.last else { return [] }
        for queue in queues where queue.operations.contains(last) { queue.end(last) }
        return bench.turn()
    }

    /// Ends running operations until an operation starts, and counts the operations that started before it.
    private func wait(for operation: Operation, in queues: [BenchQueue]) -> Int {
        var count = 0
        while let last = bench.turn().last, last !== operation {
            count += 1
            for queue in queues where queue.operations.contains(last) { queue.end(last) }
        }
        return count
    }

    @Test func singleOperationWaitsForOneBatchMemberInItsQueue() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        let batch = add(500, scheduler, to: queue, flow: 1)
        #expect(bench.turn() == [batch[0]])
        let single = queue.add(scheduler)
        queue.end(batch[0])
        #expect(wait(for: single, in: [queue]) <= 1)
    }

    @Test func singleOperationWaitsForOneOperationPerFlow() {
        let scheduler = bench.scheduler(limit: 1)
        let queues = [bench.queue(), bench.queue(), bench.queue()]
        for flow in 1...10 { _ = add(20, scheduler, to: queues[0], flow: flow) }
        for flow in 11...12 { _ = add(100, scheduler, to: queues[1], flow: flow) }
        var started = bench.turn()
        for _ in 0..<55 {
            for queue in queues where queue.operations.contains(started[0]) { queue.end(started[0]) }
            started = bench.turn()
        }
        let single = queues[2].add(scheduler)
        for queue in queues where queue.operations.contains(started[0]) { queue.end(started[0]) }
        #expect(wait(for: single, in: queues) <= 12)
    }

    @Test func latePreparedOperationsDoNotDelaySingleOperation() {
        let (queue, scheduler, log) = (bench.queue(), bench.scheduler(limit: 1), AdmissionLog())
        for number in 1...1000 {
            var ticket = scheduler.makeTicket(flow: 1, priority: 0)
            scheduler.enqueue(&ticket, origin: a, priority: 0, client: log.client(UInt64(number)))
        }
        #expect(bench.turn().isEmpty)
        for _ in 0..<10 {
            log.release(a, of: scheduler)
            #expect(bench.turn().isEmpty)
        }
        #expect(log.numbers.count == 11)
        let single = queue.add(scheduler)
        log.release(a, of: scheduler)
        if bench.turn() != [single] {
            log.release(a, of: scheduler)
            #expect(bench.turn() == [single])
        }
        #expect(log.numbers.count <= 12)
    }

    /// Operations of a batch start without a slot, and ask for a slot when their requests are made.
    @Test func startsWithoutSlotDoNotDelaySingleOperation() {
        let (batch, other, scheduler, log) = (bench.queue(), bench.queue(), bench.scheduler(limit: 1), AdmissionLog())
        let first = batch.add(scheduler)
        #expect(bench.turn() == [first])
        let single = other.add(scheduler)
        var number: UInt64 = 0
        bench.whenStarted = { [a] _ in
            number += 1
            var ticket = scheduler.makeTicket(flow: 1, priority: 0)
            scheduler.enqueue(&ticket, origin: a, priority: 0, client: log.client(number))
        }
        for _ in 0..<1000 { batch.add(flow: 1) }
        for _ in 0..<10 { _ = bench.turn() }
        #expect(number == 1000 && log.numbers.isEmpty)
        bench.whenStarted = { _ in }
        batch.end(first)
        if bench.turn() != [single] {
            log.release(a, of: scheduler)
            #expect(bench.turn() == [single])
        }
        #expect(log.numbers.count <= 1)
    }

    @Test func longSuspendedQueueDoesNotDelaySingleOperation() {
        let scheduler = bench.scheduler(limit: 1)
        let (closed, open, other) = (bench.queue(), bench.queue(), bench.queue())
        closed.change { $0.isSuspended = true }
        _ = add(100, scheduler, to: closed)
        let all = add(200, scheduler, to: open)
        for operation in all[..<50] {
            #expect(bench.turn() == [operation])
            open.end(operation)
        }
        closed.change { $0.isSuspended = false }
        let first = bench.turn()
        let single = other.add(scheduler)
        for queue in [closed, open] where queue.operations.contains(first[0]) { queue.end(first[0]) }
        #expect(wait(for: single, in: [closed, open]) <= 2)
    }

    @Test func slotlessOperationsDelayNeitherOtherQueuesNorSlots() throws {
        let scheduler = bench.scheduler(limit: 1)
        let (full, other, slotted) = (bench.queue(), bench.queue(), bench.queue())
        for _ in 0..<2000 { full.add() }
        let (single, sent) = (other.add(), slotted.add(scheduler))
        var started: [Operation] = []
        for _ in 0..<20 { started += bench.turn() }
        #expect(started.count == 2002)
        #expect(try #require(started.firstIndex(of: single)) <= 512)
        #expect(try #require(started.firstIndex(of: sent)) <= 512)
    }

    @Test func cancelledOperationsDoNotDelaySlots() throws {
        let scheduler = bench.scheduler(limit: 1)
        let (full, other) = (bench.queue(), bench.queue())
        full.change { $0.isSuspended = true }
        for _ in 0..<2000 { full.makeReady(full.add(), isCancelled: true) }
        let single = other.add(scheduler)
        var started: [Operation] = []
        for _ in 0..<20 { started += bench.turn() }
        #expect(started.count == 2001)
        #expect(try #require(started.firstIndex(of: single)) <= 512)
    }

    /// Would take minutes if a step visited all queues.
    @Test func thousandsOfQueuesTakeTurns() {
        let scheduler = bench.scheduler(limit: 8)
        let queues = (0..<5000).map { _ in bench.queue() }
        let rounds = (0..<4).map { _ in queues.map { $0.add(scheduler) } }
        var places: [ObjectIdentifier: (round: Int, queue: Int)] = [:]
        for (round, operations) in rounds.enumerated() {
            for (queue, operation) in operations.enumerated() { places[ObjectIdentifier(operation)] = (round, queue) }
        }
        var served: [Int] = []
        while case let next = bench.turn(), !next.isEmpty {
            for operation in next {
                guard let place = places[ObjectIdentifier(operation)] else { continue }
                served.append(place.round)
                queues[place.queue].end(operation)
            }
        }
        #expect(served == rounds.indices.flatMap { round in queues.map { _ in round } })
    }

    @Test func returningQueueTakesNoTurnFromOthers() {
        let scheduler = bench.scheduler(limit: 1)
        let (first, second) = (bench.queue(), bench.queue())
        let running = first.add(scheduler)
        let waiting = add(3, scheduler, to: second)
        #expect(bench.turn() == [running])
        for expected in waiting[..<2] { #expect(turnAfterEnd(in: [first, second]) == [expected]) }
        let back = add(3, scheduler, to: first)
        var order: [Operation] = []
        for _ in 0..<4 { order += turnAfterEnd(in: [first, second]) }
        #expect(order[..<2].contains(waiting[2]) && order[..<2].contains(back[0]) && order[2...] == back[1...])
    }

    @Test func queuesMixingTwoManagersAllStart() {
        let (one, two) = (bench.scheduler(limit: 10), bench.scheduler(limit: 10))
        let (first, second) = (bench.queue(), bench.queue())
        first.add(two)
        first.add(two)
        first.add(one)
        second.add(one)
        second.add(two)
        #expect(bench.turn().count == 5)
    }
}
