// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Lets transfers start: the admission queue with what to do when one is let in. Network thread only.
///
/// Those that come in one round of the event loop are looked at together, so that a priority counts among them.
final class Admission {
    private var queue: AdmissionQueue
    private var waiting: [AdmissionQueue.Ticket: Waiting] = [:]
    private var lastNumber: UInt64 = 0
    private var isScheduled = false
    /// Those that were never let in stay outside.
    private var isClosedToNewcomers = false

    private struct Waiting {
        let isNewcomer: Bool
        let action: () -> Void
    }

    init(limit: Int, limitPerOrigin: Int) {
        queue = AdmissionQueue(limit: limit, limitPerOrigin: limitPerOrigin)
    }

    /// A place in the order of age, which an operation keeps over its transfers.
    func makeTicket() -> AdmissionQueue.Ticket {
        lastNumber += 1
        return AdmissionQueue.Ticket(number: lastNumber)
    }

    /// Waits for a place; `action` runs on the network thread when it is there, and `release` has to give it back.
    ///
    /// - Parameter isNewcomer: whether it was never let in before.
    func enqueue(
        _ ticket: AdmissionQueue.Ticket, origin: Origin, priority: Int, isNewcomer: Bool = false,
        action: @escaping () -> Void
    ) {
        waiting[ticket] = Waiting(isNewcomer: isNewcomer, action: action)
        guard !(isNewcomer && isClosedToNewcomers) else { return }
        queue.enqueue(ticket, origin: origin, priority: priority)
        schedule()
    }

    /// Stops waiting.
    func withdraw(_ ticket: AdmissionQueue.Ticket) {
        waiting[ticket] = nil
        queue.withdraw(ticket)
    }

    /// Gives a place back.
    func release(origin: Origin) {
        queue.release(origin: origin)
        schedule()
    }

    /// Lets in only those that were let in before, from now on: what waits for the first time waits for ever.
    func closeToNewcomers() {
        guard !isClosedToNewcomers else { return }
        isClosedToNewcomers = true
        for (ticket, entry) in waiting where entry.isNewcomer { queue.withdraw(ticket) }
    }

    private func schedule() {
        guard !isScheduled, queue.waitingCount > 0 else { return }
        isScheduled = true
        NetworkThread.shared.eventLoop.atEndOfRound { [self] in admit() }
    }

    private func admit() {
        isScheduled = false
        while let ticket = queue.admitNext() {
            waiting.removeValue(forKey: ticket)?.action()
        }
    }
}

@available(*, unavailable)
extension Admission: Sendable {}
