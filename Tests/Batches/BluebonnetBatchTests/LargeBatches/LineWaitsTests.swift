// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetBatch

@Suite struct LineWaitsTests {
    private typealias Wait = LineSchedule.Wait

    /// A schedule of lines in one lane, each with the lines that it needs.
    private static func schedule(_ needs: [[Int]]) -> LineSchedule {
        var schedule = LineSchedule(LineSchedule.Limits(concurrency: 4, concurrencyPerOrigin: 4))
        let lane = schedule.lane(named: "http://a")
        for dependencies in needs { schedule.add(lane: lane, priority: .normal, dependencies: dependencies) }
        return schedule
    }

    @Test func linesWithTheMostDependentsComeFirst() {
        var schedule = Self.schedule([[], [], [0], [1], [1], [1], [3, 4]])
        let waits = schedule.waits(limit: 10, sampleLimit: 2)
        #expect(
            waits == [
                Wait(position: 1, count: 3, samples: [5, 4], isBlocked: false),
                Wait(position: 0, count: 1, samples: [2], isBlocked: false),
                Wait(position: 3, count: 1, samples: [6], isBlocked: true),
                Wait(position: 4, count: 1, samples: [6], isBlocked: true),
            ])
        #expect(schedule.waits(limit: 1, sampleLimit: 0) == [Wait(position: 1, count: 3, isBlocked: false)])
    }

    @Test func endedLinesAreLeftOut() {
        var schedule = Self.schedule([[], [0], [1], [1]])
        #expect(schedule.next() == 0)
        #expect(schedule.waits(limit: 10, sampleLimit: 0).map(\.position) == [1, 0])
        schedule.end(0, .success)
        #expect(schedule.waits(limit: 10, sampleLimit: 0) == [Wait(position: 1, count: 2, isBlocked: false)])
        #expect(schedule.next() == 1)
        schedule.end(1, .success)
        #expect(schedule.waits(limit: 10, sampleLimit: 0).isEmpty)
    }

    @Test func lineThatMayEndLaterCanBeFirst() {
        var schedule = Self.schedule([[], [], [0], [1]])
        #expect(schedule.next() == 0 && schedule.next() == 1)
        schedule.end(1, .success)
        #expect(
            schedule.waits(limit: 10, sampleLimit: 1) == [Wait(position: 0, count: 1, samples: [2], isBlocked: false)])
        schedule.end(0, .success)
        #expect(schedule.waits(limit: 10, sampleLimit: 1).isEmpty)
    }

    @Test func emptyScheduleHasNoWaits() {
        var schedule = Self.schedule([])
        #expect(schedule.waits(limit: 10, sampleLimit: 1).isEmpty)
    }
}
