// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// One transfer over a `SimulatedNetwork`: reads the request's body, lets the program's block answer, and delivers the
/// answer step by step. Each step is separate work on the network thread, so that other work can run in between.
///
/// Network thread only. As with libcurl, a `TransferMachine` determines time limits and the response's end.
final class SimulatedTransfer: Transfer {
    private enum Phase {
        /// Reading the request's body.
        case sending
        /// Waiting for the block's answer.
        case asking(Task<Void, Never>)
        case answering
        /// Waiting for time to advance.
        case waiting
        case stalled
        case over
    }

    private static let pieceByteCount = 64 * 1024

    private let request: TransferRequest
    private let network: SimulatedNetwork
    private let stage: NetworkBound<SimulatedStage>
    private var number = 0
    private var delegate: (any TransferDelegate)?
    private var machine: TransferMachine
    private var instants: SimulatedInstants
    private var phase = Phase.sending
    private var body = Data()
    private var toldByteCount = 0
    private var steps: ArraySlice<SimulatedStep> = []
    private(set) var hasBegunSending = true
    private var isScheduled = false
    private var isBusy = false
    /// The number of received bytes of the response's body.
    private(set) var receivedByteCount: Int64 = 0
    /// The deadline of the whole transfer.
    private var deadline = UInt64.max
    /// The deadline of an unanswered attempt to connect; else nil.
    private var connectDeadline: UInt64?
    private var limitTimer: (ticket: NetworkTimers.Ticket, instant: UInt64)?

    init(
        _ request: TransferRequest, _ delegate: any TransferDelegate, _ network: SimulatedNetwork,
        _ stage: NetworkBound<SimulatedStage>
    ) {
        (self.request, self.delegate, self.network, self.stage) = (request, delegate, network, stage)
        machine = TransferMachine(request)
        instants = SimulatedInstants(network)
    }

    func begin() {
        number = stage.value.add(self)
        let now = instants.now
        deadline = instants.deadline(request.limits.deadline)
        machine.resume(deadline: deadline, now: now)
        machine.beginSending(now: now)
        watchLimits()
        schedule()
    }

    func abort() -> TransferMetrics {
        close()
        return metrics
    }

    func pause() {
        machine.pause()
        instants.pause()
        setBusy(false)
    }

    func resume(deadline: UInt64) {
        self.deadline = instants.resume(deadline: deadline)
        machine.resume(deadline: self.deadline, now: instants.now)
        watchLimits()
        schedule()
    }

    func resumeReceiving() {
        machine.decisionCame(now: instants.now)
        guard machine.flow != .paused else { return }
        if machine.flow == .backPressured {
            machine.resumeReceiving(now: instants.now)
            schedule()
        }
        watchLimits()
    }

    private var metrics: TransferMetrics {
        var metrics = TransferMetrics()
        metrics.simulatedTime = instants.usedTime
        metrics.trailers = machine.response.trailers.map { Box($0) }
        return metrics
    }
}

@available(*, unavailable)
extension SimulatedTransfer: Sendable {}

// MARK: - Steps

extension SimulatedTransfer {
    /// Schedules the next step.
    private func schedule() {
        switch phase {
        case .sending, .answering: break
        case .asking: return setBusy(machine.flow != .paused)
        case .waiting, .stalled, .over: return
        }
        guard !isScheduled else { return }
        isScheduled = true
        setBusy(true)
        NetworkThread.shared.submit { [stage, number] in stage.value[number]?.step() }
    }

    private func step() {
        isScheduled = false
        guard machine.flow == .open else { return setBusy(false) }
        do throws(NetworkingError) {
            switch phase {
            case .sending: try sendPiece()
            case .answering: try answerOn()
            case .asking, .waiting, .stalled, .over: break
            }
        } catch {
            end(error)
        }
    }

    private func setBusy(_ isBusy: Bool) {
        guard isBusy != self.isBusy else { return }
        self.isBusy = isBusy
        network.time?.changeBusyCount(by: isBusy ? 1 : -1)
    }

    // MARK: The request

    private func sendPiece() throws(NetworkingError) {
        var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
        let result = piece.withUnsafeMutableBytes { buffer in
            Result { () throws(NetworkingError) in try machine.readBody(into: buffer, now: instants.now) }
        }
        switch try result.get() {
        case 0?: ask()
        case let count?:
            body += piece.prefix(count)
            schedule()
        case nil: request.whenBodyIsReady { [weak self] in self?.schedule() }
        }
    }

    private func ask() {
        let asked = SimulatedRequest(
            url: request.url, method: request.method, headers: HeaderFields(request.headers), body: body,
            trailers: request.body.trailers ?? HeaderFields())
        phase = .asking(
            Task { [network, stage, number] in
                let steps = await network.answer(asked)
                NetworkThread.shared.submit { stage.value[number]?.accept(steps) }
            })
    }

    private func accept(_ steps: [SimulatedStep]) {
        guard case .asking = phase else { return }
        self.steps = steps[...]
        phase = .answering
        if steps.contains(where: \.isUnsent) { hasBegunSending = false }
        schedule()
    }

    // MARK: The answer

    private func answerOn() throws(NetworkingError) {
        if hasBegunSending, toldByteCount < body.count {
            let count = min(Self.pieceByteCount, body.count - toldByteCount)
            toldByteCount += count
            delegate?.transferDidSend(bodyByteCount: count)
        } else if let step = steps.popFirst() {
            try perform(step)
        } else {
            return end(fault)
        }
        schedule()
    }

    private func perform(_ step: SimulatedStep) throws(NetworkingError) {
        switch step {
        case .wait(let duration): wait(duration.nanoseconds)
        case .head(let status, let fields): try receiveHead(status, fields)
        case .bytes(let data): try receive(data)
        case .trailers(let fields): try receive(lines: fields.map { "\($0.name): \($0.value)" })
        case .stall: rest(in: .stalled)
        case .fail(let error): end(error)
        case .refuse(let error): end(error)
        case .neverConnect:
            let limit = request.limits.connectTimeout
            connectDeadline = limit == 0 ? .max : instants.now + limit
            rest(in: .stalled)
            watchLimits()
        }
    }

    private func rest(in phase: Phase) {
        self.phase = phase
        setBusy(false)
    }

    private func wait(_ nanoseconds: UInt64) {
        rest(in: .waiting)
        _ = network.timers.wait(until: instants.now + nanoseconds) { [weak self] in
            guard let self, case .waiting = phase else { return }
            phase = .answering
            schedule()
        }
    }

    private func receiveHead(_ status: Int, _ fields: HeaderFields) throws(NetworkingError) {
        try receive(lines: ["HTTP/1.1 \(status) "] + fields.map { "\($0.name): \($0.value)" } + [""])
    }

    /// Receives lines of the head or of the trailer section.
    private func receive(lines: [String]) throws(NetworkingError) {
        for line in lines {
            machine.recordMovement(at: instants.now)
            let bytes = Array((line + "\r\n").utf8)
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(NetworkingError) in try machine.receive(line: bytes, self) }
            }
            switch try result.get() {
            case .line, .refusedExpectation: break
            case .head(let head): try deliver(head)
            case .headAndError(let head, let error):
                try deliver(head)
                throw error
            }
        }
    }

    private func deliver(_ head: ResponseHead) throws(NetworkingError) {
        instants.recordHead()
        try delegate?.transferDidReceive(head: head)
        if delegate?.awaitsDecision == true { machine.awaitDecision() }
        watchLimits()
    }

    private func receive(_ data: Data) throws(NetworkingError) {
        guard let delegate else { return }
        var piece = data.prefix(Self.pieceByteCount)
        if let missing = missingByteCount { piece = piece.prefix(Int(clamping: missing)) }
        guard !piece.isEmpty else { return }  // bytes beyond Content-Length are not part of the response
        machine.recordMovement(at: instants.now)
        let result = piece.withUnsafeBytes { bytes in
            Result { () throws(NetworkingError) in try delegate.transferDidReceive(bytes: bytes, mustTake: false) }
        }
        let intake = try result.get()
        machine.bodyWasGiven(intake, byteCount: piece.count)
        let taken = intake == .taken ? piece.count : 0
        receivedByteCount += Int64(taken)
        if taken < data.count { steps = [.bytes(data.dropFirst(taken))] + steps }
    }

    /// The number of bytes that are missing according to Content-Length; nil without Content-Length.
    private var missingByteCount: Int64? {
        guard let head = machine.head, head.hasBody(for: request.method) else { return nil }
        return head.contentLength.map { $0 - receivedByteCount }
    }
}

// MARK: - Time limits and the end

extension SimulatedTransfer {
    private func watchLimits() {
        let next = nextDeadline
        guard next != .max, limitTimer.map({ next < $0.instant }) ?? true else { return }
        withdrawLimitTimer()
        let ticket = network.timers.wait(until: next) { [weak self] in self?.limitMayHavePassed() }
        limitTimer = (ticket, next)
    }

    private func withdrawLimitTimer() {
        if let ticket = limitTimer.take()?.ticket { network.timers.withdraw(ticket) }
    }

    private func limitMayHavePassed() {
        limitTimer = nil
        if let error = limitError { return end(error) }
        watchLimits()
    }

    private var nextDeadline: UInt64 {
        guard let connectDeadline, machine.flow != .paused else {
            return machine.nextDeadline(bodyDeadline: bodyDeadline)
        }
        return min(connectDeadline, deadline)  // no byte can move before the connection is made
    }

    private var bodyDeadline: UInt64 {
        machine.head != nil ? instants.bodyDeadline(delegate?.bodyDeadline ?? .max) : .max
    }

    private var limitError: NetworkingError? {
        let now = instants.now
        if let connectDeadline, now < deadline {
            guard connectDeadline <= now, machine.flow != .paused else { return nil }
            return .timeLimit(.connect, "\(request.hostName) did not answer in time")
        }
        return machine.limitError(
            now: now, bodyDeadline: bodyDeadline, sentByteCount: 0, receivedByteCount: receivedByteCount)
    }

    /// The error at the end of the answer; nil for a complete response.
    private var fault: NetworkingError? {
        guard machine.head != nil else {
            return NetworkingError(.connectionLost, "\(request.hostName) closed the connection before it answered")
        }
        if let missing = missingByteCount, missing > 0 {
            let text = "\(request.hostName) violated the protocol or its body is truncated: \(missing) bytes missing"
            return NetworkingError(.badServerResponse, text)
        }
        return switch machine.end(.success, self) {
        case .success, .error: nil
        case .failure(let error): error
        }
    }

    private func end(_ error: NetworkingError?) {
        let delegate = self.delegate
        close()
        var metrics = metrics
        if error != nil { metrics.evidence = hasBegunSending ? .mayHaveArrived : .nothingSent }
        delegate?.transferDidEnd(error: error, metrics: metrics)
    }

    private func close() {
        if case .asking(let task) = phase { task.cancel() }
        instants.pause()
        withdrawLimitTimer()
        rest(in: .over)
        delegate = nil
        stage.value.remove(number)
    }
}

extension SimulatedTransfer: TransferFacts {
    var sentByteCount: Int64 { Int64(body.count) }
    var lacksLastChunk: Bool { false }
    var hasCloseNotice: Bool { true }
    var http2End: HTTP2EndEvidence { .libcurl }
    var mayHaveLostConnection: Bool { false }
}
