// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Testing

@testable import BluebonnetFleet

/// The limits of batches per origin, and a worker's share of them.
@Suite struct FleetLimitsTests {
    private static func share(_ worker: Int, of count: Int, isKnown: Bool = true) -> FleetShare {
        FleetShare(of: worker, among: (1...count).map { Sample.sign($0, knows: isKnown ? count : 0) })
    }

    @Test func smallestBatchLimitAppliesAtEachOrigin() {
        let limits = FleetLimits([
            Sample.batch(1, lanes: [0: "http://a", 1: "http://b"]) { $0.maximumConcurrentTransferCountPerOrigin = 8 },
            Sample.batch(2, lanes: [0: "http://b", 1: "http://c"]) { $0.maximumConcurrentTransferCountPerOrigin = 3 },
            Sample.batch(3, lanes: [0: "http://c", 1: "http://d"]),
        ])
        #expect(limits.transfers == ["http://a": 8, "http://b": 3, "http://c": 3])
        #expect(limits.transfers(Self.share(1, of: 2)) == ["http://a": 4, "http://b": 2, "http://c": 2])
        #expect(limits.transfers(Self.share(2, of: 2)) == ["http://a": 4, "http://b": 1, "http://c": 1])
        #expect(
            limits.transfers(Self.share(1, of: 2, isKnown: false)) == ["http://a": 0, "http://b": 0, "http://c": 0])
        #expect(limits.parts(Self.share(1, of: 2, isKnown: false)) == ["http://a": 4, "http://b": 2, "http://c": 2])
    }

    @Test(arguments: [
        (RateLimit(10), RateLimit(5), RateLimit(5)),
        (RateLimit(10, per: .seconds(60)), RateLimit(1), RateLimit(10, per: .seconds(60))),
        (RateLimit(120, per: .seconds(60)), RateLimit(1), RateLimit(1)),
    ])
    func lowestRateAppliesWhateverItsPeriod(one: RateLimit, other: RateLimit, lowest: RateLimit) {
        for order in [[one, other], [other, one]] {
            let batches = order.enumerated().map { number, rate in
                Sample.batch(number + 1) { $0.rateLimitPerOrigin = rate }
            }
            #expect(FleetLimits(batches).rates == ["http://a": lowest])
        }
    }

    @Test func rateIsDividedAmongTheWorkers() {
        let limits = FleetLimits([Sample.batch(1) { $0.rateLimitPerOrigin = RateLimit(10, burst: 5) }])
        let rate = limits.rates(Self.share(2, of: 4))["http://a"]
        #expect(rate == RateLimit(10, per: .seconds(4), burst: 1))
        #expect(limits.rates(Self.share(1, of: 1))["http://a"] == RateLimit(10, burst: 5))
    }

    @Test func workerWithoutAShareUsesNoOriginWithARate() {
        let limits = FleetLimits([Sample.batch(1) { $0.rateLimitPerOrigin = RateLimit(1) }])
        #expect(limits.closedOrigins(Self.share(1, of: 2, isKnown: false)) == ["http://a"])
        #expect(limits.closedOrigins(Self.share(1, of: 2)).isEmpty)
    }
}

/// The origins on hold that a worker knows.
@Suite struct OriginPausesTests {
    private static let start = ContinuousClock.now

    private static func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func originIsHeldUntilItsEnd() {
        var pauses = OriginPauses()
        #expect(pauses.recordPause(of: "http://a", for: .seconds(2), now: Self.at(0)) == true)
        #expect(pauses.nextEnd == Self.at(2))
        #expect(pauses.origins(now: Self.at(1.9)) == ["http://a"])
        #expect(pauses.origins(now: Self.at(2)).isEmpty && pauses.nextEnd == nil)
    }

    @Test(arguments: [(1.0, false), (2.4, false), (2.5, true), (9.0, true)])
    func onlyAMuchLongerHoldIsReported(length: Double, isTold: Bool) {
        var pauses = OriginPauses()
        _ = pauses.recordPause(of: "http://a", for: .seconds(2), now: Self.at(0))
        #expect(pauses.recordPause(of: "http://a", for: .seconds(length), now: Self.at(0)) == isTold)
        #expect(pauses.nextEnd == Self.at(isTold ? length : 2), "a hold does not become shorter")
    }

    @Test func holdAfterAnExpiredOneIsReported() {
        var pauses = OriginPauses()
        _ = pauses.recordPause(of: "http://a", for: .seconds(2), now: Self.at(0))
        #expect(pauses.recordPause(of: "http://a", for: .milliseconds(10), now: Self.at(3)) == true)
        #expect(pauses.known == ["http://a"])
    }
}

/// How a worker divides its capacity among batches.
@Suite struct ClaimPlanTests {
    private static func steps(
        _ batches: [OpenBatch], capacity: Int, openCounts: [Int: Int] = [:], freeCount: Int
    ) -> [[Int]] {
        ClaimPlan(batches, capacity: capacity).steps(openCount: { openCounts[$0] ?? 0 }, freeCount: freeCount).map {
            [$0.batch.number, $0.count]
        }
    }

    @Test func higherPriorityIsAskedFirst() {
        let batches = [Sample.batch(1, priority: -1), Sample.batch(2, priority: 5), Sample.batch(3)]
        #expect(Self.steps(batches, capacity: 8, freeCount: 8) == [[2, 8], [3, 8], [1, 8]])
    }

    @Test func batchesOfOnePriorityShareEquallyThenTakeTheRest() {
        let batches = [Sample.batch(1), Sample.batch(2)]
        #expect(Self.steps(batches, capacity: 8, freeCount: 8) == [[1, 4], [2, 4], [1, 8], [2, 8]])
    }

    @Test func batchWithFewerLinesIsAskedFirst() {
        let batches = [Sample.batch(1), Sample.batch(2)]
        #expect(
            Self.steps(batches, capacity: 8, openCounts: [1: 4, 2: 1], freeCount: 3) == [[2, 3], [2, 3], [1, 3]])
    }

    @Test func moreBatchesThanSlotsGetOneLineEach() {
        let batches = (1...4).map { Sample.batch($0) }
        #expect(Self.steps(batches, capacity: 2, freeCount: 2).prefix(4) == [[1, 1], [2, 1], [3, 1], [4, 1]])
    }

    @Test func batchWithLinesOnHoldStillTakesFreeSlots() {
        #expect(Self.steps([Sample.batch(1)], capacity: 8, openCounts: [1: 8], freeCount: 6) == [[1, 6]])
        #expect(Self.steps([Sample.batch(1)], capacity: 8, openCounts: [1: 5], freeCount: 6) == [[1, 3], [1, 6]])
    }

    @Test func noBatchesGiveNoSteps() { #expect(Self.steps([], capacity: 8, freeCount: 8).isEmpty) }
}
