// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct TransferPacingTests {
    private static let now: UInt64 = 1_000_000_000_000

    private func origin(_ host: String) throws -> Origin { try #require(Origin(plain: "http://\(host)/")) }

    private func pacing(_ buckets: SharedByteBucket...) throws -> TransferPacing {
        try #require(TransferPacing(buckets))
    }

    @Test func transferWithoutLimitHasNoPacing() throws {
        #expect(ByteRates(limit: nil, limitPerOrigin: nil).pacing(to: try origin("h"), own: nil, now: 0) == nil)
    }

    @Test func transferWaitsForTheLastLimitToOpen() throws {
        let rates = ByteRates(limit: 1000, limitPerOrigin: 100)
        let own = SharedByteBucket(bytesPerSecond: 10)
        let one = try #require(rates.pacing(to: try origin("a"), own: own, now: Self.now))
        let sameOrigin = try #require(rates.pacing(to: try origin("a"), own: nil, now: Self.now))
        let other = try #require(rates.pacing(to: try origin("b"), own: nil, now: Self.now))
        #expect(!one.reserveIfLimited(.receiving, byteCount: 1000, now: Self.now) && one.nextTurn == nil)
        one.consume(.receiving, byteCount: 1000, now: Self.now)
        #expect(
            one.reserveIfLimited(.receiving, byteCount: 0, now: Self.now) && one.nextTurn == Self.now + 99_900_000_000)
        #expect(sameOrigin.reserveIfLimited(.sending, byteCount: 0, now: Self.now))
        #expect(sameOrigin.nextTurn == Self.now + 9_900_000_000)
        #expect(
            other.reserveIfLimited(.receiving, byteCount: 0, now: Self.now) && other.nextTurn == Self.now + 900_000_000)
        #expect(!other.reserveIfLimited(.receiving, byteCount: 0, now: Self.now + 900_000_000) && other.nextTurn == nil)
        #expect(one.pieceByteCount == 256)
    }

    @Test func originsWithoutDebtAreForgotten() throws {
        let rates = ByteRates(limit: nil, limitPerOrigin: 1000)
        let used = try #require(rates.pacing(to: try origin("used"), own: nil, now: Self.now))
        try #require(rates.pacing(to: try origin("owing"), own: nil, now: Self.now))
            .consume(.sending, byteCount: 9_999_999, now: Self.now)
        for number in 0..<1000 { _ = rates.pacing(to: try origin("h\(number)"), own: nil, now: Self.now) }
        #expect(rates.originCount <= 512)
        used.consume(.sending, byteCount: 1_000_000, now: Self.now)
        for host in ["used", "owing"] {
            let pacing = try #require(rates.pacing(to: try origin(host), own: nil, now: Self.now))
            #expect(pacing.reserveIfLimited(.sending, byteCount: 1, now: Self.now), "\(host)")
        }
    }

    /// The consumed bytes at 1,000,000 bytes a second. The bytes of a tenth of a second are no debt.
    @Test(arguments: [(101_000, false), (101_001, true)])
    func debtBelowOneMillisecondIsIgnored(byteCount: Int, holds: Bool) throws {
        let pacing = try pacing(SharedByteBucket(bytesPerSecond: 1_000_000))
        pacing.consume(.receiving, byteCount: byteCount, now: Self.now)
        #expect(pacing.reserveIfLimited(.receiving, byteCount: 1, now: Self.now) == holds)
    }

    // MARK: Reservations

    /// Three transfers that wait for 1,000 bytes each, at 1,000 bytes a second. Turns are in milliseconds.
    private func waiting() throws -> (bucket: SharedByteBucket, waiters: [TransferPacing]) {
        let bucket = SharedByteBucket(bytesPerSecond: 1000)
        bucket.consume(1100, now: Self.now)
        let waiters = try (0..<3).map { _ in try pacing(bucket) }
        for waiter in waiters { #expect(waiter.reserveIfLimited(.receiving, byteCount: 1000, now: Self.now)) }
        return (bucket, waiters)
    }

    private func turns(_ waiters: [TransferPacing]) -> [UInt64?] {
        waiters.map { $0.nextTurn.map { ($0 - Self.now) / 1_000_000 } }
    }

    @Test func eachWaitingTransferHasItsOwnTurn() throws {
        let (bucket, waiters) = try waiting()
        #expect(turns(waiters) == [1000, 2000, 3000])
        // At the first turn, only the first transfer continues.
        let told = waiters.map { $0.releaseDue(now: Self.now + 1_000_000_000) }
        #expect(told == [true, false, false])
        // A later transfer comes after all of them. Asking again changes no turn.
        let late = try pacing(bucket)
        #expect(late.reserveIfLimited(.sending, byteCount: 1, now: Self.now + 1_000_000_000))
        #expect(waiters[2].reserveIfLimited(.receiving, byteCount: 1000, now: Self.now + 1_000_000_000))
        #expect(turns(waiters + [late]) == [nil, 2000, 3000, 4000])
    }

    @Test func transferTakesAtItsTurnWithoutAskingAgain() throws {
        let (bucket, waiters) = try waiting()
        let turn = Self.now + 1_000_000_000
        #expect(waiters[0].releaseDue(now: turn))
        bucket.consume(1_000_000, now: turn)
        #expect(!waiters[0].reserveIfLimited(.receiving, byteCount: 1000, now: turn))
    }

    @Test(arguments: [(1000, 4000), (16, 3016), (0, 3000), (3000, 6000)])
    func movedBytesAreOffsetAgainstTheReservation(byteCount: Int, opensAt: UInt64) throws {
        let (bucket, waiters) = try waiting()
        waiters[0].consume(.receiving, byteCount: byteCount, now: Self.now + 1_000_000_000)
        #expect((bucket.opensAt - Self.now) / 1_000_000 == opensAt)
        #expect(turns(waiters) == [nil, 2000, 3000])
    }

    @Test func returnedReservationIsAvailableToOthers() throws {
        let (bucket, waiters) = try waiting()
        waiters[1].giveBack(.sending)
        #expect(turns(waiters) == [1000, 2000, 3000])
        waiters[1].giveBack()
        #expect(turns(waiters) == [1000, nil, 3000])
        #expect((bucket.opensAt - Self.now) / 1_000_000 == 3000)
        #expect(waiters[1].reserveIfLimited(.receiving, byteCount: 1000, now: Self.now))
        #expect(turns(waiters) == [1000, 3000, 3000])
    }

    @Test func receivingAndSendingHaveSeparateTurns() throws {
        let bucket = SharedByteBucket(bytesPerSecond: 1000)
        bucket.consume(1100, now: Self.now)
        let pacing = try pacing(bucket)
        #expect(pacing.reserveIfLimited(.sending, byteCount: 1000, now: Self.now))
        #expect(pacing.reserveIfLimited(.receiving, byteCount: 1000, now: Self.now))
        let (first, second) = (Self.now + 1_000_000_000, Self.now + 2_000_000_000)
        #expect(pacing.nextTurn == first)
        #expect(!pacing.releaseDue(now: first - 1) && pacing.releaseDue(now: first) && !pacing.releaseDue(now: first))
        #expect(pacing.reserveIfLimited(.receiving, byteCount: 1000, now: first))
        #expect(!pacing.reserveIfLimited(.sending, byteCount: 1000, now: first))
        #expect(pacing.nextTurn == second)
    }
}

// MARK: - Many transfers

extension TransferPacingTests {
    /// A transfer that moves as many bytes as it may, in pieces.
    fileprivate final class Mover {
        let pacing: TransferPacing
        let pieceByteCount: Int
        private(set) var movedByteCount = 0
        private(set) var vainCount = 0

        init(_ pacing: TransferPacing, pieceByteCount: Int) {
            (self.pacing, self.pieceByteCount) = (pacing, pieceByteCount)
        }

        func move(now: UInt64) {
            let before = movedByteCount
            while !pacing.reserveIfLimited(.receiving, byteCount: pieceByteCount, now: now) {
                pacing.consume(.receiving, byteCount: pieceByteCount, now: now)
                movedByteCount += pieceByteCount
            }
            if movedByteCount == before { vainCount += 1 }
        }
    }

    enum WakingOrder: CaseIterable, Sendable {
        case first, last, random

        fileprivate func sorted(_ movers: [Mover], _ generator: inout SeededGenerator) -> [Mover] {
            switch self {
            case .first: movers
            case .last: movers.reversed()
            case .random: movers.shuffled(using: &generator)
            }
        }
    }

    /// Lets all transfers move for a hundred seconds. They wake up to 3 ms late, in the given order.
    private func run(_ movers: [Mover], _ order: WakingOrder) throws {
        var generator = SeededGenerator(seed: 7)
        var now = Self.now
        for mover in order.sorted(movers, &generator) { mover.move(now: now) }
        while now < Self.now + 100_000_000_000 {
            now = max(now, try #require(movers.compactMap(\.pacing.nextTurn).min()))
            now += UInt64.random(in: 0...3_000_000, using: &generator)
            for mover in order.sorted(movers, &generator) where mover.pacing.releaseDue(now: now) {
                mover.move(now: now)
            }
        }
    }

    @Test(arguments: WakingOrder.allCases)
    func transfersWithEqualPiecesMoveEqually(order: WakingOrder) throws {
        let bucket = SharedByteBucket(bytesPerSecond: 100_000)
        let movers = try (0..<7).map { _ in Mover(try pacing(bucket), pieceByteCount: 16_384) }
        try run(movers, order)
        let counts = movers.map(\.movedByteCount).sorted()
        #expect(counts[6] - counts[0] <= 2 * 16_384, "\(counts)")
        // A hundred seconds, and what may be ahead: a tenth of a second, and one piece of each transfer.
        let sum = counts.reduce(0, +)
        #expect((10_000_000 - 7 * 16_384...10_010_000 + 7 * 16_384).contains(sum), "\(sum)")
        #expect(movers.allSatisfy { $0.vainCount <= 1 }, "\(movers.map(\.vainCount))")
    }

    @Test(arguments: WakingOrder.allCases)
    func smallAndLargePiecesGetEquallyManyTurns(order: WakingOrder) throws {
        let bucket = SharedByteBucket(bytesPerSecond: 100_000)
        let large = Mover(try pacing(bucket), pieceByteCount: 32_768)
        let small = try (0..<20).map { _ in Mover(try pacing(bucket), pieceByteCount: 300) }
        try run([large] + small, order)
        let turnCount = large.movedByteCount / large.pieceByteCount
        #expect(turnCount > 200)
        for mover in small {
            #expect(abs(mover.movedByteCount / mover.pieceByteCount - turnCount) <= 40, "\(mover.movedByteCount)")
        }
    }
}
