// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Lets polling lines continue when their next requests are due. Confined to the worker's thread.
struct PollTimer {
    typealias Instant = ContinuousClock.Instant

    /// How often the worker asks if it knows of no polling line.
    private static let idleInterval = Duration.seconds(30)

    /// When a polling line continues, as far as this worker knows.
    private(set) var next = Instant.now

    /// Looks for polling lines at once: another worker may have left some.
    mutating func expire() { next = .now }

    /// Records lines that this worker lets wait.
    mutating func add(_ endings: [LineEnding]) {
        for case .polled(_, let every, _) in endings.map(\.step) { next = min(next, .now + .seconds(every)) }
    }

    /// Makes the lines ready that are due.
    mutating func resume(_ session: WorkerStore) throws(FleetError) {
        guard Instant.now >= next else { return }
        next = .now + (try session.resumePolls().map { .seconds($0) } ?? Self.idleInterval)
    }
}
