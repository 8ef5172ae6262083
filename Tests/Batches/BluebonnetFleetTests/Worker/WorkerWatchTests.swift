// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetFleet

/// When a worker considers another worker lost.
@Suite struct WorkerWatchTests {
    private static let start = ContinuousClock.now

    private static func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func workerIsLostAfterAWholeLeaseWithoutASign() {
        var watch = WorkerWatch(longestGap: .seconds(30))
        for time in [0, 0.4, 0.99] { #expect(watch.see([Sample.sign(1)], now: Self.at(time)).isEmpty) }
        #expect(watch.see([Sample.sign(1)], now: Self.at(1)) == [Sample.sign(1)])
    }

    @Test func signBeginsANewLease() {
        var watch = WorkerWatch(longestGap: .seconds(30))
        _ = watch.see([Sample.sign(1)], now: Self.at(0))
        #expect(watch.see([Sample.sign(1, beat: 1)], now: Self.at(0.9)).isEmpty)
        #expect(watch.see([Sample.sign(1, beat: 1)], now: Self.at(1.8)).isEmpty)
        #expect(watch.see([Sample.sign(1, beat: 1)], now: Self.at(1.95)).map(\.number) == [1])
    }

    @Test func eachWorkerHasItsOwnLease() {
        var watch = WorkerWatch(longestGap: .seconds(30))
        let signs = [Sample.sign(1, lease: 5), Sample.sign(2, lease: 2)]
        _ = watch.see(signs, now: Self.at(0))
        #expect(watch.see(signs, now: Self.at(3)).map(\.number) == [2])
        #expect(watch.see(signs, now: Self.at(5)).map(\.number) == [1, 2])
    }

    @Test func interruptionGivesEveryWorkerAWholeLease() {
        var watch = WorkerWatch(longestGap: .seconds(30))
        _ = watch.see([Sample.sign(1)], now: Self.at(0))
        watch.interrupt()
        #expect(watch.see([Sample.sign(1)], now: Self.at(10)).isEmpty)
        #expect(watch.see([Sample.sign(1)], now: Self.at(10.9)).isEmpty)
        #expect(watch.see([Sample.sign(1)], now: Self.at(11)).map(\.number) == [1])
    }

    @Test func longGapBetweenLooksReportsNoWorkerLost() {
        var watch = WorkerWatch(longestGap: .seconds(3))
        _ = watch.see([Sample.sign(1)], now: Self.at(0))
        #expect(watch.see([Sample.sign(1)], now: Self.at(3.1)).isEmpty)
        #expect(watch.see([Sample.sign(1)], now: Self.at(4.2)).map(\.number) == [1])
    }

    @Test func returningWorkerIsSeenAnew() {
        var watch = WorkerWatch(longestGap: .seconds(30))
        _ = watch.see([Sample.sign(1)], now: Self.at(0))
        _ = watch.see([], now: Self.at(0.5))
        #expect(watch.see([Sample.sign(1)], now: Self.at(2)).isEmpty)
    }
}

/// A worker's share of a fleet's limits.
@Suite struct FleetShareTests {
    private static func signs(_ numbers: [Int]) -> [WorkerSign] {
        numbers.map { Sample.sign($0, knows: numbers.max() ?? 0) }
    }

    @Test(arguments: 1...9, [0, 1, 2, 5, 7, 64])
    func sharesOfAllWorkersAddUpToTheLimit(count: Int, limit: Int) {
        let numbers = (0..<count).map { 10 + 3 * $0 }
        let shares = numbers.map { FleetShare(of: $0, among: Self.signs(numbers)).transfers(of: limit) }
        #expect(shares.reduce(0, +) == limit)
        #expect((shares.max() ?? 0) - (shares.min() ?? 0) <= 1)
    }

    @Test(arguments: 2...6, 0...7)
    func noShareShrinksWhenAWorkerGoes(count: Int, limit: Int) {
        // So workers that learn of the change at different times never exceed the limit together.
        let numbers = Array(1...count)
        for gone in numbers {
            let rest = numbers.filter { $0 != gone }
            for worker in rest {
                let before = FleetShare(of: worker, among: Self.signs(numbers)).transfers(of: limit)
                #expect(FleetShare(of: worker, among: Self.signs(rest)).transfers(of: limit) >= before)
            }
        }
    }

    @Test func workerHasNoShareBeforeAllOthersCountIt() {
        let unknown = [Sample.sign(1, knows: 2), Sample.sign(2, knows: 1), Sample.sign(3, knows: 3)]
        #expect(FleetShare(of: 2, among: unknown).transfers(of: 6) == 2, "what it knows itself does not matter")
        #expect(FleetShare(of: 3, among: unknown).transfers(of: 6) == 0)
        #expect(FleetShare(of: 3, among: unknown).part(of: 6) == 2)
        #expect(FleetShare(of: 3, among: Self.signs([1, 2, 3])).transfers(of: 6) == 2)
    }

    @Test func loneWorkerHasTheWholeLimit() {
        #expect(FleetShare(of: 9, among: [Sample.sign(9)]).transfers(of: 7) == 7)
    }
}
