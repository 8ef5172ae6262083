// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A scheduler, as a governor knows it: what waits for an origin, or for the rate of all, is told when it may go on.
protocol GovernorClient: AnyObject {
    /// - Parameter origin: nil when a transfer to any origin may begin again.
    func mayBeginAgain(to origin: Origin?)
    /// The number of operations that wait for a slot of an origin.
    func waitingCount(for origin: Origin) -> Int
}

/// Whether transfers may begin, and who waits for that. The schedulers that found the gate closed are told when it
/// opens, once, and the one that let the last transfer begin is told last: so the managers take turns. Network thread
/// only; it decides nothing.
struct GovernorGate {
    /// False until it is known that something may begin again.
    private(set) var isOpen = true
    private var waiting: [any GovernorClient] = []
    private var lastTaker: ObjectIdentifier?
    private var timer: (ticket: NetworkTimers.Ticket, instant: UInt64)?

    var clients: [any GovernorClient] { waiting }

    /// A client has found the gate closed.
    mutating func add(_ client: any GovernorClient) {
        if !waiting.contains(where: { $0 === client }) { waiting.append(client) }
    }

    mutating func noteTaker(_ client: any GovernorClient) { lastTaker = ObjectIdentifier(client) }

    mutating func close() { isOpen = false }

    /// Opens the gate.
    ///
    /// - Returns: who is to be told, in this order.
    mutating func open(_ timers: NetworkTimers) -> [any GovernorClient] {
        isOpen = true
        if let timer { timers.withdraw(timer.ticket) }
        timer = nil
        guard waiting.count > 1 else {
            defer { waiting = [] }
            return waiting
        }
        let last = waiting.firstIndex { ObjectIdentifier($0) == lastTaker }.map { waiting.remove(at: $0) }
        defer { waiting = [] }
        return waiting + [last].compactMap(\.self)
    }

    /// Has `action` called at an instant, or before.
    mutating func wake(at instant: UInt64, _ timers: NetworkTimers, _ action: @escaping () -> Void) {
        if let timer {
            if timer.instant <= instant { return }
            timers.withdraw(timer.ticket)
        }
        timer = (timers.wait(until: instant, action), instant)
    }

    /// The timer's action runs.
    mutating func noteWake() { timer = nil }
}

@available(*, unavailable)
extension GovernorGate: Sendable {}
