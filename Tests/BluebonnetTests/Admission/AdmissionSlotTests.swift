// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Bluebonnet

/// How many more a queue may bring.
@Suite(.timeLimit(.minutes(1))) struct AdmissionSlotTests {
    private let a = AdmissionQueueTests.origin("a")
    private let b = AdmissionQueueTests.origin("b")
    private let own = WaitingCounts()

    private func enqueue(
        _ count: Int, _ origin: Origin, priority: Int = 0, counts: WaitingCounts?, in queue: inout AdmissionQueue
    ) -> [AdmissionQueue.Ticket] {
        (0..<count).map { _ in
            let ticket = queue.makeTicket(flow: 0, priority: priority, counts: counts)
            queue.enqueue(ticket, origin: origin, priority: priority)
            return ticket
        }
    }

    @Test func roomIsTheNumberOfFreePlaces() {
        var queue = AdmissionQueue(limit: 5, limitPerOrigin: 5)
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 5)
        _ = enqueue(5, a, counts: own, in: &queue)
        for left in [4, 3, 2, 1, 0] {
            #expect(queue.admitNext() != nil)
            #expect(
                queue.availableSlotCount(besides: own, priority: 0) == 0,
                "all that wait have a place, with \(left) left")
        }
        queue.release(origin: a)
        queue.release(origin: a)
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 2)
    }

    @Test func roomIsReducedByThoseThatWaitForIt() {
        var queue = AdmissionQueue(limit: 5, limitPerOrigin: 5)
        _ = enqueue(3, a, counts: own, in: &queue)
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 2)
        _ = enqueue(10, a, counts: own, in: &queue)
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 0)
    }

    @Test func entryWaitingForItsOriginTakesNoPlace() {
        var queue = AdmissionQueue(limit: 10, limitPerOrigin: 2)
        _ = enqueue(100, a, counts: own, in: &queue)
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 8)
        while queue.admitNext() != nil {}
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 8)
        _ = enqueue(1, b, counts: own, in: &queue)
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 7)
        queue.release(origin: a)
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 7, "one of a hundred has the new place")
    }

    @Test func entryOfLowerPriorityTakesNoPlace() {
        var queue = AdmissionQueue(limit: 5, limitPerOrigin: 5)
        _ = enqueue(2, a, priority: -4, counts: own, in: &queue)
        _ = enqueue(1, b, priority: 4, counts: own, in: &queue)
        #expect(queue.availableSlotCount(besides: own, priority: 8) == 5)
        #expect(queue.availableSlotCount(besides: own, priority: 4) == 4)
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 4)
        #expect(queue.availableSlotCount(besides: own, priority: -8) == 2)
    }

    @Test func entriesOfOtherSharesTakeNoPlace() {
        var queue = AdmissionQueue(limit: 5, limitPerOrigin: 5)
        _ = enqueue(100, a, counts: WaitingCounts(), in: &queue)
        _ = enqueue(100, a, counts: nil, in: &queue)
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 5)
    }

    @Test func withdrawnEntryTakesNoPlace() {
        var queue = AdmissionQueue(limit: 5, limitPerOrigin: 5)
        let tickets = enqueue(4, a, counts: own, in: &queue)
        queue.withdraw(tickets[0])
        queue.withdraw(tickets[0])
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 2)
        queue.enqueue(tickets[1], origin: b, priority: 8)  // without having left
        #expect(queue.availableSlotCount(besides: own, priority: 8) == 4)
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 2)
        queue.withdrawNeverStarted()
        #expect(queue.availableSlotCount(besides: own, priority: 0) == 5)
    }

    /// What anybody would count who looked through all lines.
    @Test(arguments: 1...20) func countsAgreeWithACountOfAll(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let counts = WaitingCounts()
        var all: [(lane: Int, priority: Int)] = []
        let slotCounts = (0..<12).map { _ in Int.random(in: -1...4, using: &generator) }
        for _ in 0..<400 {
            if !all.isEmpty, Bool.random(using: &generator) {
                let gone = all.remove(at: Int.random(in: all.indices, using: &generator))
                counts.note(lane: gone.lane, priority: gone.priority, -1)
            } else {
                let lane = Int.random(in: slotCounts.indices, using: &generator)
                let priority = [-8, -4, 0, 4, 8].randomElement(using: &generator) ?? 0
                counts.note(lane: lane, priority: priority, 1)
                all.append((lane, priority))
            }
            let from = Int.random(in: -8...8, using: &generator) / 4 * 4
            let limit = Int.random(in: 1...30, using: &generator)
            let expected = slotCounts.indices.reduce(0) { sum, lane in
                sum + max(0, min(slotCounts[lane], all.filter { $0.lane == lane && $0.priority >= from }.count))
            }
            #expect(counts.admissibleCount(from: from, limit: limit) { slotCounts[$0] } == min(expected, limit))
        }
    }
}
