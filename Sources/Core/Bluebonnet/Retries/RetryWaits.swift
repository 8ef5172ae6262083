// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Makes operations wait for their next attempt, without a slot, and stores the retry budgets of origins. Network
/// thread only. The object does not depend on the kind of work that waits.
package final class RetryWaits {
    package let timers: NetworkTimers
    /// The number of operations that wait for their next attempt.
    package private(set) var attemptCount = 0
    private var budgets = RetryBudgets()

    package init(_ timers: NetworkTimers) { self.timers = timers }

    var clock: TimeSource { timers.clock }

    /// Calls `action` once, later, at the instant at which an attempt is due.
    func wait(until instant: UInt64, _ action: @escaping () -> Void) -> NetworkTimers.Ticket {
        attemptCount += 1
        return timers.wait(until: instant) { [self] in
            attemptCount -= 1
            action()
        }
    }

    /// Stops waiting. The action is not called.
    func withdraw(_ ticket: NetworkTimers.Ticket) {
        if timers.withdraw(ticket) { attemptCount -= 1 }
    }

    func recordRequest(to origin: Origin) { budgets.recordRequest(to: origin, now: clock.now()) }

    /// Consumes one retry of an origin's budget; returns false if the budget is used up.
    func consumeRetry(from origin: Origin) -> Bool { budgets.consumeRetry(from: origin, now: clock.now()) }
}

@available(*, unavailable)
extension RetryWaits: Sendable {}
