// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The right to one transfer to an origin. The owner begins the transfer, and releases the slot afterwards.
struct TransferSlot {
    let origin: Origin
    /// The governor's permit; nil without a governor.
    let place: GovernorPermit?
    fileprivate let index: OriginTable.Index
    /// The virtual time at which the scheduler served the operation.
    fileprivate let virtualTime: UInt64
}

@available(*, unavailable)
extension TransferSlot: Sendable {}

/// Decides which of a manager's waiting operations gets the next slot, within a total limit and a limit for each
/// origin. Independent of threads, transfers and clocks.
///
/// An operation waits in one lane: the lane of its gate and its origin. The highest priority goes first. Operations of
/// equal priority are ordered by start-time fair queueing: each batch and each queue is a flow, and inside a flow the
/// oldest operation goes first.
///
/// An origin at its limit never delays another origin. A batch delays a later operation by at most one operation for
/// each flow that was there before.
final class Scheduler {
    /// The position of an operation that waits without a queue; it stays the same however often the operation waits.
    struct Ticket {
        let number: UInt64
        let virtualTime: UInt64
        fileprivate var waitID: UInt32?

        init(number: UInt64, virtualTime: UInt64 = 0) { (self.number, self.virtualTime) = (number, virtualTime) }
    }

    /// The operation to serve next.
    private struct Choice {
        let gate: AdmissionGate
        let candidate: LaneTable.Candidate
        let turn: GateTurn
    }

    /// A gate, and the turn under which it is stored.
    private struct Candidacy: Comparable {
        let gate: AdmissionGate
        let turn: GateTurn

        static func < (a: Candidacy, b: Candidacy) -> Bool { a.turn < b.turn }
        static func == (a: Candidacy, b: Candidacy) -> Bool { a.turn == b.turn && a.gate === b.gate }
    }

    let limit: Int
    let origins: OriginTable
    private(set) var runningCount = 0
    /// The round that serves this scheduler; nil in tests that serve the scheduler themselves.
    var round: StartBatch?
    /// Whether the round has this scheduler in its list.
    var isInRound = false
    private var isClosedToNew = false
    /// Nil without a governor.
    private var governor: GovernorCore?
    /// The process's descriptor capacity; nil in tests without such a capacity.
    var descriptors: DescriptorCapacity?
    /// The operations that wait without a queue.
    private let queuelessWaiters = QueuelessWaiters()
    /// The gate of `queuelessWaiters`; created when the first operation waits.
    private lazy var openGate = AdmissionGate(self)
    /// The gates with waiting operations.
    @exclusivity(unchecked) private var gates: [AdmissionGate] = []
    /// The number of outdated turns that may stay in `candidacies`.
    private static let staleLimit = 64
    /// Gates by their turns, used when there are several gates. The stored turn of a gate is never later than its
    /// actual turn; outdated turns are skipped.
    private var candidacies = Heap<Candidacy>()
    /// The number of waiting entries that need no slot, including stale entries and closed gates.
    var slotlessCount = 0
    private var lastServiceNumber: UInt64 = 0
    private var lastNumber: UInt64 = 0
    @exclusivity(unchecked) private var fairQueue = FairQueue()

    init(limit: Int, limitPerOrigin: Int) {
        self.limit = limit
        origins = OriginTable(limit: limitPerOrigin)
    }

    /// Creates a scheduler for operations that need no slot.
    convenience init() { self.init(limit: .max, limitPerOrigin: .max) }

    /// Puts all transfers under a governor. Must be called before the first operation is added.
    func govern(by governor: GovernorCore) {
        self.governor = governor
        origins.govern(by: governor, for: self)
    }

    private var hasFreeSlot: Bool {
        runningCount < limit && governor?.isOpen(for: self) != false && descriptors?.isOpen(for: self) != false
    }

    /// Requests service: there may be a free slot and an operation for it.
    func setNeedsService() { round?.add(self) }

    /// Requests service before all other schedulers.
    func setNeedsServiceFirst() { round?.addFirst(self) }
}

@available(*, unavailable)
extension Scheduler: Sendable {}

// MARK: - Operations without a queue

extension Scheduler {
    /// The number of operations that wait without a queue.
    var waitingCount: Int { queuelessWaiters.count }

    /// Returns the ticket of an operation that starts.
    ///
    /// - Parameter slot: the slot with which the operation is started, if it has one.
    func makeTicket(flow: Int, priority: Int, startedWith slot: TransferSlot? = nil) -> Ticket {
        lastNumber += 1
        return Ticket(
            number: lastNumber, virtualTime: slot?.virtualTime ?? fairQueue.assignTime(flow: flow, priority: priority))
    }

    /// Adds an operation that waits for a slot; `client` receives the slot.
    ///
    /// - Parameter demand: the purpose of the slot.
    func enqueue(
        _ ticket: inout Ticket, origin: Origin, priority: Int, demand: SlotDemand = .first, client: any SlotClient
    ) {
        withdraw(&ticket)
        guard demand != .first || !isClosedToNew else { return }
        let waitID = queuelessWaiters.add(client, demand)
        ticket.waitID = waitID
        let entry = LaneEntry(
            priority: priority, virtualTime: ticket.virtualTime, number: ticket.number, index: 0, generation: waitID)
        openGate.insert(entry, origin: origins.index(of: origin), queuelessWaiters)
        gateChanged(openGate)
        setNeedsService()
    }

    /// Stops waiting. Does nothing for an operation that does not wait.
    func withdraw(_ ticket: inout Ticket) {
        if let waitID = ticket.waitID.take() { _ = queuelessWaiters.remove(waitID) }
    }

    /// Stops admitting operations that have not yet begun a transfer.
    ///
    /// - Returns: the operations that waited for their first slot, which are never admitted.
    @discardableResult
    func stopAdmittingNew() -> [any SlotClient] {
        isClosedToNew = true
        return queuelessWaiters.removeNew()
    }

    /// Releases a slot.
    ///
    /// - Parameter isUnused: whether nothing was sent with the slot.
    func release(_ slot: TransferSlot, isUnused: Bool = false) {
        if let place = slot.place {
            place.leave(isUnused: isUnused)
            if isUnused, !place.isRefused { governor?.giveBack() }
        }
        runningCount -= 1
        descriptors?.end()
        origins.freeSlot(slot.index)
        unblock(slot.index)
        if !gates.isEmpty { setNeedsService() }
    }

    private func unblock(_ origin: OriginTable.Index) {
        for gate in origins.removeBlocked(at: origin) {
            gate.unblock(origin)
            gateChanged(gate)
        }
    }
}

// MARK: - Gates

extension Scheduler {
    /// Adds a gate when its first operation begins to wait.
    ///
    /// - Returns: the number that counts as the gate's last service.
    func add(_ gate: AdmissionGate) -> UInt64 {
        gate.position = gates.count
        gates.append(gate)
        if gates.count == 2 { gateChanged(gates[0]) }
        return nextServiceNumber()
    }

    /// Removes a gate without waiting operations.
    func remove(_ gate: AdmissionGate) {
        gate.turn = nil
        let last = gates.removeLast()
        if last !== gate {
            last.position = gate.position
            gates[gate.position] = last
        }
        if gates.isEmpty { candidacies = Heap() }
    }

    /// Updates the turn of a gate whose turn may be earlier than before: its first operation has changed, or it has
    /// opened. A later turn, because a gate was closed, an origin is at its limit or time has passed, need not be
    /// reported.
    func gateChanged(_ gate: AdmissionGate) {
        if gates.count > 1 { renew(gate, choice(of: gate)) }
    }

    /// The queues with operations that wait in this scheduler.
    var queues: [any GateSource] { gates.compactMap { $0.owner as? any GateSource } }

    private func nextServiceNumber() -> UInt64 {
        lastServiceNumber += 1
        return lastServiceNumber
    }
}

// MARK: - Serving

extension Scheduler {
    /// Starts the next operation, or removes a stale entry, or finds a gate closed. Returns `nothing` if no operation
    /// may start.
    func serveNext() -> ServiceStep {
        guard let choice = hasFreeSlot ? firstChoice : firstSlotlessChoice, let owner = choice.gate.owner else {
            return .nothing
        }
        switch owner.admit(choice.candidate.entry) {
        case .closed:
            choice.gate.close()
            return .cleared
        case .stale:
            remove(choice)
            return .cleared
        case .admitted(let operation, let demand):
            // A start without a slot does not count as service: it must not delay operations that wait for a slot.
            let service = choice.candidate.origin == nil ? nil : choice.turn.virtualTime
            if let service { fairQueue.serve(service, priority: choice.turn.priority) }
            choice.gate.recordService(nextServiceNumber(), of: choice.candidate.entry, at: service)
            var slot = choice.candidate.origin.map { grant($0, demand, at: choice.turn.virtualTime) }
            remove(choice)
            owner.start(operation, &slot)
            if let slot { release(slot, isUnused: true) }
            return .started
        }
    }

    private func remove(_ choice: Choice) {
        choice.gate.removeFirst(choice.candidate)
        gateChanged(choice.gate)
    }

    private func grant(_ origin: OriginTable.Index, _ demand: SlotDemand, at virtualTime: UInt64) -> TransferSlot {
        runningCount += 1
        descriptors?.begin(for: self)
        let continues = demand == .continuation
        let place = origins.occupySlot(origin, isContinuation: continues, for: self)
        if let place, !place.isRefused, !continues { governor?.consumeToken(for: self) }
        return TransferSlot(origin: origins.origin(at: origin), place: place, index: origin, virtualTime: virtualTime)
    }

    private var firstChoice: Choice? {
        if gates.count == 1 { return choice(of: gates[0]) }
        while let first = candidacies.first {
            let isCurrent = first.gate.turn == first.turn
            let choice = isCurrent ? choice(of: first.gate) : nil
            if let choice, choice.turn == first.turn { return choice }
            _ = candidacies.popFirst()
            if isCurrent { renew(first.gate, choice) }
        }
        return nil
    }

    /// Stores a gate under its current turn.
    private func renew(_ gate: AdmissionGate, _ choice: Choice?) {
        guard gate.turn != choice?.turn else { return }
        gate.turn = choice?.turn
        guard let choice else { return }
        candidacies.insert(Candidacy(gate: gate, turn: choice.turn))
        guard candidacies.count > 2 * gates.count + Self.staleLimit else { return }
        candidacies = Heap()
        for gate in gates { if let turn = gate.turn { candidacies.insert(Candidacy(gate: gate, turn: turn)) } }
    }

    /// The first operation that needs no slot, for the time when no slot is free. Visits all gates, because few queues
    /// mix such operations with others.
    private var firstSlotlessChoice: Choice? {
        guard slotlessCount > 0 else { return nil }
        return gates.lazy.compactMap { self.choice(of: $0, hasSlot: false) }.min { $0.turn < $1.turn }
    }

    /// Returns the next operation of a gate; nil if the gate is closed, or has no operation that may start.
    private func choice(of gate: AdmissionGate, hasSlot: Bool = true) -> Choice? {
        guard gate.isOpen, let candidate = gate.first(hasSlot: hasSlot && !(isClosedToNew && gate.isOfQueue)) else {
            return nil
        }
        let priority = candidate.entry.priority
        let virtualTime = gate.virtualTime(of: candidate.entry, now: fairQueue.now(priority: priority))
        let turn = GateTurn(priority: priority, virtualTime: virtualTime, lastService: gate.lastService)
        return Choice(gate: gate, candidate: candidate, turn: turn)
    }
}

// MARK: - Governed origins

extension Scheduler: DescriptorClient {
    func descriptorsWereReleased() { setNeedsService() }
}

extension Scheduler: GovernorClient {
    func originDidOpen(_ origin: Origin?) {
        if let origin {
            guard let index = origins.knownIndex(of: origin) else { return }
            unblock(index)
        }
        if !gates.isEmpty { setNeedsService() }
    }

    func waitingCount(for origin: Origin) -> Int {
        guard let index = origins.knownIndex(of: origin) else { return 0 }
        return gates.reduce(0) { $0 + $1.waitingCount(for: index) }
    }

    /// Returns why there is no slot for an operation that waits for a slot of an origin.
    func waitReason(to origin: Origin) -> WaitReason {
        let index = origins.knownIndex(of: origin)
        if let reason = index.flatMap({ origins.governed($0)?.waitReason }) ?? governor?.waitReason { return reason }
        return limitReason(index, origin) ?? .slot(limit: nil)
    }

    /// Returns the limit of this manager or of the process that is reached; nil if none is.
    private func limitReason(_ index: OriginTable.Index?, _ origin: Origin) -> WaitReason? {
        if origins.limit < limit, let index, origins.runningCount(index) >= origins.limit {
            return .originSlot(origin: "\(origin)", limit: origins.limit, isGovernors: false)
        }
        if runningCount >= limit { return .slot(limit: limit) }
        return descriptors?.shortageSentence.map { .descriptors($0) }
    }

    /// Divides the time for which an operation has waited for a slot among the reasons.
    ///
    /// - Returns: the time in which the governor allowed no transfer; the reason for the remaining time; and whether a
    ///   limit is the reason for that time. An operation gets its slot when another transfer ends, so a limit that was
    ///   the reason is reached again once the operation has its slot.
    func waits(
        to origin: Origin, from start: UInt64, to end: UInt64
    ) -> (parts: [(WaitReason.Kind, UInt64)], rest: WaitReason.Kind, isBinding: Bool) {
        let index = origins.knownIndex(of: origin)
        var parts: [(WaitReason.Kind, UInt64)] = []
        index.flatMap { origins.governed($0) }?.history.divide(from: start, to: end) { parts.append(($0, $1)) }
        governor?.history.divide(from: start, to: end) { parts.append(($0, $1)) }
        let limitReason = limitReason(index, origin)
        return (parts, limitReason?.kind ?? .slot, limitReason != nil)
    }
}
