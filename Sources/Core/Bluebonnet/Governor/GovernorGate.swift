// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A scheduler as the client of a governor: it is notified when transfers may begin again.
protocol GovernorClient: AnyObject {
    /// - Parameter origin: nil when a transfer to any origin may begin again.
    func originDidOpen(_ origin: Origin?)
    /// Returns the number of operations that wait for a slot of an origin.
    func waitingCount(for origin: Origin) -> Int
}

/// Whether transfers may begin, and which schedulers wait for that. When the gate opens, the schedulers that found it
/// closed are notified once. The scheduler that began the last transfer comes last, so that managers take turns. The
/// gate decides nothing itself. Network thread only.
struct GovernorGate {
    /// False until a transfer is known to be allowed again.
    private(set) var isOpen = true
    private var waiting: [any GovernorClient] = []
    private var lastStarter: ObjectIdentifier?
    private var timer: (ticket: NetworkTimers.Ticket, instant: UInt64)?

    var clients: [any GovernorClient] { waiting }

    /// Adds a client that found the gate closed.
    mutating func add(_ client: any GovernorClient) {
        if !waiting.contains(where: { $0 === client }) { waiting.append(client) }
    }

    mutating func recordLastStarter(_ client: any GovernorClient) { lastStarter = ObjectIdentifier(client) }

    mutating func close() { isOpen = false }

    /// Opens the gate.
    ///
    /// - Returns: the clients to notify, in this order.
    mutating func open(_ timers: NetworkTimers) -> [any GovernorClient] {
        isOpen = true
        if let timer { timers.withdraw(timer.ticket) }
        timer = nil
        guard waiting.count > 1 else {
            defer { waiting = [] }
            return waiting
        }
        let last = waiting.firstIndex { ObjectIdentifier($0) == lastStarter }.map { waiting.remove(at: $0) }
        defer { waiting = [] }
        return waiting + [last].compactMap(\.self)
    }

    /// Calls `action` at an instant, unless a call at that instant or earlier is already scheduled.
    mutating func wake(at instant: UInt64, _ timers: NetworkTimers, _ action: @escaping () -> Void) {
        if let timer {
            if timer.instant <= instant { return }
            timers.withdraw(timer.ticket)
        }
        timer = (timers.wait(until: instant, action), instant)
    }

    /// Forgets the timer when its action runs.
    mutating func timerDidFire() { timer = nil }
}

@available(*, unavailable)
extension GovernorGate: Sendable {}
