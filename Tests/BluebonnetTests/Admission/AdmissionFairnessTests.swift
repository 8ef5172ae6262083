// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

/// Nobody who brings little waits long behind somebody who brings much.
@Suite(.timeLimit(.minutes(1))) struct AdmissionFairnessTests {
    private let a = AdmissionQueueTests.origin("a")

    private func enqueue(
        _ count: Int, flow: Int, priority: Int = 0, origin: (Int) -> Origin, in queue: inout AdmissionQueue
    ) -> [AdmissionQueue.Ticket] {
        (0..<count).map { number in
            let ticket = queue.makeTicket(flow: flow, priority: priority)
            queue.enqueue(ticket, origin: origin(number), priority: priority)
            return ticket
        }
    }

    /// How many are let in before a ticket is.
    private func wait(for ticket: AdmissionQueue.Ticket, in queue: inout AdmissionQueue, _ origin: Origin) -> Int {
        var count = 0
        while let next = queue.admitNext(), next != ticket {
            count += 1
            queue.release(origin: origin)
        }
        return count
    }

    @Test func aSingleRequestWaitsForOneOfABatchOfAHundredThousand() {
        var queue = AdmissionQueue(limit: 1, limitPerOrigin: 1)
        _ = enqueue(100_000, flow: 1, origin: { _ in a }, in: &queue)
        for _ in 0..<1_000 where queue.admitNext() != nil { queue.release(origin: a) }
        let single = enqueue(1, flow: 0, origin: { _ in a }, in: &queue)
        #expect(wait(for: single[0], in: &queue, a) <= 1)
    }

    @Test func aSingleRequestWaitsForOneOfEachOfTenBatches() {
        var queue = AdmissionQueue(limit: 1, limitPerOrigin: 1)
        for flow in 1...10 { _ = enqueue(1_000, flow: flow, origin: { _ in a }, in: &queue) }
        for _ in 0..<55 where queue.admitNext() != nil { queue.release(origin: a) }
        let single = enqueue(1, flow: 0, origin: { _ in a }, in: &queue)
        #expect(wait(for: single[0], in: &queue, a) <= 10)
    }

    @Test func singleRequestDoesNotWaitForABatchOverManyOrigins() {
        var queue = AdmissionQueue(limit: 2, limitPerOrigin: 2)
        let origins = (0..<1_000).map { AdmissionQueueTests.origin("host\($0)") }
        _ = enqueue(10_000, flow: 1, origin: { origins[$0 % 1_000] }, in: &queue)
        #expect(queue.admitNext() != nil)
        let single = enqueue(1, flow: 0, origin: { _ in a }, in: &queue)
        #expect([queue.admitNext(), queue.admitNext()].contains(single[0]))
    }

    @Test func twoBatchesShareTheWire() {
        var queue = AdmissionQueue(limit: 1, limitPerOrigin: 1)
        let first = Set(enqueue(100, flow: 1, origin: { _ in a }, in: &queue))
        let second = Set(enqueue(100, flow: 2, origin: { _ in a }, in: &queue))
        var admitted: [AdmissionQueue.Ticket] = []
        for _ in 0..<100 {
            if let next = queue.admitNext() { admitted.append(next) }
            queue.release(origin: a)
        }
        #expect(admitted.count { first.contains($0) } == 50)
        #expect(admitted.count { second.contains($0) } == 50)
    }

    @Test func aHigherPriorityStillGoesFirst() {
        var queue = AdmissionQueue(limit: 1, limitPerOrigin: 1)
        let low = enqueue(1, flow: 0, origin: { _ in a }, in: &queue)
        let high = enqueue(3, flow: 1, priority: 8, origin: { _ in a }, in: &queue)
        var admitted: [AdmissionQueue.Ticket] = []
        for _ in 0..<4 {
            if let next = queue.admitNext() { admitted.append(next) }
            queue.release(origin: a)
        }
        #expect(admitted == high + low)
    }

    @Test func aSlowOriginTakesOnlyItsOwnSlots() {
        var queue = AdmissionQueue(limit: 64, limitPerOrigin: 6)
        let slow = Set(enqueue(100_000, flow: 1, origin: { _ in a }, in: &queue))
        let others = enqueue(58, flow: 2, origin: { AdmissionQueueTests.origin("host\($0)") }, in: &queue)
        var admitted: [AdmissionQueue.Ticket] = []
        while let next = queue.admitNext() { admitted.append(next) }
        #expect(admitted.count { slow.contains($0) } == 6)
        #expect(Set(admitted).isSuperset(of: others))
    }
}
