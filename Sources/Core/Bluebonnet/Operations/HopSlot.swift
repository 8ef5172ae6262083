// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The slot of one operation in its scheduler, and the transfer that runs in it. A part of its runner; network thread
/// only.
struct HopSlot {
    private enum State {
        case none
        /// The operation was started with a slot, and has not come to its first hop.
        case unclaimed(TransferSlot)
        case waiting(Origin)
        /// The slot is there, and no transfer runs in it yet.
        case granted(TransferSlot)
        case transfer(any Transfer, TransferSlot)
        /// Paused with its connection kept, because an unsafe method is never sent twice; it has no slot.
        case held(any Transfer, Origin)
        /// Resumed, and waiting for a slot again.
        case waitingHeld(any Transfer, Origin)
    }

    /// What follows when the slot is granted.
    enum Grant {
        case next(Origin)
        /// The transfer that was held goes on.
        case heldTransfer(any Transfer)
    }

    private let services: NetworkServices
    private let scheduler: Scheduler
    private var ticket: Scheduler.Ticket
    private var state = State.none
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
        if let granted { state = .unclaimed(granted) }
        account = TransferAccount(began: began != 0 ? began : MonotonicClock.now())
    }

    /// Whether the operation has a slot, or is to go on with a transfer.
    var isUnderWay: Bool {
        switch state {
        case .granted, .transfer, .waitingHeld: true
        case .waiting: account.wasAdmitted
        case .none, .unclaimed, .held: false
        }
    }

    /// The place of the slot under the governor; nil without a slot, and without a governor.
    var place: GovernorPlace? {
        switch state {
        case .granted(let slot), .transfer(_, let slot): slot.place
        case .none, .unclaimed, .waiting, .held, .waitingHeld: nil
        }
    }

    /// The transfer that reads from its connection.
    var transfer: (any Transfer)? { if case .transfer(let transfer, _) = state { transfer } else { nil } }

    mutating func limitTime(to limit: UInt64?) { account.limitTime(to: limit) }

    /// A wait without a slot counts against the time limit.
    mutating func charge(_ nanoseconds: UInt64) { account.charge(nanoseconds) }

    mutating func noteRedirect() { account.noteRedirect() }

    // MARK: The slot

    /// The stage `admission`: asks for a slot.
    ///
    /// - Returns: the next stage, when the operation was started with a slot for the origin, or when a drained manager
    ///   begins no operation; nil while the operation waits.
    mutating func enqueue(to origin: Origin, priority: Int, client: any SlotClient) -> RequestStage? {
        if case .unclaimed(let slot) = state, slot.origin == origin {
            state = .granted(slot)
            return .adaptation(origin)
        }
        releaseUnclaimed()
        if services.isDrained, !account.wasAdmitted { return .end(.failed(.drained)) }
        state = .waiting(origin)
        wait(for: origin, priority, account.wasAdmitted ? .another : .first, client)
        return nil
    }

    private mutating func wait(for origin: Origin, _ priority: Int, _ demand: SlotDemand, _ client: any SlotClient) {
        scheduler.enqueue(&ticket, origin: origin, priority: priority, demand: demand, client: client)
    }

    /// Releases the slot with which the operation was started, unless its first hop has it: what does not send at once
    /// does not keep others from sending.
    mutating func releaseUnclaimed() {
        guard case .unclaimed(let slot) = state else { return }
        state = .none
        scheduler.release(slot, isUnused: true)
    }

    /// A transfer that is held waits for a slot again.
    mutating func enqueueHeld(priority: Int, client: any SlotClient) {
        guard case .held(let transfer, let origin) = state else { return }
        state = .waitingHeld(transfer, origin)
        wait(for: origin, priority, .continuation, client)
    }

    /// Whether a transfer is to begin as soon as there is a slot.
    var isWaiting: Bool { if case .waiting = state { true } else { false } }

    /// Stops waiting for a first slot; false when the operation does not.
    mutating func withdraw() -> Bool {
        guard isWaiting else { return false }
        scheduler.withdraw(&ticket)
        state = .none
        return true
    }

    /// The operation waits no longer: it has a slot.
    mutating func accept(_ slot: TransferSlot) -> Grant {
        switch state {
        case .waiting(let origin):
            state = .granted(slot)
            if lacksDescriptor { services.transport.closeIdleConnections() }
            lacksDescriptor = false
            return .next(origin)
        case .waitingHeld(let transfer, _):
            state = .transfer(transfer, slot)
            return .heldTransfer(transfer)
        case .none, .unclaimed, .granted, .transfer, .held:
            preconditionFailure("a transfer that does not wait got a slot")
        }
    }

    // MARK: The transfer

    /// The origin of the slot that no transfer runs in; nil when there is none.
    var grantedOrigin: Origin? { if case .granted(let slot) = state { slot.origin } else { nil } }

    /// A transfer is about to begin.
    ///
    /// - Returns: its deadline.
    mutating func beginTransfer(now: UInt64) -> UInt64 {
        account.beginTransfer(now: now)
    }

    /// The transfer has begun in the slot.
    mutating func fill(with transfer: any Transfer) {
        guard case .granted(let slot) = state else { preconditionFailure("a transfer has begun without a slot") }
        state = .transfer(transfer, slot)
    }

    /// The transfer that was held is about to go on.
    ///
    /// - Returns: its deadline.
    mutating func goOn(now: UInt64) -> UInt64 { account.goOn(now: now) }

    mutating func noteNewConnection(after metrics: TransferMetrics, now: UInt64) {
        account.beginAgain(after: metrics, now: now)
    }

    /// The transfer has ended; a paused one that its server ends has no slot.
    mutating func transferEnded(_ metrics: TransferMetrics, now: UInt64) {
        switch state {
        case .transfer(_, let slot):
            scheduler.release(slot)
            account.charge(now: now)
        case .waitingHeld: scheduler.withdraw(&ticket)
        case .none, .unclaimed, .waiting, .granted, .held: break
        }
        account.note(metrics)
        state = .none
    }

    /// Frees the slot for a pause. GET and HEAD close their connection and continue with a range request; any other
    /// request that is being sent keeps it.
    ///
    /// - Returns: whether the operation goes on with a new transfer.
    mutating func hold(_ exchange: Exchange?, now: UInt64) -> Bool {
        switch state {
        case .transfer(let transfer, let slot):
            account.charge(now: now)
            if exchange?.canBeSentAgain == true || !transfer.hasBegunSending {
                exchange?.noteInterruption()  // first: once the connection is closed, a file may be changed by others
                abort()
                return true
            }
            transfer.pause()
            state = .held(transfer, slot.origin)
            scheduler.release(slot)
            return false
        case .waitingHeld(let transfer, let origin):
            scheduler.withdraw(&ticket)
            state = .held(transfer, origin)
            return false
        case .held: return false
        case .none, .unclaimed, .waiting, .granted:
            abort()
            return true
        }
    }

    /// How often a hop is admitted again that found no descriptor while no other transfer of the process ran.
    private static let loneShortageLimit = 3

    /// Releases the slot when the hop found no file descriptor.
    ///
    /// - Returns: whether the hop may be admitted again: when another transfer has ended, or when idle connections were
    ///   closed.
    mutating func awaitsDescriptor(after error: NetworkingError?) -> Bool {
        guard let shortage = error?.descriptorShortage, account.hasTimeLeft else { return false }
        if case .granted = state { abort() } else { account.forgetTransfer() }
        services.transport.keepFewConnections()
        lacksDescriptor = true
        if scheduler.descriptors?.limitToRunning(after: shortage) == true { return true }
        loneShortageCount += 1
        return loneShortageCount <= Self.loneShortageLimit
    }

    /// Why an operation that waits for a slot has none, in half a sentence; nil when it does not wait.
    var obstacle: String? {
        switch state {
        case .waiting(let origin), .waitingHeld(_, let origin): scheduler.obstacle(to: origin)
        case .none, .unclaimed, .granted, .transfer, .held: nil
        }
    }

    /// Gives up slot and transfer.
    mutating func abort() {
        switch state {
        case .none: return
        case .waiting: scheduler.withdraw(&ticket)
        case .unclaimed(let slot), .granted(let slot): scheduler.release(slot, isUnused: true)
        case .transfer(let transfer, let slot):
            let isUnused = !transfer.hasBegunSending
            account.note(transfer.abort())
            scheduler.release(slot, isUnused: isUnused)
        case .held(let transfer, _): account.note(transfer.abort())
        case .waitingHeld(let transfer, _):
            scheduler.withdraw(&ticket)
            account.note(transfer.abort())
        }
        state = .none
    }
}

@available(*, unavailable)
extension HopSlot: Sendable {}
