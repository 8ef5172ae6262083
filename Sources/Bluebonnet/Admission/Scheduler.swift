// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Is told of its slot.
protocol SlotClient: AnyObject {
    func wasAdmitted()
}

/// What an operation in the open lanes needs a slot for.
enum SlotDemand {
    /// Its first transfer.
    case first
    /// Another transfer: after a redirect, a challenge or a pause, or another attempt.
    case another
    /// A transfer that was paused in place.
    case continuation
}

/// Decides which operation of a manager gets the next slot, within a limit in all and a limit for each origin. Knows no
/// thread, transfer or clock.
///
/// An operation waits in one lane: behind the gate of its queue, or, when it has passed its gate or never had one,
/// in the open lanes. The highest priority goes first; operations of equal priority are ordered by start-time fair
/// queueing, with each batch and each queue as a flow, and inside a flow by age.
///
/// An origin at its limit never delays another origin. A batch never delays a later operation by more than one
/// operation for each flow that was there before.
final class Scheduler {
    /// The place of an operation among those that have passed their gates; it stays the same however often the
    /// operation waits for a slot.
    struct Ticket: Equatable {
        let number: UInt64
        let virtualTime: UInt64
        /// The entry of a waiting operation.
        fileprivate var index = Ticket.none
        fileprivate var generation: UInt32 = 0

        fileprivate static let none: Int32 = -1

        init(number: UInt64, virtualTime: UInt64 = 0) { (self.number, self.virtualTime) = (number, virtualTime) }
    }

    /// An operation in the open lanes.
    private struct Waiting {
        /// Nil when the row is free.
        var client: (any SlotClient)?
        /// The generation of the entry; 0 when the row is free.
        var generation: UInt32 = 0
        var demand = SlotDemand.first
        var origin = 0
    }

    /// The slot of an operation that is being started.
    private struct Hand {
        let operation: ObjectIdentifier
        let ticket: Ticket
        let origin: OriginTable.Index
        var isTaken = false
    }

    /// What is served next.
    private struct Choice {
        /// Nil for the open lanes.
        let part: GatePart?
        let candidate: LaneTable.Candidate
        let virtualTime: UInt64
        /// When the part was last served.
        let serviceNumber: UInt64

        func goes(before other: Choice) -> Bool {
            let (mine, its) = (candidate.entry.priority, other.candidate.entry.priority)
            if mine != its { return mine > its }
            return (virtualTime, serviceNumber) < (other.virtualTime, other.serviceNumber)
        }
    }

    /// The number of rows whose memory a scheduler without waiting operations keeps.
    private static let keptRowCount = 64

    let limit: Int
    private(set) var runningCount = 0
    /// The number of operations in the open lanes.
    private(set) var waitingCount = 0
    /// The round that serves this scheduler; nil in tests that serve it themselves.
    var round: StartingRound?
    /// Whether the round knows that there may be something to serve.
    var isInRound = false
    private var isClosedToNew = false
    /// Nil without a governor.
    private var governor: GovernorCore?
    /// The process's; nil in tests without one.
    var descriptors: DescriptorCapacity?
    /// The place under the governor that was taken last: of the operation that is being told of its slot.
    private(set) var lastPlace: GovernorPlace?
    @exclusivity(unchecked) private var origins: OriginTable
    @exclusivity(unchecked) private var open = LaneTable()
    private var waiting: [Waiting] = []
    private var freeIndices: [Int32] = []
    private var lastGeneration: UInt32 = 0
    /// The parts of the gates behind which operations wait.
    @exclusivity(unchecked) private var parts: [(part: GatePart, serviceNumber: UInt64)] = []
    private var openServiceNumber: UInt64 = 0
    private var lastServiceNumber: UInt64 = 0
    private var lastNumber: UInt64 = 0
    @exclusivity(unchecked) private var fairQueue = FairQueue()
    @exclusivity(unchecked) private var hand: Hand?

    init(limit: Int, limitPerOrigin: Int) {
        self.limit = limit
        origins = OriginTable(limit: limitPerOrigin)
    }

    /// Has all transfers governed; to be called before the first operation comes.
    func govern(by governor: GovernorCore) {
        self.governor = governor
        origins.govern(by: governor, for: self)
    }

    private var hasFreeSlot: Bool {
        runningCount < limit && governor?.isOpen(for: self) != false && descriptors?.isOpen(for: self) != false
    }
}

@available(*, unavailable)
extension Scheduler: Sendable {}

// MARK: - The open lanes

extension Scheduler {
    /// The ticket of an operation that starts: the one that it has in hand, or a new one.
    func makeTicket(for operation: AnyObject, flow: Int, priority: Int) -> Ticket {
        if let hand, hand.operation == ObjectIdentifier(operation) { return hand.ticket }
        lastNumber += 1
        return Ticket(number: lastNumber, virtualTime: fairQueue.take(flow: flow, priority: priority))
    }

    /// Takes the slot that an operation has in hand; false when it has none, or one of another origin.
    func takeHand(of operation: AnyObject, origin: Origin) -> Bool {
        guard let hand, !hand.isTaken, hand.operation == ObjectIdentifier(operation),
            origins.origin(at: hand.origin) == origin
        else { return false }
        self.hand?.isTaken = true
        return true
    }

    /// Waits for a slot. `client` is told when it has the slot, and has to return it with `release`.
    ///
    /// - Parameter demand: what the slot is for.
    func enqueue(
        _ ticket: inout Ticket, origin: Origin, priority: Int, demand: SlotDemand = .first, client: any SlotClient
    ) {
        withdraw(&ticket)
        guard demand != .first || !isClosedToNew else { return }
        let index = freeIndices.popLast() ?? Int32(waiting.count)
        if index == waiting.count { waiting.append(Waiting()) }
        waiting[Int(index)].client = client
        waiting[Int(index)].demand = demand
        lastGeneration = lastGeneration == .max ? 1 : lastGeneration + 1
        waiting[Int(index)].generation = lastGeneration
        (ticket.index, ticket.generation) = (index, waiting[Int(index)].generation)
        waitingCount += 1
        let entry = LaneEntry(
            priority: priority, virtualTime: ticket.virtualTime, number: ticket.number, index: index,
            generation: ticket.generation)
        waiting[Int(index)].origin = origins.index(of: origin)
        open.insert(entry, origin: waiting[Int(index)].origin, in: &origins)
        mayServe()
    }

    /// Stops waiting. Does nothing for an operation that does not wait.
    func withdraw(_ ticket: inout Ticket) {
        guard ticket.index != Ticket.none else { return }
        if isWaiting(ticket.index, ticket.generation) { _ = takeClient(ticket.index) }
        ticket.index = Ticket.none
    }

    private func isWaiting(_ index: Int32, _ generation: UInt32) -> Bool {
        waiting.indices.contains(Int(index)) && waiting[Int(index)].generation == generation
    }

    /// The memory of many operations is not kept.
    private func becameEmpty() {
        guard open.count == 0, waitingCount == 0, waiting.count > Self.keptRowCount else { return }
        (waiting, freeIndices) = ([], [])
    }

    private func takeClient(_ index: Int32) -> (any SlotClient)? {
        guard let client = waiting[Int(index)].client.take() else { return nil }
        waiting[Int(index)].generation = 0
        waitingCount -= 1
        freeIndices.append(index)
        return client
    }

    /// Returns a slot.
    ///
    /// - Parameters:
    ///   - place: its place under the governor.
    ///   - isUnused: whether nothing was sent in it.
    func release(origin: Origin, place: GovernorPlace? = nil, isUnused: Bool = false) {
        if let place { leave(place, isUnused: isUnused) }
        freeSlot(origins.index(of: origin))
    }

    private func leave(_ place: GovernorPlace, isUnused: Bool) {
        place.leave(isUnused: isUnused)
        if isUnused, !place.isRefused { governor?.giveBack() }
    }

    private func freeSlot(_ origin: OriginTable.Index) {
        runningCount -= 1
        descriptors?.end()
        origins.freeSlot(origin)
        open.nominate(origin, in: origins)
        for (part, _) in parts { part.nominate(origin, in: origins) }
        if waitingCount > 0 || !parts.isEmpty { mayServe() }
    }

    /// From now on admits only operations that have begun a transfer before.
    ///
    /// - Returns: the operations that waited for their first slot, which are never admitted.
    @discardableResult
    func stopAdmittingNew() -> [any SlotClient] {
        isClosedToNew = true
        return waiting.indices.filter { waiting[$0].demand == .first }.compactMap { takeClient(Int32($0)) }
    }
}

// MARK: - Gates

extension Scheduler {
    /// There may be a free slot and an operation for it.
    func mayServe() { round?.add(self) }

    func addPart(_ part: GatePart) { parts.append((part, 0)) }

    /// The queues with operations that wait for a slot.
    var queues: [any GateSource] { parts.compactMap(\.part.source) }

    func removePart(_ part: GatePart) { parts.removeAll { $0.part === part } }

    func changeOrigins(_ change: (inout OriginTable) -> Void) { change(&origins) }

    /// The first operation of a part for which there is a slot.
    func firstStartable(of part: GatePart) -> LaneEntry? {
        guard !isClosedToNew, hasFreeSlot else { return nil }
        return part.first(in: origins)?.entry
    }
}

// MARK: - Serving

extension Scheduler {
    /// Gives the next slot, or removes a stale entry; nothing when there is no slot, or no operation for it.
    func serveNext() -> ServiceStep {
        guard hasFreeSlot else { return .nothing }
        guard let best = firstChoice else { return .nothing }
        guard let part = best.part else { return serveOpen(best) }
        // In the queue, an operation of another manager, or one without a slot, may come first.
        if let source = part.source, !source.gate.isFirst(best.candidate.entry, of: part) {
            return source.gate.serveFirst(of: source)
        }
        return serve(part, best)
    }

    /// Gives the next slot to the first operation of a part, whatever the turns: its queue has chosen the operation.
    func serve(_ part: GatePart) -> ServiceStep {
        guard !isClosedToNew, hasFreeSlot,
            let serviceNumber = parts.first(where: { $0.part === part })?.serviceNumber,
            let choice = choice(of: part, serviceNumber)
        else { return .nothing }
        return serve(part, choice)
    }

    private var firstChoice: Choice? {
        var best: Choice?
        if let candidate = open.first(in: origins) {
            best = Choice(
                part: nil, candidate: candidate, virtualTime: candidate.entry.virtualTime,
                serviceNumber: openServiceNumber)
        }
        if isClosedToNew || parts.isEmpty { return best }
        if best == nil, parts.count == 1 { return choice(of: parts[0].part, parts[0].serviceNumber) }
        for (part, serviceNumber) in parts {
            guard let choice = choice(of: part, serviceNumber), best.map(choice.goes(before:)) ?? true else { continue }
            best = choice
        }
        return best
    }

    private func choice(of part: GatePart, _ serviceNumber: UInt64) -> Choice? {
        guard part.source?.gate.isOpen == true, let candidate = part.first(in: origins) else { return nil }
        let now = fairQueue.now(priority: candidate.entry.priority)
        return Choice(
            part: part, candidate: candidate, virtualTime: part.virtualTime(of: candidate.entry, now: now),
            serviceNumber: serviceNumber)
    }

    private func serveOpen(_ choice: Choice) -> ServiceStep {
        let entry = choice.candidate.entry
        let client = isWaiting(entry.index, entry.generation) ? takeClient(entry.index) : nil
        if client != nil {
            openServiceNumber = takeSlot(for: choice, goesOn: waiting[Int(entry.index)].demand == .continuation)
        }
        open.removeFirst(choice.candidate, in: &origins)
        becameEmpty()
        client?.wasAdmitted()
        return client == nil ? .cleared : .started
    }

    private func serve(_ part: GatePart, _ choice: Choice) -> ServiceStep {
        guard let source = part.source else { return .nothing }
        let entry = choice.candidate.entry
        switch source.admit(entry) {
        case .closed:
            part.close()
            return .cleared
        case .stale:
            part.removeFirst(choice.candidate, in: &origins)
            part.leaveIfEmpty()
            return .cleared
        case .admitted(let operation):
            part.noteService(of: entry, at: choice.virtualTime)
            let number = takeSlot(for: choice)
            if let index = parts.firstIndex(where: { $0.part === part }) { parts[index].serviceNumber = number }
            part.removeFirst(choice.candidate, in: &origins)
            part.leaveIfEmpty()
            lastNumber += 1
            hand = Hand(
                operation: ObjectIdentifier(operation),
                ticket: Ticket(number: lastNumber, virtualTime: choice.virtualTime), origin: choice.candidate.origin)
            source.start(operation)
            // An operation that does not send at once, or not there, has left its slot.
            if let hand = hand.take(), !hand.isTaken {
                if let lastPlace { leave(lastPlace, isUnused: true) }
                freeSlot(hand.origin)
            }
            return .started
        }
    }

    /// - Returns: the number of the service.
    private func takeSlot(for choice: Choice, goesOn: Bool = false) -> UInt64 {
        runningCount += 1
        descriptors?.begin(for: self)
        lastPlace = origins.takeSlot(choice.candidate.origin, goesOn: goesOn, for: self)
        if let lastPlace, !lastPlace.isRefused, !goesOn { governor?.take(for: self) }
        fairQueue.serve(choice.virtualTime, priority: choice.candidate.entry.priority)
        lastServiceNumber += 1
        return lastServiceNumber
    }
}

// MARK: - Governed origins

extension Scheduler: DescriptorClient {
    func descriptorsWereReleased() { mayServe() }
}

extension Scheduler: GovernorClient {
    func mayBeginAgain(to origin: Origin?) {
        if let origin {
            guard let index = origins.knownIndex(of: origin) else { return }
            open.nominate(index, in: origins)
            for (part, _) in parts { part.nominate(index, in: origins) }
        }
        if waitingCount > 0 || !parts.isEmpty { mayServe() }
    }

    func waitingCount(for origin: Origin) -> Int {
        guard let index = origins.knownIndex(of: origin) else { return 0 }
        let openCount = waiting.count { $0.client != nil && $0.origin == index }
        return parts.reduce(openCount) { $0 + $1.part.waitingCount(for: index) }
    }

    /// Why an operation that waits for a slot of an origin has none, in half a sentence.
    func obstacle(to origin: Origin) -> String {
        let index = origins.knownIndex(of: origin)
        if let obstacle = index.flatMap({ origins.governed($0)?.obstacle }) ?? governor?.obstacle { return obstacle }
        if origins.limit < limit, let index, origins.runningCount(index) >= origins.limit {
            return "the manager runs \(Self.count(origins.limit)) to \(origin) at once"
                + " (maximumConcurrentTransferCountPerOrigin)"
        }
        if runningCount >= limit {
            return "the manager runs \(Self.count(limit)) at once (maximumConcurrentTransferCount)"
        }
        return descriptors?.obstacle ?? "other operations of the manager go first"
    }

    private static func count(_ limit: Int) -> String {
        limit == 1 ? "no more than 1 transfer" : "no more than \(limit) transfers"
    }
}
