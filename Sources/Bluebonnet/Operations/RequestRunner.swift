// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// Runs one operation on the network thread: prepares its request, waits for a slot, makes one transfer after another
/// (redirects, answers to challenges, continuations), and reports the end exactly once.
///
/// Network thread only. It carries out the lifecycle's effects in order, and ignores them after the end. It knows no
/// serializers.
final class RequestRunner: AdmissionClient {
    enum Phase {
        /// Nothing runs: before the first `begin`, or paused.
        case idle
        /// The request is being made or its files opened, off this thread.
        case preparing
        case waiting(Origin)
        /// The server cannot be reached, and the operation waits for connectivity.
        case waitingForConnectivity(ConnectivityGate.Ticket)
        /// Admitted, while its files are opened off this thread.
        case opening(Origin)
        case transferring(any Transfer, Origin)
        /// Paused with its connection kept: an unsafe method is never sent twice.
        case heldInPlace(any Transfer, Origin)
        case waitingToContinue(any Transfer, Origin)
        /// The transfer has ended, and a block of the user decides what follows.
        case deciding
        /// The last transfer has ended, and its body is still being written to a stream or file.
        case closing
        case ended
    }

    let operation: RequestOperation
    let admission: Admission
    let ticket: AdmissionQueue.Ticket
    var phase = Phase.idle
    var isHeld = false
    /// Whether files are being opened, which happens once even when the operation is paused and resumed meanwhile.
    var isOpening = false

    /// The cache was asked.
    var hasLookedUp = false
    /// Nil when there is no cache.
    var cacheExchange: CacheExchange?

    /// The checked request; nil before it was made.
    var prepared: PreparedRequest?
    /// The exchange; nil before the first admission, because many operations may wait for it.
    var exchange: Exchange?
    /// When it could begin.
    private let began: UInt64
    /// When the operation was first admitted.
    private var admitted: UInt64?
    /// When the current transfer began, and from when it counts against the time limit, which excludes pauses.
    private var transferBegan: UInt64 = 0
    private var chargedSince: UInt64 = 0
    var remainingTime: UInt64?
    var summary = TransferSummary()
    /// The origin of the next transfer; nil when the URL has no usable origin.
    var nextOrigin: Origin? {
        if let exchange { exchange.nextOrigin } else { prepared?.origin }
    }

    init(_ operation: RequestOperation) {
        self.operation = operation
        admission = operation.services.admission
        let (flow, queue, began) = operation.shared.withLock { state in
            (state.flowID, state.queue, state.readyInstant != 0 ? state.readyInstant : state.startInstant)
        }
        self.began = began != 0 ? began : MonotonicClock.now()
        ticket = admission.makeTicket(
            flow: flow, priority: operation.queuePriority.rawValue,
            counts: queue?.waitingCounts(for: operation.services))
    }
}

@available(*, unavailable)
extension RequestRunner: Sendable {}

// MARK: - The lifecycle's effects

extension RequestRunner {
    /// Begins, or continues after `hold()`.
    func begin() {
        isHeld = false
        switch phase {
        case .idle where prepared == nil: prepare()
        case .idle: lookUpOrEnqueue()
        case .heldInPlace(let transfer, let origin): waitToContinue(transfer, origin)
        case .preparing, .waiting, .waitingForConnectivity, .opening, .transferring, .waitingToContinue, .deciding,
            .closing, .ended:
            return
        }
    }

    /// Pauses the transfer, keeps the bytes that arrived, and frees the slot.
    func hold() {
        isHeld = true
        switch phase {
        case .waiting:
            admission.withdraw(ticket)
            phase = .idle
        case .waitingForConnectivity(let wait):
            withdraw(wait)
            phase = .idle
        case .waitingToContinue(let transfer, let origin):
            admission.withdraw(ticket)
            phase = .heldInPlace(transfer, origin)
        case .opening(let origin):
            admission.release(origin: origin)
            phase = .idle
        case .transferring(let transfer, let origin):
            chargeTime()
            hold(transfer, origin)
            admission.release(origin: origin)
        case .idle, .preparing, .heldInPlace, .deciding, .closing, .ended: return
        }
    }

    /// Ends the operation.
    func abort() {
        abort(with: NetworkingError(.cancelled, "the operation was cancelled"))
    }

    func abort(with error: NetworkingError) {
        switch phase {
        case .ended: return
        case .waiting: admission.withdraw(ticket)
        case .waitingForConnectivity(let wait): withdraw(wait)
        case .opening(let origin): admission.release(origin: origin)
        case .waitingToContinue(let transfer, _):
            admission.withdraw(ticket)
            account(transfer.abort())
        case .heldInPlace(let transfer, _): account(transfer.abort())
        case .transferring(let transfer, let origin):
            account(transfer.abort())
            admission.release(origin: origin)
        case .idle, .preparing, .deciding, .closing: break
        }
        end(with: error)
    }

    /// Closes the connection of GET and HEAD, which continue with a range request; keeps the connection of any other
    /// request that is being sent.
    private func hold(_ transfer: any Transfer, _ origin: Origin) {
        if exchange?.canBeSentAgain == true || !transfer.hasBegunSending {
            exchange?.noteInterruption()  // first: once the connection is closed, a file may be changed by others
            account(transfer.abort())
            phase = .idle
        } else {
            transfer.pause()
            phase = .heldInPlace(transfer, origin)
        }
    }
}

// MARK: - Admission and transfers

extension RequestRunner {
    func waitForAdmission(_ origin: Origin) {
        phase = .waiting(origin)
        admission.enqueue(ticket, origin: origin, priority: operation.queuePriority.rawValue, client: self)
    }

    func wasAdmitted() {
        switch phase {
        case .waiting(let origin): openFiles(origin)
        case .waitingToContinue(let transfer, let origin): goOn(transfer, origin)
        default: preconditionFailure("a transfer was let in that does not wait")
        }
    }

    /// Whether the operation was admitted, and has neither ended nor been paused since.
    var isUnderWay: Bool {
        switch phase {
        case .opening, .transferring, .waitingToContinue, .deciding, .closing: true
        case .waiting, .waitingForConnectivity: admitted != nil
        case .idle, .preparing, .heldInPlace, .ended: false
        }
    }

    func beginTransfer(_ origin: Origin, _ exchange: Exchange) {
        let now = MonotonicClock.now()
        if admitted == nil {
            admitted = now
            ticket.hasNeverStarted = false
            summary.timings.nanoseconds.queued = now - began
        }
        transferBegan = now
        chargedSince = now
        summary.attemptCount += 1
        let deadline = remainingTime.map { now + $0 } ?? .max
        let request = exchange.transferRequest(to: origin, deadline: deadline)
        phase = .transferring(operation.services.transport.begin(request, delegate: self), origin)
    }

    /// Enters admission again with the operation's new priority.
    func priorityChanged() {
        guard case .waiting = phase else { return }
        admission.withdraw(ticket)
        enqueue()
    }

    private func waitToContinue(_ transfer: any Transfer, _ origin: Origin) {
        phase = .waitingToContinue(transfer, origin)
        admission.enqueue(ticket, origin: origin, priority: operation.queuePriority.rawValue, client: self)
    }

    private func goOn(_ transfer: any Transfer, _ origin: Origin) {
        let now = MonotonicClock.now()
        chargedSince = now
        exchange?.noteContinuation(now: now)
        phase = .transferring(transfer, origin)
        transfer.resume(deadline: remainingTime.map { now + $0 } ?? .max)
    }

    /// Subtracts the transfer's time from the time limit of the whole request.
    private func chargeTime() {
        guard let remainingTime else { return }
        let used = MonotonicClock.now() - chargedSince
        self.remainingTime = remainingTime > used ? remainingTime - used : 0
    }

    private func account(_ metrics: TransferMetrics) {
        summary.timings.nanoseconds.nameLookup += metrics.nameLookup
        summary.timings.nanoseconds.connect += metrics.connect
        summary.timings.nanoseconds.tls += metrics.tls
        summary.isReused = metrics.isReused
        summary.sharedTLSInformation = metrics.tlsInformation
        if metrics.firstByte > 0, let admitted {
            summary.timings.nanoseconds.firstByte = transferBegan - admitted + metrics.firstByte
        }
    }

    func end(with error: NetworkingError?) {
        phase = .ended
        summary.timings.nanoseconds.total = MonotonicClock.now() - began
        exchange?.flushProgress()
        let result = Box(
            exchange?.result(error, summary, cacheExchange)
                ?? TransferResult(
                    request: prepared?.request ?? operation.readyRequest, error: error, summary: summary))
        (prepared, exchange) = (nil, nil)
        operation.transferEnded(result)
    }
}

// MARK: - The transport's reports

extension RequestRunner: TransferDelegate {
    func transferDidSend(bodyByteCount: Int) {
        exchange?.noteSent(bodyByteCount)
    }

    func transferDidStartAgain() {
        exchange?.noteSendingStartedAgain()
    }

    func transferBeginsAgain(after metrics: TransferMetrics) {
        account(metrics)
        transferBegan = MonotonicClock.now()
    }

    func transferDidReceive(head: ResponseHead) throws(NetworkingError) {
        try exchange?.receive(head)
    }

    func transferDidReceive(bytes: UnsafeRawBufferPointer) throws(NetworkingError) -> BodyIntake {
        try exchange?.receive(bytes) ?? .taken
    }

    var bodyDeadline: UInt64 { exchange?.bodyDeadline ?? .max }

    func transferDidFind(_ violation: PinViolation) {
        prepared?.blocks.pinViolation?(violation)
    }

    func transferDidEnd(error: NetworkingError?, metrics: TransferMetrics) {
        // A paused transfer that its server ends holds no slot.
        if case .transferring(_, let origin) = phase {
            admission.release(origin: origin)
            chargeTime()
        }
        if case .waitingToContinue = phase { admission.withdraw(ticket) }
        account(metrics)
        phase = .idle
        if let exchange { take(exchange.finishTransfer(error: error, hasTimeLeft: remainingTime != 0), exchange) }
    }
}
