// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The slot of one operation in its scheduler, the transfer that runs in it, and their times.
///
/// A part of the operation's runner; network thread only. It decides nothing: `RequestMachine` does.
struct HopSlot {
    private let services: NetworkServices
    private let scheduler: Scheduler
    private var ticket: Scheduler.Ticket
    private var isQueued = false
    /// Nil while the operation waits for a slot, and during a pause.
    private var granted: TransferSlot?
    /// Whether the slot is the one with which the operation was started, and no hop has it yet.
    private var isUnclaimed = false
    /// The transfer, also a paused one.
    private(set) var transfer: (any Transfer)?
    private(set) var account: TransferAccount
    /// Whether the last hop found no file descriptor.
    private var lacksDescriptor = false
    private var loneShortageCount = 0

    /// - Parameters:
    ///   - granted: the slot with which the operation is started, if it has one.
    ///   - began: when it became ready; 0 for now.
    init(
        _ services: NetworkServices, flow: Int, priority: Int, startedWith granted: TransferSlot?, began: UInt64
    ) {
        (self.services, scheduler) = (services, services.scheduler)
        ticket = scheduler.makeTicket(flow: flow, priority: priority, startedWith: granted)
        (self.granted, isUnclaimed) = (granted, granted != nil)
        account = TransferAccount(began: began != 0 ? began : MonotonicClock.now())
    }

    /// The place of the slot under the governor; nil without a slot, and without a governor.
    var place: GovernorPlace? { granted?.place }

    mutating func limitTime(to limit: UInt64?) { account.limitTime(to: limit) }

    /// Subtracts time without a slot from the time limit.
    mutating func charge(_ nanoseconds: UInt64) { account.charge(nanoseconds) }

    mutating func recordRedirect() { account.noteRedirect() }
}

@available(*, unavailable)
extension HopSlot: Sendable {}

// MARK: - The slot

extension HopSlot {
    /// Uses the slot with which the operation was started for its first hop; false when there is none for the origin.
    mutating func claim(for origin: Origin) -> Bool {
        if isUnclaimed, granted?.origin == origin {
            isUnclaimed = false
            return true
        }
        releaseUnclaimed()
        return false
    }

    /// Releases the slot with which the operation was started, unless its first hop has it: an operation that does not
    /// send at once does not keep others from sending.
    mutating func releaseUnclaimed() {
        guard isUnclaimed else { return }
        isUnclaimed = false
        release(isUnused: true)
    }

    /// Asks for a slot, with the operation's priority at this moment.
    mutating func enqueue(to origin: Origin, priority: Int, _ demand: SlotDemand, client: any SlotClient) {
        withdraw()
        isQueued = true
        scheduler.enqueue(&ticket, origin: origin, priority: priority, demand: demand, client: client)
    }

    /// Stops asking for a slot.
    mutating func withdraw() {
        guard isQueued else { return }
        isQueued = false
        scheduler.withdraw(&ticket)
    }

    mutating func accept(_ slot: TransferSlot) {
        (isQueued, granted) = (false, slot)
        if lacksDescriptor { services.transport.closeIdleConnections() }
        lacksDescriptor = false
    }

    private mutating func release(isUnused: Bool = false) {
        if let slot = granted.take() { scheduler.release(slot, isUnused: isUnused) }
    }

    /// The reason for which a waiting operation has no slot, as part of a sentence.
    func obstacle(to origin: Origin) -> String? { scheduler.obstacle(to: origin) }
}

// MARK: - The transfer

extension HopSlot {
    /// A transfer is about to begin.
    ///
    /// - Returns: its deadline.
    mutating func beginTransfer(now: UInt64) -> UInt64 { account.beginTransfer(now: now) }

    /// The transfer has begun.
    mutating func fill(with transfer: any Transfer) { self.transfer = transfer }

    /// Pauses the transfer: it keeps its connection, not its slot.
    mutating func pause(now: UInt64) {
        account.charge(now: now)
        transfer?.pause()
        release()
    }

    /// Continues the paused transfer.
    mutating func resume(now: UInt64) { transfer?.resume(deadline: account.goOn(now: now)) }

    mutating func transferContinues(after metrics: TransferMetrics, now: UInt64) {
        account.beginAgain(after: metrics, now: now)
    }

    mutating func transferEnded(_ metrics: TransferMetrics, now: UInt64) {
        if granted != nil { account.charge(now: now) }  // a paused transfer has no slot
        leave(metrics)
    }

    /// Gives up the slot of the last hop, if it still has one, before a stage that waits without a slot.
    mutating func leaveHop() { if !isUnclaimed { abort() } }

    /// Gives up the transfer and the slot.
    mutating func abort() {
        let isUnused = transfer?.hasBegunSending != true
        leave(transfer?.abort(), isUnused: isUnused)
    }

    private mutating func leave(_ metrics: TransferMetrics?, isUnused: Bool = false) {
        if let metrics { account.note(metrics) }
        transfer = nil
        withdraw()
        isUnclaimed = false
        release(isUnused: isUnused)
    }

    /// Gives up a transfer for a pause.
    mutating func interrupt(now: UInt64) {
        if transfer != nil, granted != nil { account.charge(now: now) }
        abort()
    }

    /// How often a hop is admitted again that found no descriptor while no other transfer of the process ran.
    private static let loneShortageLimit = 3

    /// Releases the slot of a hop that found no file descriptor.
    ///
    /// - Returns: whether the hop may be admitted again: when another transfer has ended, or when idle connections were
    ///   closed.
    mutating func awaitsDescriptor(after error: NetworkingError?) -> Bool {
        guard let shortage = error?.descriptorShortage, account.hasTimeLeft else { return false }
        if granted != nil { abort() } else { account.forgetTransfer() }
        services.transport.keepFewConnections()
        lacksDescriptor = true
        if scheduler.descriptors?.limitToRunning(after: shortage) == true { return true }
        loneShortageCount += 1
        return loneShortageCount <= Self.loneShortageLimit
    }
}
