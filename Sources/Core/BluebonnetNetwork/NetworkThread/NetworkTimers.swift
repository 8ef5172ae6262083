// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// The clocks and the random source for everything that waits. Tests use simulated ones.
package struct TimeSource: Sendable {
    /// Returns nanoseconds of a clock that clock changes do not affect.
    package let now: @Sendable () -> UInt64
    /// Returns the time of day, for dates in header fields.
    package let date: @Sendable () -> Date
    /// Returns a number from 0 to 1.
    package let random: @Sendable () -> Double

    static let system = TimeSource(
        now: { MonotonicClock.now() }, date: { Date() }, random: { Double.random(in: 0...1) })

    package init(
        now: @escaping @Sendable () -> UInt64, date: @escaping @Sendable () -> Date,
        random: @escaping @Sendable () -> Double
    ) {
        (self.now, self.date, self.random) = (now, date, random)
    }
}

/// Calls actions on the network thread when an instant of a clock is reached. Network thread only.
package final class NetworkTimers: EventLoopClient {
    package typealias Ticket = UInt64

    /// An entry of the heap, ordered by instant and then by ticket.
    private struct Due: Comparable {
        let instant: UInt64
        let ticket: Ticket

        static func < (left: Due, right: Due) -> Bool { (left.instant, left.ticket) < (right.instant, right.ticket) }
    }

    package let clock: TimeSource
    private let loop: EventLoop?
    private var slot = -1
    private var due = Heap<Due>()
    /// The pending actions. A ticket that is missing here was withdrawn.
    private var actions: [Ticket: () -> Void] = [:]
    private var lastTicket: Ticket = 0

    /// - Parameter loop: nil if a test calls `runDue()` instead.
    package init(loop: EventLoop?, clock: TimeSource = .system) {
        (self.loop, self.clock) = (loop, clock)
        if let loop { slot = loop.add(self) }
    }

    /// Makes timers that use the machine's clock. Network thread only.
    package convenience init() { self.init(loop: NetworkThread.shared.eventLoop) }

    /// Makes timers that use a manually advanced clock. The code that advances the clock calls `runDue()` afterwards.
    package convenience init(movedBy clock: TimeSource) { self.init(loop: nil, clock: clock) }

    /// The earliest instant at which an action may be called; nil without an action. That action may have been
    /// withdrawn.
    package var nextInstant: UInt64? { actions.isEmpty ? nil : due.first?.instant }

    /// The number of pending actions.
    var count: Int { actions.count }

    /// Calls `action` once, later and on the network thread, when an instant of the clock is reached.
    package func wait(until instant: UInt64, _ action: @escaping () -> Void) -> Ticket {
        lastTicket += 1
        actions[lastTicket] = action
        due.insert(Due(instant: instant, ticket: lastTicket))
        updateDeadline()
        return lastTicket
    }

    /// Withdraws an action, which is then not called.
    ///
    /// - Returns: whether the action was still pending.
    @discardableResult
    package func withdraw(_ ticket: Ticket) -> Bool {
        let wasWaiting = actions.removeValue(forKey: ticket) != nil
        if wasWaiting, due.count > 2 * actions.count + Self.staleLimit { dropWithdrawn() }
        if actions.isEmpty { due = Heap() }
        updateDeadline()
        return wasWaiting
    }

    /// Calls the actions whose instant has been reached, in order.
    package func runDue() {
        let now = clock.now()
        while let first = due.first, first.instant <= now {
            _ = due.popFirst()
            actions.removeValue(forKey: first.ticket)?()
        }
        updateDeadline()
    }

    /// The number of entries of withdrawn actions that are kept in addition to one entry for each pending action.
    private static let staleLimit = 64

    /// The number of entries, including the entries of withdrawn actions.
    var entryCount: Int { due.count }

    private func dropWithdrawn() {
        var waiting = Heap<Due>()
        for entry in due.unordered where actions[entry.ticket] != nil { waiting.insert(entry) }
        due = waiting
    }

    func socketIsReady(_ descriptor: CInt, events: UInt32) {}

    func deadlineHasPassed() { runDue() }

    private func updateDeadline() { loop?.setDeadline(due.first?.instant ?? .max, slot: slot) }
}

@available(*, unavailable)
extension NetworkTimers: Sendable {}
