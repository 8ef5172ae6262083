// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetFleet

/// Searches begin where the waiting lines of a batch begin, and now and then at the beginning.
@Suite struct ClaimMarksTests {
    private typealias Part = ClaimMarks.Part

    private static let start = ContinuousClock.now
    /// The store's time at `start`, in microseconds.
    private static let time = 1_700_000_000_000_000
    private static let first = ClaimMarks.submittedStart
    /// Two lanes, with the priority 2 only.
    private static let lanes = [ClaimMarks.Lane(number: 0, count: 4, ranks: 4), .init(number: 1, count: 4, ranks: 4)]

    private static func submitted(_ lane: Int) -> Part { Part(lane: lane, rank: 2, isSubmitted: true) }
    private static func late(_ lane: Int) -> Part { Part(lane: lane, rank: 2, isSubmitted: false) }

    private static func found(_ part: Part, _ entries: ClosedRange<Int>) -> ClaimMarks.Found {
        let base = part.isSubmitted ? first : time
        return .init(
            part: part, count: entries.count, firstEntry: base + entries.lowerBound,
            lastEntry: base + entries.upperBound)
    }

    /// Records a search that took no time, some seconds after `start`.
    private static func record(
        _ marks: inout ClaimMarks, _ found: [ClaimMarks.Found], limit: Int = 8, at seconds: Int = 0
    ) {
        let now = start + .seconds(seconds)
        marks.record(
            1, epoch: 0, marks.search(1, lanes, now: now), found, limit: limit, time: time + seconds * 1_000_000,
            start: now, now: now)
    }

    private static func starts(_ marks: ClaimMarks, at seconds: Int = 0) -> [Int] {
        marks.search(1, lanes, now: start + .seconds(seconds)).starts
    }

    @Test func unknownBatchIsSearchedFromTheBeginning() {
        let search = ClaimMarks().search(1, Self.lanes, now: Self.start)
        #expect(search.isComplete && search.starts == [0, Self.first, 0, Self.first])
        #expect(search.parts == [Self.late(0), Self.submitted(0), Self.late(1), Self.submitted(1)])
        #expect(search.lanes.map(\.first) == [0, 2] && search.lanes.map(\.last) == [1, 3])
        let all = ClaimMarks().search(1, [.init(number: 7, count: 1)], now: Self.start)
        #expect(all.parts.count == 10 && all.parts.prefix(2).map(\.rank) == [0, 0])
    }

    @Test func searchContinuesAfterTheClaimedLines() {
        var marks = ClaimMarks()
        Self.record(&marks, [Self.found(Self.submitted(0), 0...3), Self.found(Self.submitted(1), 10...13)])
        let horizon = Self.time - 5_000_000
        #expect(Self.starts(marks) == [horizon, Self.first + 3, horizon, Self.first + 13])
        #expect(!marks.search(1, Self.lanes, now: Self.start).isComplete && marks.knows(1) && !marks.knows(2))
    }

    /// A lane that gave fewer lines than it could has no more. Lines that become ready later are found.
    @Test func exhaustedLaneIsSearchedForLateLinesOnly() {
        var marks = ClaimMarks()
        Self.record(&marks, [Self.found(Self.submitted(0), 0...1)])
        let horizon = Self.time - 5_000_000
        #expect(Self.starts(marks) == [horizon, ClaimMarks.end, horizon, ClaimMarks.end])
    }

    /// The search stopped when it had enough lines: it says nothing about the rest.
    @Test func unvisitedPartsKeepTheirMarks() {
        var marks = ClaimMarks()
        Self.record(&marks, [Self.found(Self.submitted(0), 0...2)], limit: 3)
        #expect(Self.starts(marks) == [Self.time - 5_000_000, Self.first + 2, 0, Self.first])
        marks = ClaimMarks()
        Self.record(&marks, [Self.found(Self.late(0), -9_000_000 ... -8_999_997)])
        #expect(Self.starts(marks).prefix(2) == [Self.time - 8_999_997, Self.first])
    }

    /// The transaction that made a line ready may not have ended.
    @Test func lateLinesOfTheLastSecondsAreSearchedAgain() {
        var marks = ClaimMarks()
        Self.record(&marks, [Self.found(Self.late(0), -3...0)])
        #expect(Self.starts(marks).first == Self.time - 5_000_000)
        Self.record(&marks, [], at: 10)
        #expect(Self.starts(marks).first == Self.time + 5_000_000)
    }

    @Test func completeSearchFollowsAfterHalfAMinuteOrWhenIdleAfterASecond() {
        var marks = ClaimMarks()
        Self.record(&marks, [Self.found(Self.submitted(0), 0...3)])
        #expect(!marks.search(1, Self.lanes, now: Self.start + .seconds(29)).isComplete)
        #expect(marks.search(1, Self.lanes, now: Self.start + .seconds(30)).isComplete)
        Self.record(&marks, [], at: 2)
        #expect(marks.search(1, Self.lanes, now: Self.start + .seconds(3)).isComplete)
    }

    /// The more a complete search costs, the less often it is made.
    @Test func expensiveCompleteSearchIsRare() {
        var marks = ClaimMarks()
        let search = marks.search(1, Self.lanes, now: Self.start)
        let end = Self.start + .seconds(2)
        marks.record(
            1, epoch: 0, search, [], limit: 8, time: Self.time, start: Self.start, now: end)
        #expect(!marks.search(1, Self.lanes, now: end + .seconds(39)).isComplete)
        #expect(marks.search(1, Self.lanes, now: end + .seconds(40)).isComplete)
    }

    @Test func lineBelowAMarkMovesTheMarkBack() {
        var marks = ClaimMarks()
        Self.record(&marks, [Self.found(Self.submitted(0), 100...103), Self.found(Self.submitted(1), 0...3)])
        Self.record(&marks, [Self.found(Self.submitted(0), 5...8), Self.found(Self.submitted(1), 4...7)], at: 30)
        #expect(Self.starts(marks, at: 31)[1] == Self.first + 8)
    }

    /// A complete search that has enough lines says nothing about the lines below the marks of later parts.
    @Test func partsThatACompleteSearchDoesNotReachAreSearchedFromTheBeginning() {
        var marks = ClaimMarks()
        Self.record(&marks, [])
        let horizon = Self.time - 5_000_000
        #expect(Self.starts(marks) == [horizon, ClaimMarks.end, horizon, ClaimMarks.end])
        Self.record(&marks, [Self.found(Self.submitted(0), 5...7)], limit: 3, at: 30)
        let later = horizon + 30_000_000
        #expect(Self.starts(marks, at: 31) == [later, Self.first + 7, 0, Self.first])
        Self.record(&marks, [Self.found(Self.submitted(1), 2...3)], at: 31)
        #expect(
            Self.starts(marks, at: 32) == [later + 1_000_000, ClaimMarks.end, later + 1_000_000, ClaimMarks.end])
    }

    /// The worker has as many lines of the lane 1 as it may have: searches leave the lane out.
    @Test func fullLaneIsSearchedFromTheBeginningWhenItIsFree() {
        var marks = ClaimMarks()
        Self.record(&marks, [])
        let (now, time) = (Self.start + .seconds(30), Self.time + 30_000_000)
        let search = marks.search(1, [Self.lanes[0]], now: now)
        #expect(search.isComplete)
        marks.record(1, epoch: 0, search, [], limit: 8, time: time, start: now, now: now)
        #expect(Self.starts(marks, at: 30) == [time - 5_000_000, ClaimMarks.end, 0, Self.first])
    }

    /// A complete search costs what all its parts cost.
    @Test func searchOfTheRestCountsForTheNextCompleteOne() {
        var marks = ClaimMarks()
        let ends = [Self.start + .seconds(2), Self.start + .seconds(5)]
        marks.record(
            1, epoch: 0, marks.search(1, Self.lanes, now: Self.start), [Self.found(Self.submitted(0), 0...3)], limit: 4,
            time: Self.time, start: Self.start, now: ends[0])
        marks.record(
            1, epoch: 0, marks.search(1, Self.lanes, now: ends[0]), [Self.found(Self.submitted(1), 0...3)], limit: 4,
            time: Self.time, start: ends[0], now: ends[1])
        #expect(!marks.search(1, Self.lanes, now: ends[1] + .seconds(999)).isComplete)
        #expect(marks.search(1, Self.lanes, now: ends[1] + .seconds(1_000)).isComplete)
    }

    @Test func changedStateForgetsTheMarks() {
        var marks = ClaimMarks()
        Self.record(&marks, [Self.found(Self.submitted(0), 0...3)])
        marks.update(1, epoch: 0, now: Self.start)
        #expect(!marks.search(1, Self.lanes, now: Self.start).isComplete)
        marks.update(1, epoch: 1, now: Self.start)
        #expect(marks.search(1, Self.lanes, now: Self.start).isComplete)
        marks.keep([])
        #expect(!marks.knows(1))
    }
}
