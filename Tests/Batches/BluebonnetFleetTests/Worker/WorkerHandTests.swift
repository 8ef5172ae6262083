// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import Testing

@testable import BluebonnetFleet

/// How a worker handles its lines, without a store or a network.
@Suite struct WorkerHandTests {
    private static func hand(_ lines: [ClaimedLine], _ limit: Int = 10, perOrigin: Int = 10) -> WorkerHand {
        var hand = WorkerHand(concurrency: limit, concurrencyPerOrigin: perOrigin)
        hand.add(lines)
        return hand
    }

    private static func positions(_ starts: [WorkerHand.Start]) -> [Int] { starts.map(\.line.position) }

    // MARK: Slots

    @Test func linesWaitForATotalSlotAndAnOriginSlot() throws {
        let lines = (0..<3).map { Sample.line($0) } + (3..<6).map { Sample.line($0, lane: "http://b") }
        var hand = Self.hand(lines, 3, perOrigin: 2)
        let first = hand.beginSending()
        #expect(Set(Self.positions(first)) == [0, 3, 1])
        #expect(hand.beginSending().isEmpty)
        #expect(hand.runningCount == 3 && hand.openCount == 6)
        let ended = try #require(first.first { $0.line.position == 3 })
        hand.ended(ended.serial, Sample.ending(ended.line))
        #expect(Self.positions(hand.beginSending()) == [4])
        #expect(hand.endedCount == 1 && hand.openCount == 5)
    }

    @Test func higherPriorityGoesFirst() {
        var hand = Self.hand([
            Sample.line(0, priority: .low), Sample.line(1), Sample.line(2, priority: .veryHigh), Sample.line(3),
        ])
        #expect(Self.positions(hand.beginSending()) == [2, 1, 3, 0])
    }

    @Test func laneTakesTwoLinesForEachSlot() {
        var hand = Self.hand([Sample.line(0), Sample.line(1)], 10, perOrigin: 3)
        #expect(hand.capacity(forLane: "http://a") == 4 && hand.capacity(forLane: "http://b") == 6)
        hand.setLimits(["http://a": 1, "http://b": 9])
        #expect(hand.capacity(forLane: "http://a") == 0 && hand.capacity(forLane: "http://b") == 6)
        #expect(hand.limit(ofLane: "http://a") == 1 && hand.limit(ofLane: "http://b") == 3)
        #expect(Self.positions(hand.beginSending()) == [0])
    }

    @Test func heldLaneStartsNothingAndBlocksNoOther() {
        let lines = [Sample.line(0, priority: .veryHigh), Sample.line(1, lane: "http://b")]
        var hand = Self.hand(lines, 1)
        hand.setPausedLanes(["http://a"])
        #expect(Self.positions(hand.beginSending()) == [1])
        hand.setPausedLanes([])
        #expect(hand.beginSending().isEmpty)  // the slot is taken
        _ = hand.returned(1)
        #expect(Self.positions(hand.beginSending()) == [0])
    }

    @Test func linesOfHeldLanesAreNotBusy() {
        var hand = Self.hand((0..<3).map { Sample.line($0) } + [Sample.line(3, lane: "http://b")], 2)
        _ = hand.beginSending()
        #expect(hand.busyCount == 4)
        hand.setPausedLanes(["http://a"])
        #expect(hand.openCount == 4 && hand.busyCount == 1)
        hand.setPausedLanes([])
        #expect(hand.busyCount == 4)
    }

    @Test func handKeepsToLimitsWithFewLinesInFlight() {
        var hand = Self.hand([Sample.line(0), Sample.line(1, kind: .unsafe), Sample.line(2)], 2)
        #expect(hand.keeps(to: ["http://a": 0]))
        #expect(hand.beginSending().count == 1)
        #expect(!hand.keeps(to: ["http://a": 1]), "a line that is being marked is on its way")
        #expect(hand.keeps(to: ["http://a": 2]) && hand.keeps(to: ["http://b": 0]))
        hand.ended(0, Sample.ending(Sample.line(0)))
        #expect(hand.keeps(to: ["http://a": 1]), "a line that has ended is not on its way")
    }

    // MARK: Marks

    @Test(arguments: [
        (FleetLine.Kind.safe, 0, false), (.safe, 1, true), (.unsafe, 0, true), (.repeatable, 0, true),
    ])
    func doubtfulLineIsMarkedBeforeItStarts(kind: FleetLine.Kind, losses: Int, isMarked: Bool) {
        var hand = Self.hand([Sample.line(0, kind: kind, losses: losses)])
        let starts = hand.beginSending()
        #expect(starts.isEmpty == isMarked)
        let marks = hand.removeMarks()
        #expect(marks.isEmpty != isMarked)
        #expect(hand.removeMarks().isEmpty)
        #expect(hand.marked(marks) == marks)
        #expect(hand.runningCount == 1)
        #expect(hand.marked(marks).isEmpty, "a line starts once")
    }

    @Test func postponedMarksReturnInOrder() {
        var hand = Self.hand((0..<3).map { Sample.line($0, kind: .unsafe) }, 2)
        _ = hand.beginSending()
        let marks = hand.removeMarks()
        hand.putOff(marks)
        #expect(hand.removeMarks() == marks)
        #expect(hand.runningCount == 0)
    }

    @Test func lineLostDuringItsMarkDoesNotStart() {
        var hand = Self.hand([Sample.line(0, claim: 7, kind: .unsafe)], 1)
        _ = hand.beginSending()
        let marks = hand.removeMarks()
        #expect(hand.lose([7]).isEmpty)
        #expect(hand.marked(marks).isEmpty)
        #expect(hand.isEmpty && hand.openCount == 0 && hand.runningCount == 0)
        hand.add([Sample.line(1)])
        #expect(Self.positions(hand.beginSending()) == [1], "its slot is free again")
    }

    // MARK: Lines that wait for another attempt

    private static let start = ContinuousClock.now

    private static func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func parkedLineLeavesItsSlotToOthers() {
        var hand = Self.hand((0..<4).map { Sample.line($0) }, 2)
        #expect(Self.positions(hand.beginSending()) == [0, 1])
        hand.park(0, until: Self.at(5))
        #expect(hand.busyCount == 3 && hand.openCount == 4 && hand.runningCount == 2)
        #expect(hand.nextUnpark == Self.at(5))
        #expect(Self.positions(hand.beginSending()) == [2])
        hand.unpark(now: Self.at(4))
        #expect(hand.nextUnpark == Self.at(5))
        hand.unpark(now: Self.at(5))
        #expect(hand.nextUnpark == nil && hand.busyCount == 4)
        hand.ended(1, Sample.ending(Sample.line(1)))
        #expect(hand.beginSending().isEmpty, "two of two slots are taken")
        hand.ended(0, Sample.ending(Sample.line(0)))
        #expect(Self.positions(hand.beginSending()) == [3])
    }

    @Test func parkedLineFreesItsSlotOnlyOnce() {
        var hand = Self.hand([Sample.line(0), Sample.line(1, claim: 2)] + (2..<6).map { Sample.line($0) }, 2)
        _ = hand.beginSending()
        hand.park(0, until: Self.at(5))
        hand.park(1, until: Self.at(5))
        #expect(Self.positions(hand.beginSending()) == [2, 3])
        hand.ended(0, Sample.ending(Sample.line(0)))
        #expect(hand.lose([2]) == [1])
        #expect(hand.beginSending().isEmpty && hand.nextUnpark == nil && hand.runningCount == 2)
        hand.unpark(now: Self.at(9))
        hand.ended(2, Sample.ending(Sample.line(2)))
        #expect(Self.positions(hand.beginSending()) == [4])
    }

    @Test func secondParkExtendsTheFirst() {
        var hand = Self.hand([Sample.line(0), Sample.line(1)], 1)
        _ = hand.beginSending()
        hand.park(0, until: Self.at(5))
        hand.park(0, until: Self.at(8))
        hand.unpark(now: Self.at(6))
        #expect(hand.nextUnpark == Self.at(8))
        #expect(Self.positions(hand.beginSending()) == [1])
        hand.ended(1, Sample.ending(Sample.line(1)))
        hand.unpark(now: Self.at(8))
        hand.ended(0, Sample.ending(Sample.line(0)))
        #expect(hand.runningCount == 0 && hand.busyCount == 0)
    }

    @Test func atMostThreeLinesPerSlotLeaveTheirSlots() {
        var hand = Self.hand((0..<9).map { Sample.line($0) }, 2)
        var startCount = 0
        for _ in 0..<9 {
            for start in hand.beginSending() {
                startCount += 1
                hand.park(start.serial, until: Self.at(5))
            }
        }
        #expect(startCount == 8, "six wait for another attempt, two keep their slots")
        #expect(hand.busyCount == 3)
    }

    @Test func parkedLineIsNotInFlight() {
        var hand = Self.hand([Sample.line(0)], 2)
        _ = hand.beginSending()
        #expect(!hand.keeps(to: ["http://a": 0]))
        hand.park(0, until: Self.at(1))
        #expect(hand.keeps(to: ["http://a": 0]))
        hand.unpark(now: Self.at(1))
        #expect(!hand.keeps(to: ["http://a": 0]))
    }

    // MARK: Lines taken away

    /// One line of claim 1 in each phase, identified by its position, and a running line of claim 2.
    private static func handInEveryPhase() throws -> (hand: WorkerHand, running: WorkerHand.Serial) {
        var hand = Self.hand(
            [
                Sample.line(0, priority: .veryHigh), Sample.line(1, priority: .high),
                Sample.line(2, priority: .normal, kind: .unsafe), Sample.line(3, priority: .low),
            ], 3)
        let starts = hand.beginSending()
        let ended = try #require(starts.first)
        hand.ended(ended.serial, Sample.ending(ended.line))
        hand.add([Sample.line(4, claim: 2, priority: .veryHigh)])
        #expect(Self.positions(hand.beginSending()) == [4])
        return (hand, try #require(starts.last).serial)
    }

    @Test func lostClaimRemovesLinesAndReturnsRunningOnes() throws {
        var (hand, running) = try Self.handInEveryPhase()
        #expect(hand.claimNumbers == [1, 2] && hand.openCount == 4 && hand.endedCount == 1)
        #expect(hand.lose([1]) == [running])
        #expect(hand.claimNumbers == [2] && hand.openCount == 1 && hand.endedCount == 0 && hand.runningCount == 1)
        #expect(hand.nextEndings(limit: 10).isEmpty && hand.removeMarks().isEmpty)
        // Its end arrives late and is not recorded.
        hand.ended(running, Sample.ending(Sample.line(1)))
        #expect(hand.endedCount == 0 && hand.returned(running) == nil)
        hand.add((5..<9).map { Sample.line($0) })
        #expect(hand.beginSending().count == 2, "two of three slots are free")
    }

    @Test func unsentLinesAreRemovedAndOthersStay() throws {
        var (hand, running) = try Self.handInEveryPhase()
        var asked: [Int] = []
        let taken = hand.removeUnsent { line in
            asked.append(line.position)
            return true
        }
        #expect(taken.map(\.position) == [2, 3], "the one that is being marked, and the one that waits")
        #expect(asked == [0, 1, 2, 3, 4])
        #expect(hand.openCount == 2 && hand.runningCount == 2 && hand.endedCount == 1)
        #expect(hand.beginSending().isEmpty && hand.removeMarks().isEmpty)
        #expect(hand.running(of: 1) == [running, 4])
        hand.add([Sample.line(5), Sample.line(6)])
        #expect(Self.positions(hand.beginSending()) == [5], "the slot of the one that was being marked is free")
    }

    @Test func unsentLineIsReturnedOnce() {
        var hand = Self.hand([Sample.line(0)])
        let start = hand.beginSending()[0]
        #expect(hand.returned(start.serial)?.position == 0)
        #expect(hand.returned(start.serial) == nil)
        #expect(hand.isEmpty && hand.claimNumbers.isEmpty && hand.batches.isEmpty)
    }

    @Test func outcomesAreRecordedInTheOrderOfTheirEnds() {
        var hand = Self.hand((0..<3).map { Sample.line($0, claim: $0) })
        for start in hand.beginSending().reversed() { hand.ended(start.serial, Sample.ending(start.line)) }
        #expect(hand.nextEndings(limit: 2).map(\.position) == [2, 1])
        hand.recorded(2)
        #expect(hand.nextEndings(limit: 2).map(\.position) == [0])
        #expect(hand.claimNumbers == [0])
        hand.recorded(1)
        #expect(hand.isEmpty && hand.endedCount == 0)
    }

    @Test func openLinesAreCountedForEachBatch() {
        var hand = Self.hand([Sample.line(0), Sample.line(1, batch: 2), Sample.line(2, batch: 2)])
        #expect(hand.batches == [1, 2] && hand.openCount(of: 2) == 2)
        for start in hand.beginSending() where start.line.batch == 2 {
            hand.ended(start.serial, Sample.ending(start.line))
        }
        #expect(hand.batches == [1] && hand.openCount(of: 2) == 0 && hand.openCount(of: 1) == 1)
    }
}
