// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// A clock that only the test advances, and the operations that wait on it for their next attempt. Any thread.
final class VirtualTime: Sendable {
    /// The time of day at the start.
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    let waits: NetworkBound<RetryWaits>
    /// The timers of governors.
    let timers: NetworkBound<NetworkTimers>
    /// The clock itself, for the times and events of operations.
    let clock: OperationClock
    private let elapsed: Observed<UInt64>

    /// - Parameter random: the value that the random source always returns.
    init(random: Double = 1) {
        let elapsed = Observed<UInt64>(0)
        self.elapsed = elapsed
        let clock = TimeSource(
            now: { 1_000_000_000 + elapsed.value },
            date: { Self.start.addingTimeInterval(Double(elapsed.value) / 1e9) }, random: { random })
        self.clock = OperationClock(clock.now)
        waits = NetworkBound(RetryWaits(NetworkTimers(loop: nil, clock: clock)))
        timers = NetworkBound(NetworkTimers(loop: nil, clock: clock))
    }

    /// Waits until this many operations wait for their next attempt.
    func hasWaiting(_ count: Int) async {
        await becomes(count) { await waitingCount }
    }

    var waitingCount: Int {
        get async {
            await withCheckedContinuation { waiter in
                NetworkThread.shared.submit { [waits] in waiter.resume(returning: waits.value.timers.count) }
            }
        }
    }

    /// Advances the clock whenever an operation waits, until the given operation has ended.
    func runsOut(for operation: RequestOperation) async {
        await becomes(true) {
            if await waitingCount > 0 { await advance(by: .seconds(1)) }
            return operation.isFinished
        }
        await operation.ends()
    }

    /// Advances the clock and runs all work that is due.
    func advance(by duration: Duration) async {
        elapsed.update { $0 += duration.nanoseconds }
        NetworkThread.shared.submit { [waits, timers] in
            timers.value.runDue()
            waits.value.timers.runDue()
        }
        await NetworkThread.shared.catchesUp()
    }

    /// Advances the clock on the network thread, so that no work there sees two times, and runs all work that is due.
    func advanceBetweenWork(by duration: Duration) async {
        NetworkThread.shared.submit { [elapsed, waits, timers] in
            elapsed.update { $0 += duration.nanoseconds }
            timers.value.runDue()
            waits.value.timers.runDue()
        }
        await NetworkThread.shared.catchesUp()
    }
}
