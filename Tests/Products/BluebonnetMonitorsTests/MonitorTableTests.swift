// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetMonitors
import Testing

@Suite struct MonitorTableTests {
    private let second: UInt64 = 1_000_000_000

    @Test func removedNumberLeavesNothing() {
        var table = MonitorTable<String>()
        table.update(7, at: 1, default: "a") { $0 += "b" }
        #expect(table[7] == "ab")
        #expect(table.remove(7) == "ab")
        #expect(table.remove(7) == nil)
        #expect(table.count == 0)
    }

    @Test func updateReturnsTheResult() {
        var table = MonitorTable<Int>()
        #expect(table.update(1, at: 0, default: 4) { $0 + 1 } == 5)
        #expect(table[1] == 4)
    }

    @Test func nothingIsStaleWithoutDrop() {
        var table = MonitorTable<Int>()
        table.update(1, at: 0, default: 1) { _ in }
        #expect(table.removeStale(at: 100_000 * second).isEmpty)
        #expect(table.count == 1)
    }

    @Test func silentNumbersAreRemovedTenMinutesAfterDrop() {
        var table = MonitorTable<Int>()
        table.update(1, at: 10 * second, default: 1) { _ in }
        table.update(2, at: 10 * second, default: 2) { _ in }
        table.recordDrop(at: 20 * second)
        table.update(2, at: 30 * second, default: 2) { _ in }
        table.update(3, at: 30 * second, default: 3) { _ in }
        #expect(table.removeStale(at: 619 * second).isEmpty)
        #expect(table.removeStale(at: 620 * second) == [1])
        #expect(table.count == 2)
        #expect(table.removeStale(at: 2_000 * second).isEmpty)
    }

    @Test func laterDropIsRemembered() {
        var table = MonitorTable<Int>()
        table.recordDrop(at: 20 * second)
        table.update(1, at: 30 * second, default: 1) { _ in }
        table.recordDrop(at: 100 * second)
        #expect(table.removeStale(at: 620 * second).isEmpty)
        #expect(table.removeStale(at: 700 * second) == [1])
    }

    @Test func oldestNumbersAreRemovedAboveTheLimit() {
        var table = MonitorTable<Int>(limit: 100)
        for number in 1...103 { table.update(number, at: 0, default: number) { _ in } }
        #expect(table.removeStale(at: 0).sorted() == Array(1...13))
        #expect(table.count == 90)
    }

    @Test func everythingCanBeRemoved() {
        var table = MonitorTable<Int>()
        for number in 1...3 { table.update(number, at: 0, default: number) { _ in } }
        #expect(table.removeAll().sorted() == [1, 2, 3])
        #expect(table.count == 0)
    }
}
