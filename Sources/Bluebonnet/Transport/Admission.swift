// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Lets transfers start: the admission queue with what to do when one is let in. Network thread only.
///
/// Those that come in one round of the event loop are looked at together, so that a priority counts among them.
final class Admission {
    private var queue: AdmissionQueue
    private var actions: [AdmissionQueue.Ticket: () -> Void] = [:]
    private var isScheduled = false

    init(limit: Int, limitPerOrigin: Int) {
        queue = AdmissionQueue(limit: limit, limitPerOrigin: limitPerOrigin)
    }

    /// A place in the order of age, which an operation keeps over its transfers.
    ///
    /// - Parameter share: the number of the batch or queue whose turn it takes; 0 for those of none.
    func makeTicket(share: Int, priority: Int) -> AdmissionQueue.Ticket {
        queue.makeTicket(share: share, priority: priority)
    }

    /// Waits for a place; `action` runs on the network thread when it is there, and `release` has to give it back.
    func enqueue(
        _ ticket: AdmissionQueue.Ticket, origin: Origin, priority: Int, action: @escaping () -> Void
    ) {
        actions[ticket] = action
        queue.enqueue(ticket, origin: origin, priority: priority)
        schedule()
    }

    /// Stops waiting.
    func withdraw(_ ticket: AdmissionQueue.Ticket) {
        actions[ticket] = nil
        queue.withdraw(ticket)
    }

    /// Gives a place back.
    func release(origin: Origin) {
        queue.release(origin: origin)
        schedule()
    }

    private func schedule() {
        guard !isScheduled, queue.waitingCount > 0 else { return }
        isScheduled = true
        NetworkThread.shared.eventLoop.atEndOfRound { [self] in admit() }
    }

    private func admit() {
        isScheduled = false
        while let ticket = queue.admitNext() {
            actions.removeValue(forKey: ticket)?()
        }
    }
}

@available(*, unavailable)
extension Admission: Sendable {}
