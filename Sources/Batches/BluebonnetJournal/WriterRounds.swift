// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides when records that wait are written: at once, or in a moment, together with others. A value: it knows neither
/// records nor clocks.
struct WriterRounds {
    /// The work to schedule for a record that was added.
    enum Round: Equatable {
        case none, now
        /// In a moment, unless another round has taken the record by then: `isDue(_:)` says so.
        case later(number: Int)
    }

    private enum Scheduled { case nothing, later, now }

    private var scheduled = Scheduled.nothing
    /// The number of rounds that took records.
    private var count = 0

    /// Notes a record.
    ///
    /// - Parameter isUrgent: whether it, or what waits with it, waits for nothing more.
    mutating func add(isUrgent: Bool) -> Round {
        if isUrgent {
            defer { scheduled = .now }
            return scheduled == .now ? .none : .now
        }
        guard scheduled == .nothing else { return .none }
        scheduled = .later
        return .later(number: count)
    }

    /// Whether a round that has waited takes what is there. Not when another one took its records: those that came
    /// after that have a round of their own, and would be written in small groups.
    func isDue(_ number: Int) -> Bool { number == count }

    /// Notes that a round took everything.
    mutating func take() {
        scheduled = .nothing
        count += 1
    }
}
