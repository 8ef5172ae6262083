// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Has more to be let in than was handed over. Network thread only.
protocol AdmissionSource: AnyObject {
    /// What comes now may find a place.
    func slotMayBeFree()
}

/// Lets transfers start: the admission queue, looked at once a round. Network thread only.
///
/// Those that come in one round of the event loop are looked at together, so that a priority counts among them.
final class Admission: RoundEndTask {
    @exclusivity(unchecked) private var queue: AdmissionQueue
    private var isScheduled = false
    /// Those that have never been on the wire stay outside.
    private var isClosedToNew = false
    /// Told when a place becomes free.
    private var sources: [any AdmissionSource] = []

    init(limit: Int, limitPerOrigin: Int) {
        queue = AdmissionQueue(limit: limit, limitPerOrigin: limitPerOrigin)
    }

    /// A place in the order of age, which an operation keeps over its transfers.
    ///
    /// - Parameter share: the number of the batch or queue whose turn it takes; 0 for those of none.
    func makeTicket(flow: Int, priority: Int, counts: WaitingCounts?) -> AdmissionQueue.Ticket {
        queue.makeTicket(flow: flow, priority: priority, counts: counts)
    }

    /// How many more of this priority have a place to go to.
    ///
    /// - Parameter counts: counts those of the same queue that wait.
    func availableSlotCount(besides counts: WaitingCounts, priority: Int) -> Int {
        queue.availableSlotCount(besides: counts, priority: priority)
    }

    /// Tells a source, once, when there may be room that there was none of.
    func notifyWhenSlotFrees(_ source: any AdmissionSource) {
        if !sources.contains(where: { $0 === source }) { sources.append(source) }
    }

    /// Waits for a place; `client` is told on the network thread when it is there, and `release` has to give it back.
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

    /// Gives a place back.
    func release(origin: Origin) {
        queue.release(origin: origin)
        tellSources()
        schedule()
    }

    /// Lets in only those that have been on the wire, from now on: what waits for the first time waits for ever.
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
