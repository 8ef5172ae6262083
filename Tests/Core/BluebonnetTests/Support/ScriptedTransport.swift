// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

@testable import Bluebonnet

/// An in-memory transport: each transfer follows the script that the test set for its URL's path.
///
/// Network thread only, like every transport. Tests configure and observe its `ScriptedNetwork`.
final class ScriptedTransport: Transport {
    private let stage: NetworkBound<ScriptedStage>
    private let network: ScriptedLog

    init(_ network: ScriptedLog) {
        self.network = network
        stage = NetworkBound(ScriptedStage())
    }

    func begin(_ request: TransferRequest, delegate: any TransferDelegate) -> any Transfer {
        let (number, script) = network.begin(request)
        let transfer = ScriptedTransfer(number, request, script, delegate, stage: stage, network: network)
        stage.value.transfers[number] = transfer
        transfer.schedule()
        return transfer
    }

    func closeIdleConnections() {
        network.closeIdleConnections()
    }
}

@available(*, unavailable)
extension ScriptedTransport: Sendable {}

/// The transfers in progress, by their numbers. Network thread only.
final class ScriptedStage {
    var transfers: [Int: ScriptedTransfer] = [:]
}

@available(*, unavailable)
extension ScriptedStage: Sendable {}

/// One step of a script. After the last step, the transfer ends successfully.
enum ScriptedStep: Sendable {
    /// The response's head.
    case head(Int, [String: String] = [:])
    /// A piece of the body.
    case body(String)
    case bytes(Data)
    /// This many bytes of the request's body were sent.
    case sent(Int)
    /// Notifies the test that all earlier steps were delivered.
    case reach(Observed<Int>)
    /// Nothing happens until the gate opens.
    case wait(Gate)
    /// The connection is not established until the gate opens: no part of the request has been sent.
    case connect(Gate)
    /// The transfer sends the request again from its start.
    case startAgain
    /// The transfer ends with an error, even while it is paused in place.
    case fail(NetworkingError.Code)
    /// The transfer ends with an error before any part of the request was sent.
    case failUnsent(NetworkingError.Code)
    /// The transfer ends because no socket can be opened.
    case lackDescriptor
    /// The transfer ends with the same error after part of the request may have been sent.
    case lackDescriptorAfterSending
    /// An HTTP/2 server refuses the stream.
    case refuse
    /// The transfer times out if its delegate has a body deadline.
    case bodyDeadlinePasses
    /// Reports the body deadline to the test.
    case noteBodyDeadline(Observed<[UInt64]>)
}

/// One transfer that follows its script. Each step is a separate piece of work on the network thread, so that other
/// work runs in between. Network thread only.
final class ScriptedTransfer: Transfer {
    private let number: Int
    private let request: TransferRequest
    private let delegate: any TransferDelegate
    private let stage: NetworkBound<ScriptedStage>
    private let network: ScriptedLog
    private var steps: ArraySlice<ScriptedStep>
    private var isScheduled = false
    private var isPaused = false
    private var isHeldBack = false
    private var isOver = false
    private(set) var hasBegunSending = true
    private var evidence = DeliveryCertainty.mayHaveArrived

    init(
        _ number: Int, _ request: TransferRequest, _ script: [ScriptedStep], _ delegate: any TransferDelegate,
        stage: NetworkBound<ScriptedStage>, network: ScriptedLog
    ) {
        self.number = number
        self.request = request
        self.delegate = delegate
        self.stage = stage
        self.network = network
        steps = script[...]
        if case .connect? = script.first { hasBegunSending = false }
    }

    func abort() -> TransferMetrics {
        network.record(.aborted(number), endsOf: isPaused ? nil : request.url)
        close()
        return TransferMetrics()
    }

    func pause() {
        isPaused = true
        network.record(.paused(number), endsOf: request.url)
    }

    func resume(deadline: UInt64) {
        isPaused = false
        network.record(.resumed(number), beginsOf: request.url)
        schedule()
    }

    func resumeReceiving() {
        isHeldBack = false
        schedule()
    }

    /// Schedules the next step.
    func schedule() {
        guard !isScheduled, !isOver, !isHeldBack else { return }
        isScheduled = true
        NetworkThread.shared.submit { [stage, number] in stage.value.transfers[number]?.step() }
    }

    private func step() {
        isScheduled = false
        if isPaused, case .fail? = steps.first {} else if isPaused || isOver { return }
        guard let step = steps.popFirst() else { return end(nil) }
        do throws(NetworkingError) {
            try perform(step)
        } catch {
            return end(error)
        }
        if !isOver { schedule() }
    }

    private func perform(_ step: ScriptedStep) throws(NetworkingError) {
        switch step {
        case .head(let status, let fields): try delegate.transferDidReceive(head: head(status, fields))
        case .body(let text): try receive(Data(text.utf8), step)
        case .bytes(let data): try receive(data, step)
        case .sent(let count): delegate.transferDidSend(bodyByteCount: count)
        case .startAgain: delegate.transferDidStartAgain()
        case .reach(let witness): witness.increment()
        case .fail(let code): throw NetworkingError(code, "as the script says")
        case .failUnsent(let code):
            evidence = .nothingSent
            throw NetworkingError(code, "as the script says")
        case .lackDescriptor:
            evidence = .nothingSent
            throw NetworkingError(.cannotConnect, "as the script says", underlying: POSIXError(.EMFILE))
        case .lackDescriptorAfterSending:
            throw NetworkingError(.connectionLost, "as the script says", underlying: POSIXError(.EMFILE))
        case .refuse:
            evidence = .refused
            throw NetworkingError(.connectionLost, "as the script says")
        case .bodyDeadlinePasses:
            guard delegate.bodyDeadline == .max else { throw NetworkingError(.timedOut, "the body's deadline passed") }
        case .noteBodyDeadline(let seen): seen.update { [deadline = delegate.bodyDeadline] in $0.append(deadline) }
        case .wait(let gate), .connect(let gate): wait(for: gate)
        }
    }

    private func wait(for gate: Gate) {
        isScheduled = true  // the gate schedules
        gate.whenOpen { [stage, number] in
            NetworkThread.shared.submit {
                let transfer = stage.value.transfers[number]
                transfer?.hasBegunSending = true
                transfer?.step()
            }
        }
    }

    private func head(_ status: Int, _ fields: [String: String]) -> ResponseHead {
        let sorted = fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        return ResponseHead(
            url: request.url, statusCode: status, headers: HeaderFields(sorted), method: request.method)
    }

    private func receive(_ data: Data, _ step: ScriptedStep) throws(NetworkingError) {
        // Swift does not infer a typed throw for this closure, so a `Result` carries the error.
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(NetworkingError) in try delegate.transferDidReceive(bytes: bytes, mustTake: false) }
        }
        guard try result.get() == .wouldBlock else { return }
        isHeldBack = true
        steps = [step] + steps
    }

    private func end(_ error: NetworkingError?) {
        network.record(.ended(number), endsOf: isPaused ? nil : request.url)
        close()
        var metrics = TransferMetrics()
        if error != nil { metrics.evidence = evidence }
        delegate.transferDidEnd(error: error, metrics: metrics)
    }

    private func close() {
        isOver = true
        stage.value.transfers[number] = nil
    }
}

@available(*, unavailable)
extension ScriptedTransfer: Sendable {}
