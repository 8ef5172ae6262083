// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What one step of a scheduler did.
enum ServiceStep {
    /// An operation was started, or got a slot.
    case started
    /// A stale entry was removed, or a gate was found closed.
    case cleared
    /// There is nothing to do.
    case nothing
}

/// Starts operations once at the end of each round of an event loop: takes what has become ready in the queues, and
/// has the schedulers start what may start. On the loop's thread only.
///
/// Operations that have become ready are compared with each other before the first of them is started, as far as the
/// round sorts them. Cancelled operations and the steps of schedulers have limits of their own in a round, and what a
/// limit has left goes first in the next round: so none of them, and no queue or manager, holds up another.
final class StartingRound: RoundEndTask {
    /// The round of the network thread.
    static let shared = NetworkBound(StartingRound(loop: NetworkThread.shared.eventLoop))
    private static let pieceCount = 1024

    /// What one round may still do, so that sockets are served too.
    private struct Budget {
        /// Entries to sort.
        var entries = 8192
        /// Cancelled operations to start, which only end.
        var cancelled = 256
        /// Steps of schedulers.
        var steps = 256 * startCost

        /// A start counts like so many removed entries.
        private static let startCost = 16

        static func cost(of step: ServiceStep) -> Int { step == .started ? startCost : 1 }
    }

    private let loop: EventLoop
    private var isScheduled = false
    /// Queues that have changed.
    private var changed: [any GateSource] = []
    private var schedulers: [Scheduler] = []
    private var budget = Budget()

    init(loop: EventLoop) { self.loop = loop }

    /// A queue has changed; it does not call again before its changes are taken.
    func add(_ source: any GateSource) {
        changed.append(source)
        schedule()
    }

    /// A scheduler may have a free slot and an operation for it.
    func add(_ scheduler: Scheduler) {
        guard !scheduler.isInRound else { return }
        scheduler.isInRound = true
        schedulers.append(scheduler)
        schedule()
    }

    /// Has a scheduler served before all others.
    func addFirst(_ scheduler: Scheduler) {
        if scheduler.isInRound { schedulers.removeAll { $0 === scheduler } }
        scheduler.isInRound = true
        schedulers.insert(scheduler, at: 0)
        schedule()
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        loop.atEndOfRound(.starting, self)
    }

    func roundEnds() {
        budget = Budget()
        while mayTakeChanges || (!schedulers.isEmpty && budget.steps > 0) {
            takeChanges()
            serveSchedulers()
        }
        isScheduled = false
        if !(changed.isEmpty && schedulers.isEmpty) { schedule() }
    }

    private var mayTakeChanges: Bool { !changed.isEmpty && budget.entries > 0 && budget.cancelled > 0 }

    private func takeChanges() {
        while mayTakeChanges {
            let source = changed.removeFirst()
            let changes = source.takeChanges(limit: Self.pieceCount)
            source.gates.apply(changes, of: source)
            if changes.hasMore { changed.append(source) }
            budget.entries -= max(changes.arrivals.count, 1)
            budget.cancelled -= changes.cancelled.count
            changes.cancelled.visit { source.start($0) }
            if let barrier = changes.barrier { source.start(barrier) }
        }
    }

    private func serveSchedulers() {
        let served = schedulers
        schedulers = []
        var unfinished: [Scheduler] = []
        for (index, scheduler) in served.enumerated() {
            guard budget.steps > 0 else {
                schedulers = Array(served[index...]) + schedulers
                break
            }
            scheduler.isInRound = false
            if !serve(scheduler) { unfinished.append(scheduler) }
        }
        for scheduler in unfinished { add(scheduler) }
    }

    /// Serves a scheduler until it has nothing more to do; false when the budget ends before.
    private func serve(_ scheduler: Scheduler) -> Bool {
        while budget.steps > 0 {
            let step = scheduler.serveNext()
            guard step != .nothing else { return true }
            budget.steps -= Budget.cost(of: step)
        }
        return false
    }
}

@available(*, unavailable)
extension StartingRound: Sendable {}
