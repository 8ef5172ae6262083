// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Facts of unfinished operations, or of open connections, by their numbers.
///
/// The table is bounded also if ends are missing, because events were dropped. After a drop, a number that stays silent
/// for ten minutes is removed. Above its limit, the table removes the lowest numbers, which are the oldest.
package struct MonitorTable<State> {
    private struct Entry {
        var state: State
        /// The instant of the last event.
        var instant: UInt64
    }

    /// In nanoseconds of events, not of a clock.
    package static var patience: UInt64 { 600_000_000_000 }

    private var entries: [Int: Entry] = [:]
    private var drops: (first: UInt64, last: UInt64)?
    private let limit: Int

    /// - Parameter limit: the largest number of entries between two batches of events.
    package init(limit: Int = 100_000) { self.limit = limit }

    package var count: Int { entries.count }

    package subscript(_ number: Int) -> State? { entries[number]?.state }

    /// Changes the state of a number, after an event.
    package mutating func update<Result>(
        _ number: Int, at instant: UInt64, default state: @autoclosure () -> State, _ change: (inout State) -> Result
    ) -> Result {
        var entry = entries.removeValue(forKey: number) ?? Entry(state: state(), instant: instant)
        defer { entries[number] = entry }
        entry.instant = instant
        return change(&entry.state)
    }

    /// Removes a number, after its end.
    package mutating func remove(_ number: Int) -> State? { entries.removeValue(forKey: number)?.state }

    /// Removes everything, and returns it.
    package mutating func removeAll() -> [State] {
        defer { entries = [:] }
        return entries.values.map(\.state)
    }

    /// Records that events are missing.
    package mutating func recordDrop(at instant: UInt64) { drops = (drops?.first ?? instant, instant) }

    /// Removes what has probably ended, and returns it. Call it after each batch, with the instant of its last event.
    package mutating func removeStale(at instant: UInt64) -> [State] {
        var numbers: [Int] = []
        if let drops, instant >= drops.first, instant - drops.first >= Self.patience {
            numbers = entries.filter { $0.value.instant < drops.first }.map(\.key)
            self.drops = drops.last > drops.first ? (drops.last, drops.last) : nil
        }
        if entries.count - numbers.count > limit {
            // A tenth more than necessary, so that the next batches need not search.
            numbers += entries.keys.sorted().prefix(entries.count - limit + limit / 10)
        }
        return numbers.compactMap { entries.removeValue(forKey: $0)?.state }
    }
}
