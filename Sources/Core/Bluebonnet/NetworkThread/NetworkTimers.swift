// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// The clocks and the random source of what waits; tests have others than the machine's.
package struct TimeSource: Sendable {
    /// Nanoseconds that no clock change moves.
    package let now: @Sendable () -> UInt64
    /// The time of day, for dates in fields.
    let date: @Sendable () -> Date
    /// A number from 0 to 1.
    let random: @Sendable () -> Double

    static let system = TimeSource(
        now: { MonotonicClock.now() }, date: { Date() }, random: { Double.random(in: 0...1) })

    package init(
        now: @escaping @Sendable () -> UInt64, date: @escaping @Sendable () -> Date,
        random: @escaping @Sendable () -> Double
    ) {
        (self.now, self.date, self.random) = (now, date, random)
    }
}

/// Calls actions on the network thread when an instant of a clock has come. Network thread only; it does not know what
/// waits.
package final class NetworkTimers: EventLoopClient {
    package typealias Ticket = UInt64

    private struct Due: Comparable {
        let instant: UInt64
        let ticket: Ticket

        static func < (left: Due, right: Due) -> Bool { (left.instant, left.ticket) < (right.instant, right.ticket) }
    }

    package let clock: TimeSource
    private let loop: EventLoop?
    private var slot = -1
    private var due = Heap<Due>()
    /// A ticket that is not here any more was withdrawn.
    private var actions: [Ticket: () -> Void] = [:]
    private var lastTicket: Ticket = 0

    /// - Parameter loop: nil when a test calls `runDue()` instead.
    init(loop: EventLoop?, clock: TimeSource = .system) {
        (self.loop, self.clock) = (loop, clock)
        if let loop { slot = loop.add(self) }
    }

    /// Makes timers of the machine's clock. Network thread only.
    package convenience init() { self.init(loop: NetworkThread.shared.eventLoop) }

    /// Makes timers of a clock that somebody moves, and calls `runDue()` then.
    package convenience init(movedBy clock: TimeSource) { self.init(loop: nil, clock: clock) }

    /// When the next action may be called; nil without one. It may have been withdrawn.
    package var nextInstant: UInt64? { actions.isEmpty ? nil : due.first?.instant }

    /// The number of waits.
    var count: Int { actions.count }

    /// Calls `action` once, later and on the network thread, when an instant of the clock has come.
    package func wait(until instant: UInt64, _ action: @escaping () -> Void) -> Ticket {
        lastTicket += 1
        actions[lastTicket] = action
        due.insert(Due(instant: instant, ticket: lastTicket))
        updateDeadline()
        return lastTicket
    }

    /// Stops waiting; the action is not called.
    ///
    /// - Returns: whether it would have been.
    @discardableResult
    package func withdraw(_ ticket: Ticket) -> Bool {
        let wasWaiting = actions.removeValue(forKey: ticket) != nil
        if wasWaiting, due.count > 2 * actions.count + Self.staleLimit { dropWithdrawn() }
        if actions.isEmpty { due = Heap() }
        updateDeadline()
        return wasWaiting
    }

    /// Calls the actions whose instant has come, in their order.
    package func runDue() {
        let now = clock.now()
        while let first = due.first, first.instant <= now {
            _ = due.popFirst()
            actions.removeValue(forKey: first.ticket)?()
        }
        updateDeadline()
    }

    /// So many entries of withdrawn actions are kept in addition to one for each action that waits.
    private static let staleLimit = 64

    /// The number of entries, those of withdrawn actions included.
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
