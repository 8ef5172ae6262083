// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The work of a worker that is due at certain times: requests of polling lines, and ticks of schedules. Confined to
/// the worker's thread.
struct DueWork {
    typealias Instant = ContinuousClock.Instant

    private var polls = PollTimer()
    private var schedules: ScheduleTimer

    init(store: String) { schedules = ScheduleTimer(store: store) }

    /// When the next work is due, as far as this worker knows.
    var next: Instant { min(polls.next, schedules.next) }

    /// Whether batches of schedules are being made.
    var isFiring: Bool { schedules.isFiring }

    /// Makes the next check immediate: another worker may have left polling lines, or a schedule may be new.
    mutating func expire() {
        polls.expire()
        schedules.expire()
    }

    /// Records when polling lines of this worker are due.
    mutating func add(_ endings: [LineEnding]) { polls.add(endings) }

    /// Does the work that is due.
    mutating func run(_ session: WorkerStore) throws(FleetError) {
        try polls.resume(session)
        try schedules.fire(session)
    }
}
