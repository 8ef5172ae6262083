// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What one step of a gate or a scheduler did.
enum ServiceStep {
    /// An operation was started, or got a slot.
    case started
    /// A stale entry was removed, or a gate was found closed.
    case cleared
    /// There is nothing to do.
    case nothing
}

/// Starts operations once at the end of each round of an event loop: takes what has become ready in the queues, and
/// lets the schedulers give their free slots. On the loop's thread only.
///
/// Operations that have become ready are compared with each other before the first of them is started, as far as the
/// round sorts them. Cancelled operations, operations without a slot, and slots have limits of their own in a round,
/// and what a limit has left goes first in the next round: so none of them, and no queue or manager, holds up another.
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
        /// Steps of gates, and of schedulers.
        var gates = Budget.stepCount
        var slots = Budget.stepCount

        /// A start counts like so many removed entries.
        private static let startCost = 16
        private static let stepCount = 256 * startCost

        static func cost(of step: ServiceStep) -> Int { step == .started ? startCost : 1 }
    }

    private let loop: EventLoop
    private var isScheduled = false
    /// What has changed, and gates whose operations without a slot may start.
    private var changed: [any GateSource] = []
    private var gates: [any GateSource] = []
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

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        loop.atEndOfRound(.starting, self)
    }

    func roundEnds() {
        budget = Budget()
        while hasWork {
            takeChanges()
            serveGates()
            serveSchedulers()
        }
        isScheduled = false
        if !(changed.isEmpty && gates.isEmpty && schedulers.isEmpty) { schedule() }
    }

    /// Whether there is something left that the budget allows.
    private var hasWork: Bool {
        mayTakeChanges || (!gates.isEmpty && budget.gates > 0) || (!schedulers.isEmpty && budget.slots > 0)
    }

    private var mayTakeChanges: Bool { !changed.isEmpty && budget.entries > 0 && budget.cancelled > 0 }

    private func takeChanges() {
        while mayTakeChanges {
            let source = changed.removeFirst()
            let changes = source.takeChanges(limit: Self.pieceCount)
            source.gate.take(changes, of: source)
            if changes.hasMore { changed.append(source) }
            if !source.gate.isInRound {
                source.gate.isInRound = true
                gates.append(source)
            }
            budget.entries -= max(changes.arrivals.count, 1)
            budget.cancelled -= changes.cancelled.count
            changes.cancelled.visit(source.start)
            if let barrier = changes.barrier { source.start(barrier) }
        }
    }

    private func serveGates() {
        let served = gates
        gates = []
        var unfinished: [any GateSource] = []
        for (index, source) in served.enumerated() {
            guard budget.gates > 0 else {
                gates = Array(served[index...]) + gates
                break
            }
            source.gate.isInRound = false
            if Self.serve(&budget.gates, { source.gate.serveNext(of: source) }) { unfinished.append(source) }
        }
        for source in unfinished where !source.gate.isInRound {
            source.gate.isInRound = true
            gates.append(source)
        }
    }

    private func serveSchedulers() {
        let served = schedulers
        schedulers = []
        var unfinished: [Scheduler] = []
        for (index, scheduler) in served.enumerated() {
            guard budget.slots > 0 else {
                schedulers = Array(served[index...]) + schedulers
                break
            }
            scheduler.isInRound = false
            if Self.serve(&budget.slots, scheduler.serveNext) { unfinished.append(scheduler) }
        }
        for scheduler in unfinished { add(scheduler) }
    }

    /// Serves until there is nothing more; true when the budget is used up.
    private static func serve(_ budget: inout Int, _ next: () -> ServiceStep) -> Bool {
        while budget > 0 {
            let step = next()
            guard step != .nothing else { return false }
            budget -= Budget.cost(of: step)
        }
        return true
    }
}

@available(*, unavailable)
extension StartingRound: Sendable {}
