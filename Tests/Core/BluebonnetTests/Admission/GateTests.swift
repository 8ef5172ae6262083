// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

/// Which operations queues in front of schedulers start, and in which order. The operations never run, and the test
/// turns the event loop.
@Suite(.timeLimit(.minutes(1))) struct GateTests {
    private let bench = GateBench()
    private let a = SchedulerTests.origin("a")
    private let b = SchedulerTests.origin("b")

    private func add(_ count: Int, _ scheduler: Scheduler?, to queue: BenchQueue, flow: Int = 0) -> [Operation] {
        (0..<count).map { _ in queue.add(scheduler, flow: flow) }
    }

    @Test func operationsStartWhileSlotsAreFree() {
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

    @Test func higherPriorityGoesFirst() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        let all = add(3, scheduler, to: queue)
        #expect(bench.turn() == [all[0]])
        let urgent = queue.add(scheduler, priority: 4)
        #expect(bench.turn().isEmpty)
        queue.end(all[0])
        #expect(bench.turn() == [urgent])
    }

    @Test func slotlessOperationIsNotDelayed() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        let all = add(3, scheduler, to: queue)
        let block = queue.add()
        #expect(bench.turn() == [all[0], block])
    }

    @Test func operationsOfAnotherManagerAreNotDelayed() {
        let queue = bench.queue()
        let full = add(3, bench.scheduler(limit: 1), to: queue)
        let free = add(2, bench.scheduler(limit: 5), to: queue)
        #expect(bench.turn() == [full[0]] + free)
    }

    @Test func slottedAndSlotlessOperationsShareOneOrder() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 5))
        let all = [queue.add(), queue.add(scheduler), queue.add(), queue.add(scheduler), queue.add()]
        #expect(bench.turn() == all)
    }

    /// Operations that need no slot wait with the operations of the first manager.
    @Test func operationsOfEachManagerAreServedInOrder() {
        let (queue, one, other) = (bench.queue(), bench.scheduler(limit: 5), bench.scheduler(limit: 5))
        let all = [queue.add(one), queue.add(), queue.add(other), queue.add(one), queue.add(), queue.add(other)]
        #expect(bench.turn() == [0, 1, 3, 4, 2, 5].map { all[$0] })
    }

    @Test func waitingBlocksKeepOrderWhenRequestIsAdded() {
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

    @Test func serialQueueServesAllOperationsInOrder() {
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

    @Test func limitedQueueContinuesWithAnotherManagersOperations() {
        let (queue, full, free) = (bench.queue(), bench.scheduler(limit: 1), bench.scheduler(limit: 5))
        queue.change { $0.limit = 3 }
        let limited = add(2, full, to: queue)
        let others = add(3, free, to: queue)
        #expect(bench.turn() == [limited[0], others[0], others[1]])
        queue.end(others[0])
        #expect(bench.turn() == [others[2]])
        queue.end(limited[0])
        #expect(bench.turn() == [limited[1]])
    }

    @Test func removedOperationsTakeNoSlot() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        let all = add(3, scheduler, to: queue)
        _ = queue.change { $0.remove(all[0]) }
        #expect(bench.turn() == [all[1]])
    }

    @Test func originAtItsLimitDoesNotDelayOthers() {
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
        let running = queues[0].add(scheduler, a)
        #expect(bench.turn() == [running])
        let waiting = queues.map { queue in (0..<3).map { _ in queue.add(scheduler, a) } }
        #expect(bench.turn().isEmpty)
        queues[0].end(running)
        var served: [Int] = []
        while let next = bench.turn().first {
            let index = waiting[0].contains(next) ? 0 : 1
            served.append(index)
            queues[index].end(next)
        }
        #expect(served == [1, 0, 1, 0, 1, 0])
    }
}

// MARK: - Closed gates

extension GateTests {
    @Test func suspendedQueueStartsNothingAndDelaysNoOther() {
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
        queue.change { $0.isWaitingForNetwork = true }
        #expect(bench.turn().isEmpty)
        queue.change { $0.isWaitingForNetwork = false }
        #expect(bench.turn() == [first])
    }

    @Test func queueAtItsLimitContinuesWhenOperationEnds() {
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

    @Test(arguments: [true, false]) func cancelledOperationEndsWhileGateIsClosed(isSuspended: Bool) {
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

    @Test func barrierDelaysLaterOperations() {
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

    @Test func admittedOperationIgnoresTheGateWhenReadmitted() {
        let (queue, scheduler, log) = (bench.queue(), bench.scheduler(limit: 1), AdmissionLog())
        let running = queue.add(scheduler)
        #expect(bench.turn() == [running])
        queue.change { $0.isSuspended = true }
        queue.add(scheduler)
        var ticket = scheduler.makeTicket(flow: 0, priority: 0)
        scheduler.enqueue(&ticket, origin: a, priority: 0, demand: .another, client: log.client(1))
        #expect(bench.turn().isEmpty && log.numbers.isEmpty)
        queue.end(running)
        #expect(bench.turn().isEmpty)
        #expect(log.numbers == [1])
    }
}

// MARK: - Slots and priorities

extension GateTests {
    @Test func unusedSlotGoesToTheNextOperation() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        let quitters = (0..<300).map { _ in queue.add(scheduler, takesSlot: false) }
        let good = queue.add(scheduler)
        #expect(bench.turn() == quitters + [good])
        #expect(scheduler.runningCount == 1)
    }

    /// The started operation receives exactly one slot, for its own origin.
    @Test func startedOperationReceivesItsSlot() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 2))
        let (one, other, block) = (queue.add(scheduler, a), queue.add(scheduler, b), queue.add())
        #expect(bench.turn() == [one, other, block])
        #expect(bench.slot(of: one)?.origin == a && bench.slot(of: other)?.origin == b)
        #expect(bench.slot(of: block) == nil && scheduler.runningCount == 2)
    }

    @Test func unusedSlotCountsForNoOrigin() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 5, limitPerOrigin: 1))
        let (quitter, good) = (queue.add(scheduler, a, takesSlot: false), queue.add(scheduler, a))
        let late = queue.add(scheduler, a)
        #expect(bench.turn() == [quitter, good])
        queue.end(quitter)
        #expect(bench.turn().isEmpty && scheduler.runningCount == 1)
        queue.end(good)
        #expect(bench.turn() == [late])
    }

    @Test func operationPutBackStartsWhenReadyAgain() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        queue.change { $0.limit = 1 }
        let operation = queue.add(scheduler, takesSlot: false)
        #expect(bench.turn() == [operation])
        queue.change { $0.putBack(operation) }
        #expect(bench.turn().isEmpty)
        queue.makeReady(operation)
        #expect(bench.turn() == [operation])
    }

    @Test func priorityAppliesBeforeAndAfterEnteringTheLane() {
        let (queue, scheduler) = (bench.queue(), bench.scheduler(limit: 1))
        let lowered = queue.add(scheduler)
        let all = add(3, scheduler, to: queue)
        queue.change { $0.changePriority(of: all[2], to: 4) }
        #expect(bench.turn() == [all[2]])
        queue.change { $0.changePriority(of: all[1], to: 4) }
        queue.change { $0.changePriority(of: lowered, to: -4) }
        #expect(bench.turn().isEmpty)
        for expected in [all[1], all[0], lowered] {
            queue.end(bench.started[bench.started.count - 1])
            #expect(bench.turn() == [expected])
        }
    }
}
