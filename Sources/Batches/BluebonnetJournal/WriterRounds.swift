// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides when waiting records are written: at once, or after a delay, together with others. A value type that uses
/// neither records nor clocks.
struct WriterRounds {
    /// The work to schedule for a record that was added.
    enum Round: Equatable {
        case none, now
        /// Write after a delay, unless another round has taken the record by then: see `isDue(_:)`.
        case later(number: Int)
    }

    private enum Scheduled { case nothing, later, now }

    private var scheduled = Scheduled.nothing
    /// The number of rounds that took records.
    private var count = 0

    /// Adds a record, and returns the work to schedule.
    ///
    /// - Parameter isUrgent: whether the record, or a record that waits with it, is to be written at once.
    mutating func add(isUrgent: Bool) -> Round {
        if isUrgent {
            defer { scheduled = .now }
            return scheduled == .now ? .none : .now
        }
        guard scheduled == .nothing else { return .none }
        scheduled = .later
        return .later(number: count)
    }

    /// Whether a delayed round takes the waiting records. It does not if another round has taken its records: later
    /// records have a separate round, and would be written in small groups otherwise.
    func isDue(_ number: Int) -> Bool { number == count }

    /// Records that a round has taken all records.
    mutating func recordRound() {
        scheduled = .nothing
        count += 1
    }
}
