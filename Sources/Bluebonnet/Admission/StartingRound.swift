// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Starts operations once at the end of each round of an event loop: takes what has become ready in the queues, and
/// lets the schedulers give their free slots. On the loop's thread only.
///
/// All operations that have become ready are compared with each other before the first of them is started.
final class StartingRound: RoundEndTask {
    /// The round of the network thread.
    static let shared = NetworkBound(StartingRound(loop: NetworkThread.shared.eventLoop))
    /// The most operations that one round starts, and the most that it sorts, so that sockets are served too.
    private static let startLimit = 256
    private static let entryLimit = 8192
    private static let pieceCount = 1024

    private let loop: EventLoop
    private var isScheduled = false
    /// What has changed, and gates whose operations without a slot may start.
    private var changed: [any GateSource] = []
    private var gates: [any GateSource] = []
    private var schedulers: [Scheduler] = []
    private var startCount = 0

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
        startCount = 0
        var entryCount = 0
        while true {
            while entryCount < Self.entryLimit, startCount < Self.startLimit, !changed.isEmpty {
                let taken = changed
                changed = []
                for source in taken { entryCount += takeChanges(of: source) }
            }
            guard changed.isEmpty, startCount < Self.startLimit, !(gates.isEmpty && schedulers.isEmpty) else { break }
            serveGates()
            serveSchedulers()
        }
        isScheduled = false
        if !(changed.isEmpty && gates.isEmpty && schedulers.isEmpty) { schedule() }
    }

    private func takeChanges(of source: any GateSource) -> Int {
        let changes = source.takeChanges(limit: Self.pieceCount)
        source.gate.take(changes, of: source)
        if changes.hasMore { changed.append(source) } else { gates.append(source) }
        startCount += changes.cancelled.count
        changes.cancelled.visit(source.start)
        if let barrier = changes.barrier { source.start(barrier) }
        return changes.arrivals.count
    }

    private func serveGates() {
        let served = gates
        gates = []
        for source in served {
            if serve({ source.gate.serveNext(of: source) }) { gates.append(source) }
        }
    }

    private func serveSchedulers() {
        let served = schedulers
        schedulers = []
        for scheduler in served {
            scheduler.isInRound = false
            if serve(scheduler.serveNext) { add(scheduler) }
        }
    }

    /// Serves until there is nothing more; true when the round has started enough.
    private func serve(_ next: () -> Bool) -> Bool {
        while startCount < Self.startLimit {
            guard next() else { return false }
            startCount += 1
        }
        return true
    }
}

@available(*, unavailable)
extension StartingRound: Sendable {}
