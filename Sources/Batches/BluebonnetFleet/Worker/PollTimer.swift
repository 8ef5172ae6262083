// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Lets polling lines continue when their next requests are due. Confined to the worker's thread.
struct PollTimer {
    typealias Instant = ContinuousClock.Instant

    /// How often the worker checks if it knows of no polling line.
    private static let idleInterval = Duration.seconds(30)

    /// When a polling line continues, as far as this worker knows.
    private(set) var next = Instant.now

    /// Makes the next check immediate: another worker may have left polling lines.
    mutating func expire() { next = .now }

    /// Records when polling lines of this worker are due.
    mutating func add(_ endings: [LineEnding]) {
        for case .polled(_, let every, _) in endings.map(\.step) { next = min(next, .now + .seconds(every)) }
    }

    /// Makes due lines ready.
    mutating func resume(_ session: WorkerStore) throws(FleetError) {
        guard Instant.now >= next else { return }
        next = .now + (try session.resumePolls().map { .seconds($0) } ?? Self.idleInterval)
    }
}
