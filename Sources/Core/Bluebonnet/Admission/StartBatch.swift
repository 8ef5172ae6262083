// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The result of one step of a scheduler.
enum ServiceStep {
    /// An operation was started, or got a slot.
    case started
    /// A stale entry was removed, or a gate was found closed.
    case cleared
    /// There is nothing to do.
    case nothing
}

/// Starts operations once at the end of each round of an event loop: collects the changes of the queues, and serves the
/// schedulers. On the loop's thread only.
///
/// Operations that have become ready are sorted before the first of them starts, as far as the round's budget allows.
/// Cancelled operations and the steps of schedulers have separate budgets. Work that exceeds a budget comes first in
/// the next round, so cancelled operations, schedulers, queues and managers do not delay each other.
final class StartBatch: RoundEndTask {
    /// The instance of the network thread.
    static let shared = NetworkBound(StartBatch(loop: NetworkThread.shared.eventLoop))
    private static let pieceCount = 1024

    /// The work that one round may still do; the limit lets the loop serve sockets in between.
    private struct Budget {
        /// Entries to sort.
        var entries = 8192
        /// Cancelled operations to start; starting only ends them.
        var cancelled = 256
        /// Steps of schedulers.
        var steps = 256 * startCost

        /// A start costs as much as this number of removed entries.
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

    /// Adds a queue that has changed. The queue does not call again before its changes are taken.
    func add(_ source: any GateSource) {
        changed.append(source)
        schedule()
    }

    /// Adds a scheduler that may have a free slot and an operation for it.
    func add(_ scheduler: Scheduler) {
        guard !scheduler.isInRound else { return }
        scheduler.isInRound = true
        schedulers.append(scheduler)
        schedule()
    }

    /// Adds a scheduler that is served before all others.
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
        while canCollectChanges || (!schedulers.isEmpty && budget.steps > 0) {
            collectChanges()
            serveSchedulers()
        }
        isScheduled = false
        if !(changed.isEmpty && schedulers.isEmpty) { schedule() }
    }

    private var canCollectChanges: Bool { !changed.isEmpty && budget.entries > 0 && budget.cancelled > 0 }

    private func collectChanges() {
        while canCollectChanges {
            let source = changed.removeFirst()
            let changes = source.removeChanges(limit: Self.pieceCount)
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

    /// Serves a scheduler until it has nothing left to do; returns false if the budget ends first.
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
extension StartBatch: Sendable {}
