// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

/// What queues in front of schedulers start, and in which order. With operations that never run, on an event loop that
/// is turned by hand.
@Suite(.timeLimit(.minutes(1))) struct GateTests {
    private let bench = GateBench()
    private let a = SchedulerTests.origin("a")
    private let b = SchedulerTests.origin("b")

    private func add(_ count: Int, _ scheduler: Scheduler?, to queue: BenchQueue, flow: Int = 0) -> [Operation] {
        (0..<count).map { _ in queue.add(scheduler, flow: flow) }
    }

    @Test func operationsStartWhileThereArePlaces() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 2))
        let all = add(5, scheduler, to: queue)
        #expect(bench.turn() == Array(all[..<2]))
        #expect(bench.turn().isEmpty)
        queue.end(all[1])
        #expect(bench.turn() == [all[2]])
        queue.end(all[0])
        queue.end(all[2])
        #expect(bench.turn() == Array(all[3...]))
    }

    @Test func aHigherPriorityGoesFirst() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        let all = add(3, scheduler, to: queue)
        #expect(bench.turn() == [all[0]])
        let urgent = queue.add(scheduler, priority: 4)
        #expect(bench.turn().isEmpty)
        queue.end(all[0])
        #expect(bench.turn() == [urgent])
    }

    @Test func operationThatNeedsNoPlaceIsNotHeldUp() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        let all = add(3, scheduler, to: queue)
        let block = queue.add()
        #expect(bench.turn() == [all[0], block])
    }

    @Test func operationsOfAnotherManagerAreNotHeldUp() {
        let queue = bench.queue()
        let full = add(3, bench.scheduler(limit: 1), to: queue)
        let free = add(2, bench.scheduler(limit: 5), to: queue)
        #expect(bench.turn() == [full[0]] + free)
    }

    @Test func operationsOfAllKindsAreServedInOneOrder() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 5))
        let all = [queue.add(), queue.add(scheduler), queue.add(), queue.add(scheduler), queue.add()]
        #expect(bench.turn() == all)
    }

    /// Operations that need no slot wait with those of the first manager.
    @Test func operationsOfEachManagerAreServedInOneOrder() {
        let (queue, one, other) = (bench.queue(), bench.scheduler(limit: 5), bench.scheduler(limit: 5))
        let all = [queue.add(one), queue.add(), queue.add(other), queue.add(one), queue.add(), queue.add(other)]
        #expect(bench.turn() == [0, 1, 3, 4, 2, 5].map { all[$0] })
    }

    @Test func waitingBlocksKeepTheirOrderWhenTheFirstRequestComes() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 5))
        queue.change { $0.limit = 1 }
        var all = [queue.add(), queue.add()]
        #expect(bench.turn() == [all[0]])
        all += [queue.add(scheduler), queue.add()]
        for index in 0..<3 {
            queue.end(all[index])
            #expect(bench.turn() == [all[index + 1]])
        }
    }

    @Test func operationsOfAllKindsAreServedOneByOneInASerialQueue() {
        let (queue, one, other) = (bench.queue(), bench.scheduler(limit: 5), bench.scheduler(limit: 5))
        queue.change { $0.limit = 1 }
        let all = [queue.add(one), queue.add(), queue.add(), queue.add(other), queue.add(one), queue.add(other)]
        let urgent = queue.add(other, priority: 8)
        var started: [Operation] = []
        while case let next = bench.turn(), !next.isEmpty {
            #expect(next.count == 1)
            started += next
            for operation in next { queue.end(operation) }
        }
        #expect(started == [urgent] + all)
    }

    @Test func queueWithALimitGoesOnWithAnotherManagersOperations() {
        let (queue, full, free) = (bench.queue(), bench.scheduler(limit: 1), bench.scheduler(limit: 5))
        queue.change { $0.limit = 3 }
        let held = add(2, full, to: queue)
        let others = add(3, free, to: queue)
        #expect(bench.turn() == [held[0], others[0], others[1]])
        queue.end(others[0])
        #expect(bench.turn() == [others[2]])
        queue.end(held[0])
        #expect(bench.turn() == [held[1]])
    }

    @Test func removedOperationsTakeNoPlace() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        let all = add(3, scheduler, to: queue)
        _ = queue.change { $0.remove(all[0]) }
        #expect(bench.turn() == [all[1]])
    }

    @Test func originWithoutAPlaceHoldsUpNoOther() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 5, limitPerOrigin: 1))
        let full = [queue.add(scheduler, a), queue.add(scheduler, a)]
        let other = queue.add(scheduler, b)
        #expect(bench.turn() == [full[0], other])
        queue.end(full[0])
        #expect(bench.turn() == [full[1]])
    }

    @Test func freedOriginServesTheQueuesInTurn() {
        let scheduler = bench.scheduler(limit: 5, limitPerOrigin: 1)
        let queues = [bench.queue(), bench.queue()]
        let held = queues[0].add(scheduler, a)
        #expect(bench.turn() == [held])
        let waiting = queues.map { queue in (0..<3).map { _ in queue.add(scheduler, a) } }
        #expect(bench.turn().isEmpty)
        queues[0].end(held)
        var served: [Int] = []
        while let next = bench.turn().first {
            let index = waiting[0].contains(next) ? 0 : 1
            served.append(index)
            queues[index].end(next)
        }
        #expect(served == [1, 0, 1, 0, 1, 0])
    }
}

// MARK: - When the gate is closed

extension GateTests {
    @Test func suspendedQueueStartsNothingAndHoldsUpNoOther() {
        let (closed, open, scheduler) = (bench.queue(), bench.queue(), bench.scheduler(limit: 2))
        closed.change { $0.isSuspended = true }
        let waiting = add(2, scheduler, to: closed) + [closed.add()]
        let others = add(1, scheduler, to: open)
        #expect(bench.turn() == others)
        closed.change { $0.isSuspended = false }
        #expect(bench.turn() == [waiting[0], waiting[2]])
    }

    @Test func heldQueueStartsNothing() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 2))
        let first = queue.add(scheduler)
        queue.change { $0.isHeld = true }
        #expect(bench.turn().isEmpty)
        queue.change { $0.isHeld = false }
        #expect(bench.turn() == [first])
    }

    @Test func queueAtItsLimitGoesOnWhenAnOperationEnds() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 10))
        queue.change { $0.limit = 2 }
        let all = add(4, scheduler, to: queue)
        #expect(bench.turn() == Array(all[..<2]))
        queue.change { $0.limit = 3 }
        #expect(bench.turn() == [all[2]])
        queue.end(all[0])
        #expect(bench.turn() == [all[3]])
        #expect(scheduler.runningCount == 3)
    }

    @Test(arguments: [true, false]) func cancelledOperationEndsBehindAClosedGate(isSuspended: Bool) {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 10))
        queue.change { $0.limit = isSuspended ? nil : 0 }
        queue.change { $0.isSuspended = isSuspended }
        let all = add(2, scheduler, to: queue)
        #expect(bench.turn().isEmpty)
        queue.makeReady(all[1], isCancelled: true)
        #expect(bench.turn() == [all[1]])
        #expect(scheduler.runningCount == 0)
        queue.end(all[1])
        queue.change { ($0.isSuspended, $0.limit) = (false, nil) }
        #expect(bench.turn() == [all[0]])
    }

    @Test func staleEntriesOfAnEmptyQueueAreDropped() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 10))
        queue.change { $0.isSuspended = true }
        let all = add(200, scheduler, to: queue)
        #expect(bench.turn().isEmpty)
        #expect(queue.gates.all.map(\.lanes.count) == [200])
        for operation in all { queue.makeReady(operation, isCancelled: true) }
        #expect(Set(bench.turn()) == Set(all))
        for operation in all { queue.end(operation) }
        #expect(bench.turn().isEmpty)
        #expect(queue.gates.all.map(\.lanes.count) == [0])
    }

    @Test func barrierHoldsUpWhatComesAfterIt() {
        let (queue, scheduler, barrier) = (bench.queue(), bench.scheduler(limit: 10), Operation())
        let first = queue.add(scheduler)
        queue.change { $0.addBarrier(barrier) }
        let second = queue.add(scheduler, priority: 8)
        #expect(bench.turn() == [first])
        queue.end(first)
        #expect(bench.turn() == [barrier])
        queue.end(barrier)
        #expect(bench.turn() == [second])
    }

    @Test func operationThatPassedItsGateWaitsForNoGate() {
        let (queue, scheduler, log) = (bench.queue(), bench.scheduler(limit: 1), AdmissionLog())
        let held = queue.add(scheduler)
        #expect(bench.turn() == [held])
        queue.change { $0.isSuspended = true }
        queue.add(scheduler)
        var ticket = scheduler.makeTicket(flow: 0, priority: 0)
        scheduler.enqueue(&ticket, origin: a, priority: 0, demand: .another, client: log.client(1))
        #expect(bench.turn().isEmpty && log.numbers.isEmpty)
        queue.end(held)
        #expect(bench.turn().isEmpty)
        #expect(log.numbers == [1])
    }
}

// MARK: - Slots, and priorities

extension GateTests {
    @Test func slotThatIsNotTakenGoesToTheNext() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        let quitters = (0..<300).map { _ in queue.add(scheduler, takesSlot: false) }
        let good = queue.add(scheduler)
        #expect(bench.turn() == quitters + [good])
        #expect(scheduler.runningCount == 1)
    }

    /// The slot is given to the operation that is started, once, and is one of its origin.
    @Test func startHasTheSlotOfItsOperation() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 2))
        let (one, other, block) = (queue.add(scheduler, a), queue.add(scheduler, b), queue.add())
        #expect(bench.turn() == [one, other, block])
        #expect(bench.slot(of: one)?.origin == a && bench.slot(of: other)?.origin == b)
        #expect(bench.slot(of: block) == nil && scheduler.runningCount == 2)
    }

    @Test func slotThatIsNotConsumedCountsForNoOrigin() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 5, limitPerOrigin: 1))
        let (quitter, good) = (queue.add(scheduler, a, takesSlot: false), queue.add(scheduler, a))
        let late = queue.add(scheduler, a)
        #expect(bench.turn() == [quitter, good])
        queue.end(quitter)
        #expect(bench.turn().isEmpty && scheduler.runningCount == 1)
        queue.end(good)
        #expect(bench.turn() == [late])
    }

    @Test func operationPutBackIsStartedWhenItIsReadyAgain() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        queue.change { $0.limit = 1 }
        let operation = queue.add(scheduler, takesSlot: false)
        #expect(bench.turn() == [operation])
        queue.change { $0.putBack(operation) }
        #expect(bench.turn().isEmpty)
        queue.makeReady(operation)
        #expect(bench.turn() == [operation])
    }

    @Test func priorityCountsBeforeAndAfterTheOperationIsInItsLane() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        let held = queue.add(scheduler)
        let all = add(3, scheduler, to: queue)
        queue.change { $0.changePriority(of: all[2], to: 4) }
        #expect(bench.turn() == [all[2]])
        queue.change { $0.changePriority(of: all[1], to: 4) }
        queue.change { $0.changePriority(of: held, to: -4) }
        #expect(bench.turn().isEmpty)
        for expected in [all[1], all[0], held] {
            queue.end(bench.started[bench.started.count - 1])
            #expect(bench.turn() == [expected])
        }
    }
}

// MARK: - Fairness

extension GateTests {
    /// Ends what was started last.
    private func turnAfterEnd(in queues: [BenchQueue]) -> [Operation] {
        guard let last = bench.started.last else { return [] }
        for queue in queues where queue.operations.contains(last) { queue.end(last) }
        return bench.turn()
    }

    /// Ends what runs until an operation is started, and counts what was started before.
    private func wait(for operation: Operation, in queues: [BenchQueue]) -> Int {
        var count = 0
        while let last = bench.turn().last, last !== operation {
            count += 1
            for queue in queues where queue.operations.contains(last) { queue.end(last) }
        }
        return count
    }

    @Test func singleOperationWaitsForOneOfABatchInItsQueue() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        let batch = add(500, scheduler, to: queue, flow: 1)
        #expect(bench.turn() == [batch[0]])
        let single = queue.add(scheduler)
        queue.end(batch[0])
        #expect(wait(for: single, in: [queue]) <= 1)
    }

    @Test func singleOperationWaitsForOneOfEachFlowWhateverItsQueue() {
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

    @Test func operationsPreparedLateDoNotDelayASingleOne() {
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

    /// Operations of a batch that start without a slot, and ask for one when their requests are made.
    @Test func startsWithoutASlotDoNotDelayASingleOne() {
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

    @Test func operationsOfALongSuspendedQueueDoNotDelayASingleOne() {
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

    @Test func operationsWithoutASlotHoldUpNeitherOtherQueuesNorSlots() throws {
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

    @Test func cancelledOperationsHoldUpNoSlot() throws {
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

    /// Would take minutes if a step looked at all queues.
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

    @Test func queueThatReturnsTakesNoTurnOfTheOthers() {
        let scheduler = bench.scheduler(limit: 1)
        let (first, second) = (bench.queue(), bench.queue())
        let held = first.add(scheduler)
        let waiting = add(3, scheduler, to: second)
        #expect(bench.turn() == [held])
        for expected in waiting[..<2] { #expect(turnAfterEnd(in: [first, second]) == [expected]) }
        let back = add(3, scheduler, to: first)
        var order: [Operation] = []
        for _ in 0..<4 { order += turnAfterEnd(in: [first, second]) }
        #expect(order[..<2].contains(waiting[2]) && order[..<2].contains(back[0]) && order[2...] == back[1...])
    }

    @Test func queuesOfTwoManagersWhoseFirstOperationsAreTheOthersAllStart() {
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
