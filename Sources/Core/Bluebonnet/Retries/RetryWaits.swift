// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Where operations wait for their next attempt, without a slot; and the budgets of their origins. Network thread only;
/// it does not know what waits.
package final class RetryWaits {
    package let timers: NetworkTimers
    /// The number of operations that wait for their next attempt.
    package private(set) var attemptCount = 0
    private var budgets = RetryBudgets()

    package init(_ timers: NetworkTimers) { self.timers = timers }

    var clock: TimeSource { timers.clock }

    /// Calls `action` once, later, when the instant of an attempt has come.
    func wait(until instant: UInt64, _ action: @escaping () -> Void) -> NetworkTimers.Ticket {
        attemptCount += 1
        return timers.wait(until: instant) { [self] in
            attemptCount -= 1
            action()
        }
    }

    /// Stops waiting; the action is not called.
    func withdraw(_ ticket: NetworkTimers.Ticket) {
        if timers.withdraw(ticket) { attemptCount -= 1 }
    }

    func noteRequest(to origin: Origin) { budgets.noteRequest(to: origin, now: clock.now()) }

    /// Takes a retry out of the budget of an origin; false when there is no room for it.
    func takeRetry(from origin: Origin) -> Bool { budgets.take(from: origin, now: clock.now()) }
}

@available(*, unavailable)
extension RetryWaits: Sendable {}
