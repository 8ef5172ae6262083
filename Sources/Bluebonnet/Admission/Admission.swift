// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A queue with more operations than it has handed to admission. Network thread only.
protocol AdmissionSource: AnyObject {
    /// Admission may have a free slot again.
    func slotMayBeFree()
}

/// Admits transfers: serves the admission queue once at the end of each round. Network thread only.
///
/// Transfers that are enqueued in one round of the event loop are compared with each other, so that their priorities
/// decide the order.
final class Admission: RoundEndTask {
    @exclusivity(unchecked) private var queue: AdmissionQueue
    private var isScheduled = false
    /// Whether operations that have never started are refused.
    private var isClosedToNew = false
    /// The sources to notify when a slot becomes free.
    private var sources: [any AdmissionSource] = []

    init(limit: Int, limitPerOrigin: Int) {
        queue = AdmissionQueue(limit: limit, limitPerOrigin: limitPerOrigin)
    }

    /// Makes a ticket, which an operation keeps over all of its transfers.
    ///
    /// - Parameter share: the flow (batch or queue) that the operation belongs to; 0 for none.
    func makeTicket(flow: Int, priority: Int, counts: WaitingCounts?) -> AdmissionQueue.Ticket {
        queue.makeTicket(flow: flow, priority: priority, counts: counts)
    }

    /// How many more operations of this priority can be admitted.
    ///
    /// - Parameter counts: the operations of the same queue that wait.
    func availableSlotCount(besides counts: WaitingCounts, priority: Int) -> Int {
        queue.availableSlotCount(besides: counts, priority: priority)
    }

    /// Notifies a source once when a slot may have become free.
    func notifyWhenSlotFrees(_ source: any AdmissionSource) {
        if !sources.contains(where: { $0 === source }) { sources.append(source) }
    }

    /// Waits for a slot. `client` is told on the network thread when it has the slot, and has to return it with
    /// `release`.
    func enqueue(_ ticket: AdmissionQueue.Ticket, origin: Origin, priority: Int, client: any AdmissionClient) {
        guard !(ticket.hasNeverStarted && isClosedToNew) else { return }
        queue.enqueue(ticket, origin: origin, priority: priority, client: client)
        schedule()
    }

    /// Stops waiting.
    func withdraw(_ ticket: AdmissionQueue.Ticket) {
        queue.withdraw(ticket)
        tellSources()
    }

    /// Returns a slot.
    func release(origin: Origin) {
        queue.release(origin: origin)
        tellSources()
        schedule()
    }

    /// From now on admits only operations that have started before. Operations that have never started are never
    /// admitted.
    func stopAdmittingNew() {
        guard !isClosedToNew else { return }
        isClosedToNew = true
        queue.withdrawNeverStarted()
        tellSources()
    }

    private func tellSources() {
        guard !sources.isEmpty else { return }
        let told = sources
        sources = []
        for source in told { source.slotMayBeFree() }
    }

    private func schedule() {
        guard !isScheduled, queue.waitingCount > 0 else { return }
        isScheduled = true
        NetworkThread.shared.eventLoop.atEndOfRound(.admission, self)
    }

    func roundEnds() {
        isScheduled = false
        while let ticket = queue.admitNext() {
            ticket.takeClient()?.wasAdmitted()
        }
    }
}

@available(*, unavailable)
extension Admission: Sendable {}
