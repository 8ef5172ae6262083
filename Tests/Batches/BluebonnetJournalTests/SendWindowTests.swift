// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import Testing

@testable import BluebonnetJournal

@Suite struct SendWindowTests {
    private static func window(
        _ limit: Int, _ limitPerLane: Int, _ tickets: [(Int, String, RequestLine.Priority)]
    ) -> SendWindow {
        var window = SendWindow(limit: limit, limitPerLane: limitPerLane)
        for (position, lane, priority) in tickets {
            window.enqueue(.init(position: position, lane: lane, priority: priority))
        }
        return window
    }

    private static func drain(_ window: inout SendWindow) -> [Int] {
        var taken: [Int] = []
        while let ticket = window.next() { taken.append(ticket.position) }
        return taken
    }

    @Test func laneHasItsLimit() {
        var window = Self.window(10, 2, (0..<5).map { ($0, "a", .normal) } + [(5, "b", .normal)])
        #expect(Set(Self.drain(&window)) == [0, 1, 5])
        window.release("a")
        #expect(Self.drain(&window) == [2])
        window.release("b")
        #expect(Self.drain(&window) == [])
    }

    @Test func retakenSlotCountsBeyondTheLimit() {
        var window = Self.window(2, 2, (0..<5).map { ($0, "a", .normal) })
        #expect(Self.drain(&window) == [0, 1])
        window.release("a")
        #expect(Self.drain(&window) == [2])
        window.retake("a")
        #expect(window.count(of: "a") == 5)
        window.release("a")
        #expect(Self.drain(&window) == [], "two are left of three")
        window.release("a")
        #expect(Self.drain(&window) == [3])
        window.setPausedLanes(["a"])
        window.release("a")
        window.retake("a")
        window.setPausedLanes([])
        #expect(Self.drain(&window) == [])
    }

    @Test func totalLimitCountsEveryLane() {
        var window = Self.window(3, 2, (0..<6).map { ($0, String($0), .normal) })
        #expect(Self.drain(&window) == [0, 1, 2])
        window.release("1")
        #expect(Self.drain(&window) == [3])
    }

    @Test func higherPriorityGoesFirstAndOlderAmongEquals() {
        var window = Self.window(
            10, 10, [(0, "a", .low), (1, "a", .normal), (2, "b", .veryHigh), (3, "a", .veryHigh), (4, "a", .normal)])
        #expect(Self.drain(&window) == [2, 3, 1, 4, 0])
    }

    @Test func lanesOfOnePriorityTakeTurns() {
        var window = Self.window(10, 10, [(0, "a", .normal), (1, "a", .normal), (2, "b", .normal), (3, "b", .normal)])
        #expect(Self.drain(&window) == [0, 2, 1, 3])
    }

    @Test func fullLaneBlocksNoOther() {
        var window = Self.window(10, 1, [(0, "a", .veryHigh), (1, "a", .veryHigh), (2, "b", .veryLow)])
        #expect(Self.drain(&window) == [0, 2])
        window.release("a")
        #expect(Self.drain(&window) == [1])
    }

    @Test func queueKeepsItsOrder() {
        var queue = Fifo<Int>()
        var taken: [Int] = []
        for number in 0..<1_000 {
            queue.append(number)
            if number % 3 == 0, let first = queue.popFirst() { taken.append(first) }
        }
        while let first = queue.popFirst() { taken.append(first) }
        #expect(taken == Array(0..<1_000))
        #expect(queue.isEmpty && queue.popFirst() == nil)
    }
}
