// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The clocks and the random source of retries; tests have others than the machine's.
struct RetryClock: Sendable {
    /// Nanoseconds that no clock change moves.
    let now: @Sendable () -> UInt64
    /// The time of day, for dates in fields.
    let date: @Sendable () -> Date
    /// A number from 0 to 1.
    let random: @Sendable () -> Double

    static let system = RetryClock(
        now: { MonotonicClock.now() }, date: { Date() }, random: { Double.random(in: 0...1) })
}

/// Where operations wait for their next attempt, without a slot; and the budgets of their origins. Network thread only;
/// it does not know what waits.
final class RetryWaits: EventLoopClient {
    typealias Ticket = UInt64

    private struct Due: Comparable {
        let instant: UInt64
        let ticket: Ticket

        static func < (left: Due, right: Due) -> Bool { (left.instant, left.ticket) < (right.instant, right.ticket) }
    }

    let clock: RetryClock
    private let loop: EventLoop?
    private var slot = -1
    private var due = Heap<Due>()
    /// A ticket that is not here any more was withdrawn.
    private var actions: [Ticket: () -> Void] = [:]
    private var lastTicket: Ticket = 0
    /// Those of operations that wait for an attempt.
    private var attempts: Set<Ticket> = []
    private var budgets = RetryBudgets()

    /// - Parameter loop: nil when a test calls `runDue()` instead.
    init(loop: EventLoop?, clock: RetryClock = .system) {
        (self.loop, self.clock) = (loop, clock)
        if let loop { slot = loop.add(self) }
    }

    /// The number of waits.
    var count: Int { actions.count }

    /// The number of operations that wait for their next attempt.
    var attemptCount: Int { attempts.count }

    /// Waits for the time of an attempt, see `wait(until:_:)`.
    func waitForAttempt(at instant: UInt64, _ action: @escaping () -> Void) -> Ticket {
        let ticket = wait(until: instant, action)
        attempts.insert(ticket)
        return ticket
    }

    /// Calls `action` once, later and on the network thread, when an instant of the clock has come.
    func wait(until instant: UInt64, _ action: @escaping () -> Void) -> Ticket {
        lastTicket += 1
        actions[lastTicket] = action
        due.insert(Due(instant: instant, ticket: lastTicket))
        updateDeadline()
        return lastTicket
    }

    /// Stops waiting; the action is not called.
    func withdraw(_ ticket: Ticket) {
        actions[ticket] = nil
        attempts.remove(ticket)
        if actions.isEmpty { due = Heap() }
        updateDeadline()
    }

    func noteRequest(to origin: Origin) { budgets.noteRequest(to: origin, now: clock.now()) }

    /// Takes a retry out of the budget of an origin; false when there is no room for it.
    func takeRetry(from origin: Origin) -> Bool { budgets.take(from: origin, now: clock.now()) }

    /// Calls the actions whose instant has come, in their order.
    func runDue() {
        let now = clock.now()
        while let first = due.first, first.instant <= now {
            _ = due.popFirst()
            attempts.remove(first.ticket)
            actions.removeValue(forKey: first.ticket)?()
        }
        updateDeadline()
    }

    func socketIsReady(_ descriptor: CInt, events: UInt32) {}

    func deadlineHasPassed() { runDue() }

    private func updateDeadline() { loop?.setDeadline(due.first?.instant ?? .max, slot: slot) }
}

@available(*, unavailable)
extension RetryWaits: Sendable {}
