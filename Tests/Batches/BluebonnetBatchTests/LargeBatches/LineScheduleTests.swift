// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import BluebonnetBatch

@Suite struct LineScheduleTests {
    /// A schedule with few slots: 8 in total, and 4, 2 or 1 per origin.
    private static func schedule() -> LineSchedule { LineSchedule(.init(total: 8, perLane: [4, 2, 1])) }

    /// Wraps a schedule in a class, so that an expectation can change it.
    private final class Table {
        var schedule: LineSchedule

        init(_ schedule: LineSchedule = LineScheduleTests.schedule()) { self.schedule = schedule }

        /// Starts every line that may start.
        func started() -> [Int] {
            var started: [Int] = []
            while let position = schedule.next() { started.append(position) }
            return started
        }
    }

    @Test func largestLimitsDoNotOverflow() {
        var schedule = LineSchedule(.init(concurrency: .max, concurrencyPerOrigin: .max))
        let lane = schedule.lane(named: "http://a")
        schedule.add(lane: lane, priority: .normal)
        #expect(schedule.next() == 0)
        schedule.end(0, .success)
    }

    @Test func higherPrioritiesGoFirstAndThenEarlierLines() {
        let table = Table()
        let lane = table.schedule.lane(named: "http://a")
        for priority in [RequestLine.Priority.low, .normal, .veryHigh, .normal] {
            table.schedule.add(lane: lane, priority: priority)
        }
        #expect(table.started() == [2, 1, 3, 0])
        #expect(!table.schedule.isAnyWaiting)
    }

    @Test func originsTakeTurns() {
        let table = Table(LineSchedule(.init(total: 100, perLane: [50, 50, 50])))
        for name in ["http://a", "http://a", "http://a", "http://b", "http://c", "http://b"] {
            table.schedule.add(lane: table.schedule.lane(named: name), priority: .normal)
        }
        #expect(table.started() == [0, 3, 4, 1, 5, 2])
    }

    @Test func lineWaitsForAllItsDependencies() {
        let table = Table()
        let lane = table.schedule.lane(named: "")
        table.schedule.add(lane: lane, priority: .normal)
        table.schedule.add(lane: lane, priority: .normal)
        table.schedule.add(lane: lane, priority: .veryHigh, dependencies: [0, 1])
        #expect(table.started() == [0, 1])
        table.schedule.end(0, .success)
        #expect(table.started() == [])
        let isUrgent = table.schedule.end(1, .failure)
        #expect(isUrgent && table.started() == [2])
        #expect(table.schedule.outcome(of: 1) == .failure && table.schedule.outcome(of: 2) == nil)
    }

    @Test func dependentOfAnEarlyLineGoesBeforeLaterLines() {
        let table = Table(LineSchedule(.init(total: 2, perLane: [2, 2, 2])))
        let lane = table.schedule.lane(named: "http://a")
        for _ in 0..<3 { table.schedule.add(lane: lane, priority: .normal) }
        table.schedule.add(lane: lane, priority: .normal, dependencies: [0])
        for _ in 0..<3 { table.schedule.add(lane: lane, priority: .normal) }
        #expect(table.started() == [0, 1])
        table.schedule.end(1, .success)
        #expect(table.started() == [2])
        table.schedule.end(0, .success)
        #expect(table.started() == [3])
    }

    @Test func stalledOriginLeavesSlotsForOthers() {
        let table = Table()
        let (slow, quick) = (table.schedule.lane(named: "http://slow"), table.schedule.lane(named: "http://quick"))
        for _ in 0..<100 { table.schedule.add(lane: slow, priority: .veryHigh) }
        for _ in 0..<100 { table.schedule.add(lane: quick, priority: .normal) }
        let first = table.started()
        #expect(first == [0, 1, 2, 3, 100, 101])
        for position in 100..<190 {
            table.schedule.end(position, .success)
            #expect(table.started() == [position + 2])
        }
    }

    /// Includes many more origins than there are slots.
    @Test func everyLineIsStartedOnceInAnyOrderOfEnds() {
        var generator = SeededGenerator(seed: 7)
        let table = Table()
        for position in 0..<3_000 {
            let lane = table.schedule.lane(named: "http://h\(Int.random(in: 0..<40, using: &generator))")
            let dependencies = (0..<Int.random(in: 0...3, using: &generator))
                .map { _ in Int.random(in: 0...position, using: &generator) }.filter { $0 < position }
            table.schedule.add(
                lane: lane, priority: RequestLine.Priority.allCases.randomElement(using: &generator) ?? .normal,
                dependencies: Set(dependencies).sorted())
        }
        var (running, started) = ([Int](), Set<Int>())
        while table.schedule.isAnyWaiting || !running.isEmpty {
            while let position = table.schedule.next() {
                #expect(started.insert(position).inserted)
                running.append(position)
            }
            #expect(running.count <= 8 && !running.isEmpty)
            guard !running.isEmpty else { return }
            table.schedule.end(running.remove(at: Int.random(in: running.indices, using: &generator)), .success)
        }
        #expect(started.count == 3_000 && table.schedule.counts == [.success: 3_000])
    }

    @Test func limitedLaneGetsSlotsAgainWhenOthersEnd() {
        let table = Table(LineSchedule(.init(total: 16, perLane: [8, 2, 1])))
        let (first, second) = (table.schedule.lane(named: "http://a"), table.schedule.lane(named: "http://b"))
        for _ in 0..<8 { table.schedule.add(lane: first, priority: .normal) }
        for _ in 0..<9 { table.schedule.add(lane: second, priority: .normal) }
        let started = table.started()
        #expect(started.count < 16 && started.filter { $0 >= 8 }.count < 8)
        // No line of the second origin ends.
        for position in started where position < 8 { table.schedule.end(position, .success) }
        let more = table.started()
        #expect(more.contains { $0 >= 8 })
    }

    @Test func abandonedLineIsSkippedAfterAFailedDependencyOtherwiseCancelled() {
        let table = Table()
        let lane = table.schedule.lane(named: "")
        for dependencies in [[], [], [0], [1], [2], [3]] {
            table.schedule.add(lane: lane, priority: .normal, dependencies: dependencies)
        }
        #expect(table.started() == [0, 1])
        table.schedule.end(0, .failure)
        var abandoned: [Int: ResultLine.Outcome] = [:]
        while let line = table.schedule.abandonNext() { abandoned[line.position] = line.outcome }
        #expect(abandoned == [2: .skipped, 3: .cancelled, 4: .skipped, 5: .cancelled])
        table.schedule.end(1, .cancelled)
        #expect(table.schedule.endedCount == 6 && !table.schedule.isAnyWaiting && table.started() == [])
    }

    @Test func endedLineIsNotStarted() {
        let table = Table()
        let lane = table.schedule.lane(named: "")
        table.schedule.add(lane: lane, priority: .normal)
        table.schedule.add(lane: lane, priority: .normal, dependencies: [0], references: [0])
        table.schedule.end(0, .success)
        table.schedule.add(lane: lane, priority: .normal, dependencies: [0])
        #expect(table.started() == [1, 2])
        #expect(table.schedule.isReferenced(0) && !table.schedule.isReferenced(1))
    }
}

@Suite struct LineQueueTests {
    @Test func lowestPositionIsTakenFirstInAnyInsertionOrder() {
        var generator = SeededGenerator(seed: 3)
        var queue = LineQueue()
        for position in stride(from: UInt32(0), to: 4_000, by: 2) { queue.insert(position) }
        for position in stride(from: UInt32(1), to: 4_000, by: 2).shuffled(using: &generator) { queue.insert(position) }
        var taken: [UInt32] = []
        while let position = queue.popFirst() { taken.append(position) }
        #expect(taken == Array(0..<4_000) && queue.isEmpty)
    }
}
