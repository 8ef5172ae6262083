// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The slot of one operation in its scheduler, the transfer that uses the slot, and their times.
///
/// Belongs to the operation's runner; network thread only. It decides nothing; `RequestMachine` does.
struct HopSlot {
    private let services: NetworkServices
    private let scheduler: Scheduler
    private var ticket: Scheduler.Ticket
    private var isQueued = false
    /// The origin for which the operation last waited for a slot.
    private var awaitedOrigin: Origin?
    /// Nil while the operation waits for a slot, and during a pause.
    private var granted: TransferSlot?
    /// Whether the operation was started with this slot, and no hop uses it yet.
    private var isUnclaimed = false
    /// The current transfer, running or paused.
    private(set) var transfer: (any Transfer)?
    private(set) var account: TimeBudget
    /// The measurements of the last transfer that has ended.
    private(set) var lastMetrics = TransferMetrics()
    /// Whether the last hop found no file descriptor.
    private var lacksDescriptor = false
    private var loneShortageCount = 0

    /// - Parameters:
    ///   - granted: the slot that the operation is started with; nil without a slot.
    ///   - began: when the operation became ready; 0 means now.
    init(
        _ services: NetworkServices, flow: Int, priority: Int, startedWith granted: TransferSlot?, began: UInt64
    ) {
        (self.services, scheduler) = (services, services.scheduler)
        ticket = scheduler.makeTicket(flow: flow, priority: priority, startedWith: granted)
        (self.granted, isUnclaimed) = (granted, granted != nil)
        account = TimeBudget(began: began != 0 ? began : services.clock.now())
    }

    /// The governor's permit of the slot; nil without a slot, and without a governor.
    var place: GovernorPermit? { granted?.place }

    mutating func limitTime(to limit: UInt64?) { account.limitTime(to: limit) }

    /// Subtracts time without a slot from the time limit.
    mutating func charge(_ nanoseconds: UInt64) { account.charge(nanoseconds) }

    mutating func recordRedirect() { account.recordRedirect() }
}

@available(*, unavailable)
extension HopSlot: Sendable {}

// MARK: - The slot

extension HopSlot {
    /// Uses the slot that the operation was started with for the first hop. Returns false if there is no such slot for
    /// the origin.
    mutating func claim(for origin: Origin) -> Bool {
        if isUnclaimed, granted?.origin == origin {
            isUnclaimed = false
            return true
        }
        releaseUnclaimed()
        return false
    }

    /// Releases the slot that the operation was started with, unless the first hop uses it: an operation that does not
    /// send immediately must not keep others from sending.
    mutating func releaseUnclaimed() {
        guard isUnclaimed else { return }
        isUnclaimed = false
        release(isUnused: true)
    }

    /// Waits for a slot, with the operation's current priority.
    mutating func enqueue(to origin: Origin, priority: Int, _ demand: SlotDemand, client: any SlotClient) {
        withdraw()
        (isQueued, awaitedOrigin) = (true, origin)
        scheduler.enqueue(&ticket, origin: origin, priority: priority, demand: demand, client: client)
    }

    /// Stops waiting for a slot.
    mutating func withdraw() {
        guard isQueued else { return }
        isQueued = false
        scheduler.withdraw(&ticket)
    }

    mutating func accept(_ slot: TransferSlot) {
        (isQueued, granted) = (false, slot)
        divideSlotWait(now: services.clock.now())
        if lacksDescriptor { services.transport.closeIdleConnections() }
        lacksDescriptor = false
    }

    private mutating func release(isUnused: Bool = false) {
        if let slot = granted.take() { scheduler.release(slot, isUnused: isUnused) }
    }

    /// Returns why a waiting operation has no slot.
    func waitReason(to origin: Origin) -> WaitReason { scheduler.waitReason(to: origin) }

    /// Whether an origin gets no requests now: its server has asked clients to wait, or its circuit breaker is open.
    func isBlocked(_ origin: Origin) -> Bool {
        switch scheduler.waitReason(to: origin).kind {
        case .hold, .breaker: true
        default: false
        }
    }

    /// Attributes the time of the operation to its current activity, and begins the next activity.
    mutating func change(to next: TimeBudget.Activity) {
        guard next != account.activity else { return }
        let now = services.clock.now()
        divideSlotWait(now: now)
        account.change(to: next, now: now)
    }

    /// Attributes the time for which the operation has waited for a slot.
    private mutating func divideSlotWait(now: UInt64) {
        guard account.activity == .slot, let origin = awaitedOrigin else { return }
        let waits = scheduler.waits(to: origin, from: account.cursor, to: now)
        account.divide(waits.parts, rest: .wait(waits.rest), now: now)
    }

    /// Attributes the time between the operation's addition to its queue and now.
    ///
    /// - Parameter queueWaits: divides a time in the queue; called only if the operation has waited.
    mutating func divideFirstWait(_ wait: FirstWait, queueWaits: (_ start: UInt64, _ end: UInt64) -> QueueWaits) {
        account.add(wait.pauseTime, to: .wait(.pause))
        account.add(wait.dependencyTime, to: .wait(.dependency))
        let now = services.clock.now()
        guard wait.enqueuedAt > 0, now > account.cursor + Self.shortestWait else { return }
        var parts = queueWaits(account.cursor, now)
        var rest = TimeShares.Share.phase(.preparation)
        if let origin = granted?.origin {
            let waits = scheduler.waits(to: origin, from: account.cursor, to: now)
            parts.others += waits.parts
            rest = waits.isBinding ? .wait(waits.rest) : rest
        }
        if parts.isLimitReached { rest = .wait(.queueLimit) }
        account.divide(parts.others, rest: rest, now: now)
    }

    /// In nanoseconds. A shorter time in a queue does not count as waiting: it is the delay of the network thread.
    private static let shortestWait: UInt64 = 100_000
}

// MARK: - The transfer

extension HopSlot {
    /// Records that a transfer is about to begin.
    ///
    /// - Returns: the deadline of the transfer.
    mutating func beginTransfer(now: UInt64) -> UInt64 { account.beginTransfer(now: now) }

    /// Stores the transfer that has begun.
    mutating func fill(with transfer: any Transfer) { self.transfer = transfer }

    /// Pauses the transfer. It keeps its connection, and releases its slot.
    mutating func pause(now: UInt64) {
        account.charge(now: now)
        account.change(to: .share(.wait(.pause)), now: now)
        transfer?.pause()
        release()
    }

    /// Begins to charge the time of the paused transfer, which the caller continues.
    ///
    /// - Returns: the transfer's deadline.
    mutating func resume(now: UInt64) -> UInt64 {
        change(to: .transfer)
        return account.beginCharging(now: now)
    }

    /// Forgets the delivery of a stored response.
    mutating func endStored() { transfer = nil }

    mutating func transferContinues(after metrics: TransferMetrics, now: UInt64) {
        account.beginAgain(after: metrics, now: now)
    }

    mutating func transferEnded(_ metrics: TransferMetrics, now: UInt64) {
        if granted != nil { account.charge(now: now) }  // a paused transfer has no slot
        leave(metrics, now: now)
    }

    /// Releases the slot of the last hop, if it still has a slot, before a stage that waits without a slot.
    mutating func releaseHop() { if !isUnclaimed { abort() } }

    /// Aborts the transfer and releases the slot.
    mutating func abort() {
        let isUnused = transfer?.hasBegunSending != true
        let metrics = transfer?.abort()
        leave(metrics, now: metrics == nil ? 0 : services.clock.now(), isUnused: isUnused)
    }

    /// - Parameter now: read only if there was a transfer.
    private mutating func leave(_ metrics: TransferMetrics?, now: UInt64, isUnused: Bool = false) {
        if let metrics {
            account.record(metrics, now: now)
            lastMetrics = metrics
        }
        transfer = nil
        withdraw()
        isUnclaimed = false
        release(isUnused: isUnused)
    }

    /// Aborts a transfer for a pause.
    mutating func interrupt(now: UInt64) {
        if transfer != nil, granted != nil { account.charge(now: now) }
        abort()
    }

    /// How often a hop is admitted again after it found no descriptor while no other transfer of the process was
    /// running.
    private static let loneShortageLimit = 3

    /// Releases the slot of a hop that found no file descriptor.
    ///
    /// - Returns: whether the hop may be admitted again: after another transfer has ended, or after idle connections
    ///   were closed.
    mutating func releaseForDescriptor(after error: NetworkingError?) -> Bool {
        guard let shortage = error?.descriptorShortage, account.hasTimeLeft else { return false }
        if granted != nil { abort() } else { account.forgetTransfer() }
        services.transport.keepFewConnections()
        lacksDescriptor = true
        if scheduler.descriptors?.limitToRunning(after: shortage) == true { return true }
        loneShortageCount += 1
        return loneShortageCount <= Self.loneShortageLimit
    }
}
