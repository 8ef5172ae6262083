// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetHTTP
internal import Foundation
internal import Glibc

/// The loop of a worker's thread: handles events, does the work that is due, and waits for more.
///
/// Only this thread talks to the store, one statement at a time. While the store is unreachable, running lines
/// continue, and their outcomes wait here.
struct WorkerLoop {
    typealias Instant = ContinuousClock.Instant

    private enum Stage {
        case working
        /// No lines are started; lines that still run at the instant are cancelled.
        case draining(until: Instant)
        /// Running lines were cancelled. The worker waits for the store until the instant.
        case ending(until: Instant)
    }

    /// How long outcomes wait for more outcomes, unless lines wait for them.
    private static let recordInterval = Duration.milliseconds(10)
    private static let recordLimit = 512
    /// How often a worker without work asks the store if there is no notification.
    private static let idleInterval = Duration.seconds(30)
    /// How often, at most, a worker at its capacity reads the batches, for their limits.
    private static let limitInterval = Duration.seconds(1)
    /// How often the worker asks whether every batch is complete.
    private static let endInterval = Duration.milliseconds(200)

    private let configuration: FleetWorker.Configuration
    private let inbox: WorkerInbox
    private let onSummary: (FleetWorker.Summary) -> Void
    private let onProblem: (FleetError?) -> Void
    private var store: StoreAccess
    private var hand: WorkerHand
    private var runs: LineRuns
    private var batches: [Int: OpenBatch] = [:]
    /// The batches with waiting lines, the most urgent batch first; nil when the store must be asked.
    private var open: [OpenBatch]?
    private var rules: OriginRules
    private var watch: WorkerWatch
    /// The newest worker that this worker counts, and to which it leaves a part of the limits.
    private var knownWorker = 0
    private var stage = Stage.working
    private var summary = FleetWorker.Summary()
    /// Lines that go back to the store, by claim.
    private var linesToGiveBack: [Int: (batch: Int, positions: [Int])] = [:]
    /// Pauses to report to other workers.
    private var pausesToReport: [(origin: String, length: Duration)] = []
    /// Cancelled batches whose running lines were cancelled for this reason.
    private var cancelled: Set<Int> = []
    /// Batches to be cancelled because one of their lines has failed.
    private var failed: Set<Int> = []
    private var nextBeat = Instant.now
    /// When the worker's lease ends if the store receives no further heartbeat.
    private var leaseEnd = Instant.now
    private var nextRecord = Instant.now
    private var nextClaim = Instant.now
    /// When the batches were read last.
    private var lastLook = Instant.now
    /// When the batches are to be read, because a new batch may have limits; nil without a new batch.
    private var nextLook: Instant?
    private var due: DueWork
    /// Whether lines wait in lanes whose limit the worker has reached.
    private var hasFullLanes = false

    init(
        store target: String, _ configuration: FleetWorker.Configuration, _ inbox: WorkerInbox,
        onSummary: @escaping (FleetWorker.Summary) -> Void, onProblem: @escaping (FleetError?) -> Void
    ) {
        (self.configuration, self.inbox) = (configuration, inbox)
        (self.onSummary, self.onProblem) = (onSummary, onProblem)
        watch = WorkerWatch(longestGap: configuration.lease)
        (store, due) = (StoreAccess(target, configuration), DueWork(store: target))
        hand = WorkerHand(
            concurrency: configuration.concurrency, concurrencyPerOrigin: configuration.concurrencyPerOrigin)
        rules = OriginRules(configuration, inbox)
        runs = LineRuns(configuration, rules.governor, inbox, worker: store.name)
    }

    /// Works until nothing is left to do.
    mutating func run() throws(FleetError) {
        while true {
            for event in inbox.removeAll() { handle(event) }
            hand.unpark(now: .now)
            advanceStage()
            try step()
            startReady()
            publish()
            if isDone { break }
            if case .ending(let limit) = stage, Instant.now > limit {
                // Lines that were not returned go to other workers when the lease is over.
                guard hand.endedCount > 0 else { break }
                throw store.lastWord(unrecorded: hand.endedCount)
            }
            wait()
        }
        store.leave()
    }

    private var isWorking: Bool { if case .working = stage { true } else { false } }
    private var isDone: Bool { !isWorking && hand.isEmpty && linesToGiveBack.isEmpty }

    private mutating func publish() {
        (summary.runningCount, summary.unrecordedCount) = (hand.runningCount, hand.endedCount)
        let isNews = summary.problem != store.problem
        summary.problem = store.problem
        onSummary(summary)
        configuration.meter?.update(hand, rules, claimedCount: summary.claimedCount, isDraining: !isWorking)
        if isNews { onProblem(store.problem) }
    }
}

// MARK: - Events

extension WorkerLoop {
    private mutating func handle(_ event: WorkerInbox.Event) {
        switch event {
        case .ended(let serial, let report): ended(serial, report)
        case .waiting(let serial, let length): hand.park(serial, until: .now + length)
        case .originPaused(let origin, let length):
            if rules.recordPause(of: origin, for: length) { pausesToReport.append((origin, length)) }
            rules.apply(to: &hand)
        case .pruned(let error): store.pruningError = error
        case .drain:
            guard case .working = stage else { return }
            stage = .draining(until: .now + configuration.drainTimeout)
            giveBack(hand.removeUnsent { _ in true })
        case .cancel:
            stage = .draining(until: .now)
            giveBack(hand.removeUnsent { _ in true })
        }
    }

    /// Handles the end of a line. If the line was cancelled because the worker ends, it returns to the store, unless it
    /// may have been sent and must not be sent again.
    private mutating func ended(_ serial: WorkerHand.Serial, _ report: LineReport) {
        guard let line = runs.end(serial) else { return }
        if report.outcome == .cancelled, case .ending = stage, !cancelled.contains(line.batch) {
            guard report.attemptCount > 0, line.kind == .unsafe else {
                if let line = hand.returned(serial) { giveBack([line]) }
                return
            }
            return hand.ended(serial, LineEnding(cancelledInDoubt: line))
        }
        hand.ended(serial, LineEnding(line, report))
        guard report.outcome == .failure, batches[line.batch]?.settings.cancelsAtFirstFailure == true else { return }
        failed.insert(line.batch)
    }

    private mutating func giveBack(_ lines: [ClaimedLine]) {
        for line in lines { linesToGiveBack[line.claim, default: (line.batch, [])].positions.append(line.position) }
    }

    /// Moves to the next stage when it is due.
    private mutating func advanceStage() {
        guard case .draining(let limit) = stage, Instant.now >= limit || hand.runningCount == 0 else { return }
        stage = .ending(until: .now + configuration.lease + .seconds(10))
        runs.cancelAll()
    }
}

// MARK: - Due work

extension WorkerLoop {
    private mutating func step() throws(FleetError) {
        do throws(FleetError) {
            guard let session = try store.open() else { return }
            if store.isNew { try begin(session) }
            if Instant.now >= nextBeat { try beat(session) }
            guard store.session != nil else { return }  // the worker was declared lost
            try settle(session)
            try record(session)
            if case .working = stage { try due.run(session) }
            try mark(session)
            try claim(session)
            try readNewBatches(session)
            try session.notices.send(session.connection)
        } catch {
            if case .working = stage, store.isRefusal(error) { throw error }
            store.lose(error)
            watch.interrupt()
        }
    }

    /// Finds out which lines the worker still has, after a new connection was made.
    private mutating func begin(_ session: WorkerStore) throws(FleetError) {
        try store.subscribe()
        let kept = try session.claims()
        lose(hand.claimNumbers.subtracting(kept))
        try giveBackUnknown(kept, session)
        store.isNew = false
        (open, nextBeat, nextClaim) = (nil, .now, .now)
        due.expire()
        rules.applyPauses(try session.pausedOrigins(), &hand)
        try cancelBatches(session)
    }

    /// Gives back claims whose answers were lost. The server may execute a statement long after the worker has given
    /// it up.
    private func giveBackUnknown(_ claims: Set<Int>, _ session: WorkerStore) throws(FleetError) {
        for claim in claims.subtracting(hand.claimNumbers) where linesToGiveBack[claim] == nil {
            try session.giveBack(claim: claim)
        }
    }

    /// Drops the lines of claims that other workers have.
    private mutating func lose(_ claims: Set<Int>) {
        for claim in claims { linesToGiveBack[claim] = nil }
        for serial in hand.lose(claims) { runs.cancel(serial) }
    }

    /// Sends a heartbeat, looks for lost workers, and updates the worker's share of the limits.
    private mutating func beat(_ session: WorkerStore) throws(FleetError) {
        let (signs, sent) = (try session.workers(), Instant.now)
        let newShare = FleetShare(of: session.worker, among: signs)
        if newShare != rules.share {
            giveBack(rules.set(rules.limits, newShare, &hand))
            (open, nextClaim) = (nil, .now)
        }
        // Other workers may use their parts once the lines in flight here fit into this worker's part.
        let newest = signs.last?.number ?? 0
        if rules.hasKept(hand) { knownWorker = newest }
        guard try session.beat(knownWorker: knownWorker) else {
            lose(hand.claimNumbers)
            store.registerAgain()
            return
        }
        (leaseEnd, nextBeat) = (sent + configuration.lease, sent + configuration.lease / 6)
        for sign in watch.see(signs, now: .now) where sign.number != session.worker {
            _ = try session.reap(sign.number, beat: sign.beat)
        }
        try giveBackUnknown(try session.claims(), session)
        due.expire()
        // Other workers will soon count this worker; then it has its share.
        if !newShare.isActive || knownWorker < newest { nextBeat = min(nextBeat, .now + .milliseconds(50)) }
    }

    /// Gives lines back to the store, and reports pauses to other workers.
    private mutating func settle(_ session: WorkerStore) throws(FleetError) {
        while let (claim, lines) = linesToGiveBack.first {
            try session.giveBack(claim, batch: lines.batch, lines.positions)
            linesToGiveBack[claim] = nil
        }
        while let (origin, length) = pausesToReport.first {
            try session.pauseOrigin(origin, for: length)
            pausesToReport.removeFirst()
        }
    }

    private mutating func record(_ session: WorkerStore) throws(FleetError) {
        guard hand.endedCount > 0 else { return try endFailedBatches(session) }
        let endings = hand.nextEndings(limit: Self.recordLimit)
        let edges = Set(endings.map(\.batch).filter { batches[$0]?.hasEdges == true })
        guard Instant.now >= nextRecord || endings.count == Self.recordLimit || !edges.isEmpty else { return }
        due.add(endings)
        let counts = try session.recordAll(endings, edgeBatches: edges)
        hand.recorded(counts.settledCount)
        configuration.meter?.recordEndings(
            endings.prefix(counts.settledCount), recordedCount: counts.recordedCount)
        summary.recordedCount += counts.recordedCount
        nextRecord = .now + Self.recordInterval
        // A line may fail without a request: too many pages, for example.
        for batch in edges.subtracting(cancelled) where batches[batch]?.settings.cancelsAtFirstFailure == true {
            if try session.hasFailure(batch) { failed.insert(batch) }
        }
        if !edges.isEmpty || hasFullLanes { (open, nextClaim) = (nil, .now) }
        runs.keep(claims: hand.claimNumbers)
        try endFailedBatches(session)
    }

    private mutating func endFailedBatches(_ session: WorkerStore) throws(FleetError) {
        while let batch = failed.first {
            do throws(FleetError) {
                if let name = batches[batch]?.name {
                    try BatchControl(connection: session.connection, name: name, number: batch).cancel()
                }
            } catch {
                guard error.code == .noBatch else { throw error }  // the batch was removed in the meantime
            }
            failed.removeFirst()
        }
    }

    private mutating func mark(_ session: WorkerStore) throws(FleetError) {
        startReady()
        let lines = hand.removeMarks()
        guard !lines.isEmpty else { return }
        do throws(FleetError) {
            let kept = try session.mark(lines.map(\.line))
            start(hand.marked(lines.filter { kept.contains($0.line.claim) }))
            lose(Set(lines.map(\.line.claim)).subtracting(kept))
        } catch {
            hand.putOff(lines)
            throw error
        }
    }

    /// Starts the lines that need no mark. A worker that has not reached the store for its whole lease starts nothing:
    /// other workers may have its lines and its share of the limits.
    private mutating func startReady() {
        if Instant.now < leaseEnd { start(hand.beginSending()) }
    }

    private mutating func start(_ lines: [WorkerHand.Start]) {
        for line in lines {
            guard let batch = batches[line.line.batch] else { continue }
            runs.start(line.serial, line.line, of: batch)
        }
    }
}

// MARK: - Claims

extension WorkerLoop {
    private mutating func claim(_ session: WorkerStore) throws(FleetError) {
        let capacity = 2 * configuration.concurrency
        guard case .working = stage, Instant.now >= nextClaim, hand.busyCount <= capacity / 2 else { return }
        let isKnown = open != nil
        let list: [OpenBatch]
        if let open { list = open } else { list = try openBatches(session) }
        var freeCount = capacity - hand.busyCount
        var claimedCount = 0
        let plan = ClaimPlan(list, capacity: capacity)
        for step in plan.steps(openCount: { hand.openCount(of: $0) }, freeCount: freeCount) where freeCount > 0 {
            let lines = try session.claim(
                step.batch, rules.claimLimits(for: step.batch, min(step.count, freeCount), hand),
                firstLane: step.firstLane)
            guard !lines.isEmpty else { continue }
            try runs.loadSources(for: lines, of: step.batch, session)
            hand.add(lines)
            freeCount -= lines.count
            claimedCount += lines.count
        }
        summary.claimedCount += claimedCount
        if claimedCount > 0 { store.foundWork() }
        try mark(session)
        runs.keep(claims: hand.claimNumbers)
        if claimedCount == 0 {
            // If the list was just read, there is nothing to claim; otherwise it is read at once.
            nextClaim = isKnown ? .now : .now + (hand.isEmpty ? Self.idleInterval : .seconds(1))
            hasFullLanes = !list.isEmpty
        }
        open = claimedCount == 0 ? nil : list
    }

    private mutating func openBatches(_ session: WorkerStore) throws(FleetError) -> [OpenBatch] {
        let unfinished = try session.unfinishedBatches(known: batches)
        (lastLook, nextLook) = (.now, nil)
        let list = unfinished.open
        let inHand = hand.batches
        var kept = batches.filter { inHand.contains($0.key) || hand.endedCount > 0 }
        for batch in list + unfinished.others { kept[batch.number] = batch }
        for batch in list where batches[batch.number] == nil && batch.settings.cancelsAtFirstFailure {
            if try session.hasFailure(batch.number) { failed.insert(batch.number) }
        }
        runs.keep(Set(kept.keys))
        batches = kept
        let newLimits = FleetLimits(kept.values)
        if newLimits != rules.limits { giveBack(rules.set(newLimits, rules.share, &hand)) }
        cancelled.formIntersection(inHand)
        return list
    }

    /// Reads the limits of a new batch, even if the hand is full and nothing is claimed.
    private mutating func readNewBatches(_ session: WorkerStore) throws(FleetError) {
        guard case .working = stage, let next = nextLook, Instant.now >= next else { return }
        open = try openBatches(session)
    }

    /// Cancels running lines of cancelled batches, and gives the unsent lines back to the store, which cancels them.
    private mutating func cancelBatches(_ session: WorkerStore) throws(FleetError) {
        for batch in try session.cancelledBatches() {
            cancelled.insert(batch)
            giveBack(hand.removeUnsent { $0.batch == batch })
            for serial in hand.running(of: batch) { runs.cancel(serial) }
        }
    }
}

// MARK: - Waiting

extension WorkerLoop {
    private mutating func wait() {
        guard let session = store.session else {
            inbox.wait(until: min(store.nextAttempt, stageEnd, hand.nextUnpark ?? stageEnd))
            return
        }
        do throws(FleetError) {
            if try isIdle(session) {
                stage = .draining(until: .now)
                return
            }
            let limits = [nextBeat, stageEnd, recordTime, claimTime, rules.nextEnd, hand.nextUnpark, lookTime]
            let limit = limits.compactMap(\.self).min() ?? nextBeat
            for notice in try store.news(until: limit, wake: inbox.descriptor, hasLines: !hand.isEmpty) {
                try handle(notice, session)
            }
            if let end = rules.nextEnd, end <= .now {
                rules.apply(to: &hand)
                (open, nextClaim) = (nil, .now)
            }
        } catch {
            store.lose(error)
            watch.interrupt()
        }
    }

    private func isIdle(_ session: WorkerStore) throws(FleetError) -> Bool {
        guard configuration.endsWhenIdle, hand.isEmpty, linesToGiveBack.isEmpty else { return false }
        guard case .working = stage else { return false }
        return try due.isFiring ? false : session.recordIdle()
    }

    private mutating func handle(_ notice: FleetNotice, _ session: WorkerStore) throws(FleetError) {
        switch notice {
        case .work:
            (open, nextClaim) = (nil, .now)
            nextLook = nextLook ?? max(.now, lastLook + Self.limitInterval)
        case .cancel: try cancelBatches(session)
        case .workers: nextBeat = .now
        case .pause: rules.applyPauses(try session.pausedOrigins(), &hand)
        }
    }

    private var stageEnd: Instant {
        switch stage {
        case .working: configuration.endsWhenIdle && hand.isEmpty ? .now + Self.endInterval : .now + Self.idleInterval
        case .draining(let limit), .ending(let limit): limit
        }
    }

    private var recordTime: Instant { hand.endedCount > 0 ? nextRecord : .now + Self.idleInterval }

    private var lookTime: Instant? {
        if case .working = stage { min(due.next, nextLook ?? due.next) } else { nil }
    }

    private var claimTime: Instant {
        guard case .working = stage, hand.busyCount <= configuration.concurrency else {
            return .now + Self.idleInterval
        }
        return nextClaim
    }
}
