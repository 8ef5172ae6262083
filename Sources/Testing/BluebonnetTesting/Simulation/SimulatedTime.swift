// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation
internal import Synchronization

/// Simulated time that a test advances. It drives the time limits of transfers over a `SimulatedNetwork`, the waits of
/// retries and authenticators, and the waits and rates of governors made with it. Any thread.
final class SimulatedTime: Sendable {
    /// The elapsed time, which the clocks' closures share.
    private final class Elapsed: Sendable {
        let nanoseconds = Atomic<UInt64>(0)
        /// The number of transfers that progress without time advancing.
        let busyCount = Atomic<Int>(0)
    }

    private static let base: UInt64 = 1_000_000_000

    /// The waits of operations between attempts.
    let retries: NetworkBound<RetryWaits>
    /// The timers of governors.
    let governors: NetworkBound<NetworkTimers>
    /// The timers of transfers.
    let transfers: NetworkBound<NetworkTimers>
    private let start: Date
    private let elapsed: Elapsed

    /// - Parameter start: the time of day at the start.
    init(start: Date) {
        let elapsed = Elapsed()
        // Random waits have their maximum length.
        let clock = TimeSource(
            now: { Self.base + elapsed.nanoseconds.load(ordering: .acquiring) },
            date: { start.addingTimeInterval(Double(elapsed.nanoseconds.load(ordering: .acquiring)) / 1e9) },
            random: { 1 })
        (self.start, self.elapsed) = (start, elapsed)
        retries = NetworkBound(RetryWaits(NetworkTimers(movedBy: clock)))
        governors = NetworkBound(NetworkTimers(movedBy: clock))
        transfers = NetworkBound(NetworkTimers(movedBy: clock))
    }

    /// The time of day.
    var date: Date {
        start.addingTimeInterval(Double(elapsed.nanoseconds.load(ordering: .acquiring)) / 1e9)
    }

    /// Advances the time, and starts everything that is due.
    func advance(by duration: Duration) async {
        await onNetworkThread { time in time.moveOn(duration.nanoseconds) }
    }

    /// Advances the time to the next instant at which something is due, unless a transfer progresses without it.
    ///
    /// - Returns: whether the time was advanced to such an instant.
    func advanceToNextInstant() async -> Bool {
        await onNetworkThread { time in
            guard time.elapsed.busyCount.load(ordering: .acquiring) == 0 else { return false }
            let instants = time.all.compactMap(\.nextInstant)
            guard let next = instants.min() else { return false }
            let now = Self.base + time.elapsed.nanoseconds.load(ordering: .acquiring)
            time.moveOn(next > now ? next - now : 0)
            return true
        }
    }

    /// The number of operations that wait for their next attempt.
    var waitingAttemptCount: Int {
        get async { await onNetworkThread { $0.retries.value.attemptCount } }
    }

    /// Counts the transfers that progress without time advancing.
    func changeBusyCount(by change: Int) { elapsed.busyCount.wrappingAdd(change, ordering: .acquiringAndReleasing) }

    /// Network thread only.
    private var all: [NetworkTimers] { [transfers.value, governors.value, retries.value.timers] }

    /// Network thread only.
    private func moveOn(_ nanoseconds: UInt64) {
        elapsed.nanoseconds.wrappingAdd(nanoseconds, ordering: .acquiringAndReleasing)
        for timers in all { timers.runDue() }
    }

    private func onNetworkThread<Value: Sendable>(_ body: @escaping @Sendable (SimulatedTime) -> Value) async -> Value {
        await NetworkThread.shared.answer { [self] in body(self) }
    }
}
