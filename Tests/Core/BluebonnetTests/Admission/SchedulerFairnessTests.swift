// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

/// A flow with few operations does not wait long for a flow with many operations.
@Suite(.timeLimit(.minutes(1))) struct SchedulerFairnessTests {
    private let a = SchedulerTests.origin("a")

    private func enqueue(
        _ count: Int, flow: Int, priority: Int = 0, origin: (Int) -> Origin, in queue: FlowQueue
    ) -> [UInt64] {
        (0..<count).map { queue.enqueue(flow: flow, priority: priority, origin: origin($0)) }
    }

    /// The number of operations that are admitted before a ticket.
    private func wait(for ticket: UInt64, in queue: FlowQueue, _ origin: Origin) -> Int {
        var count = 0
        while let next = queue.admitNext(), next != ticket {
            count += 1
            queue.release(origin: origin)
        }
        return count
    }

    @Test func singleRequestWaitsForOneMemberOfHugeBatch() {
        let queue = FlowQueue(limit: 1, limitPerOrigin: 1)
        _ = enqueue(100_000, flow: 1, origin: { _ in a }, in: queue)
        for _ in 0..<1_000 where queue.admitNext() != nil { queue.release(origin: a) }
        let single = enqueue(1, flow: 0, origin: { _ in a }, in: queue)
        #expect(wait(for: single[0], in: queue, a) <= 1)
    }

    @Test func singleRequestWaitsForOneMemberOfEachBatch() {
        let queue = FlowQueue(limit: 1, limitPerOrigin: 1)
        for flow in 1...10 { _ = enqueue(1_000, flow: flow, origin: { _ in a }, in: queue) }
        for _ in 0..<55 where queue.admitNext() != nil { queue.release(origin: a) }
        let single = enqueue(1, flow: 0, origin: { _ in a }, in: queue)
        #expect(wait(for: single[0], in: queue, a) <= 10)
    }

    @Test func singleRequestOvertakesBatchOverManyOrigins() {
        let queue = FlowQueue(limit: 2, limitPerOrigin: 2)
        let origins = (0..<1_000).map { SchedulerTests.origin("host\($0)") }
        _ = enqueue(10_000, flow: 1, origin: { origins[$0 % 1_000] }, in: queue)
        #expect(queue.admitNext() != nil)
        let single = enqueue(1, flow: 0, origin: { _ in a }, in: queue)
        #expect([queue.admitNext(), queue.admitNext()].contains(single[0]))
    }

    @Test func twoBatchesShareTheSlots() {
        let queue = FlowQueue(limit: 1, limitPerOrigin: 1)
        let first = Set(enqueue(100, flow: 1, origin: { _ in a }, in: queue))
        let second = Set(enqueue(100, flow: 2, origin: { _ in a }, in: queue))
        var admitted: [UInt64] = []
        for _ in 0..<100 {
            if let next = queue.admitNext() { admitted.append(next) }
            queue.release(origin: a)
        }
        #expect(admitted.count { first.contains($0) } == 50)
        #expect(admitted.count { second.contains($0) } == 50)
    }

    @Test func higherPriorityGoesFirst() {
        let queue = FlowQueue(limit: 1, limitPerOrigin: 1)
        let low = enqueue(1, flow: 0, origin: { _ in a }, in: queue)
        let high = enqueue(3, flow: 1, priority: 8, origin: { _ in a }, in: queue)
        var admitted: [UInt64] = []
        for _ in 0..<4 {
            if let next = queue.admitNext() { admitted.append(next) }
            queue.release(origin: a)
        }
        #expect(admitted == high + low)
    }

    @Test func slowOriginTakesOnlyItsOwnSlots() {
        let queue = FlowQueue(limit: 64, limitPerOrigin: 6)
        let slow = Set(enqueue(100_000, flow: 1, origin: { _ in a }, in: queue))
        let others = enqueue(58, flow: 2, origin: { SchedulerTests.origin("host\($0)") }, in: queue)
        var admitted: [UInt64] = []
        while let next = queue.admitNext() { admitted.append(next) }
        #expect(admitted.count { slow.contains($0) } == 6)
        #expect(Set(admitted).isSuperset(of: others))
    }
}

/// A scheduler with operations of flows. No flow has a gate.
private final class FlowQueue {
    private let scheduler: Scheduler
    private let log = AdmissionLog()

    init(limit: Int, limitPerOrigin: Int) { scheduler = Scheduler(limit: limit, limitPerOrigin: limitPerOrigin) }

    /// Returns the number that identifies the operation.
    func enqueue(flow: Int, priority: Int, origin: Origin) -> UInt64 {
        var ticket = scheduler.makeTicket(flow: flow, priority: priority)
        scheduler.enqueue(&ticket, origin: origin, priority: priority, client: log.client(ticket.number))
        return ticket.number
    }

    func admitNext() -> UInt64? {
        guard scheduler.serveNext() != .nothing else { return nil }
        return log.numbers.last
    }

    func release(origin: Origin) { log.release(origin, of: scheduler) }
}
