// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks

/// Makes the batches of due ticks while a worker runs. Confined to the worker's thread; the batches are stored on
/// another thread, with a separate connection.
struct ScheduleTimer {
    typealias Instant = ContinuousClock.Instant

    /// How often the worker asks the store for the next tick, at least.
    private static let idleInterval = Duration.seconds(30)
    /// When the worker asks again for a tick that is due: another worker may have it, or its batch could not be made.
    private static let retryInterval = Duration.seconds(5)

    /// Whether a thread makes batches.
    private final class Activity: Sendable {
        private let isActive = Mutex(false)

        var isRunning: Bool { isActive.withLock { $0 } }

        /// Returns false if a thread already makes batches.
        func begin() -> Bool {
            isActive.withLock { isActive in
                defer { isActive = true }
                return !isActive
            }
        }

        func end() { isActive.withLock { $0 = false } }
    }

    private let store: String
    private let activity = Activity()
    /// When the worker asks the store again.
    private(set) var next = Instant.now

    init(store: String) { self.store = store }

    /// Whether batches of due ticks are being made.
    var isFiring: Bool { activity.isRunning }

    /// Makes the next check immediate: a schedule may be new.
    mutating func expire() { next = .now }

    /// Starts making batches if a tick is due.
    mutating func fire(_ session: WorkerStore) throws(FleetError) {
        guard Instant.now >= next else { return }
        let seconds = try ScheduleFiring(connection: session.connection).secondsUntilNextTick()
        guard let seconds, seconds <= 0 else {
            next = .now + min(Self.idleInterval, seconds.map { .seconds($0) } ?? Self.idleInterval)
            return
        }
        next = .now + Self.retryInterval
        guard activity.begin() else { return }
        Task { [store, activity] in
            // The worker itself reports what is wrong with the store; a schedule keeps its own problem.
            try? await StoreThread.run(store) { connection throws(FleetError) in
                try FleetSchema.check(connection)
                _ = try ScheduleFiring(connection: connection).fire()
            }
            activity.end()
        }
    }
}
