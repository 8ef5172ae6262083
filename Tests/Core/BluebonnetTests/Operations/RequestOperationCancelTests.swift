// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct RequestOperationCancelTests {
    private let network = ScriptedNetwork(limit: 1)
    private let gate = Gate()

    init() { network.answer("/held", with: [.head(200), .body("ab"), .wait(gate), .body("c")]) }

    /// An operation whose transfer has begun and waits for the gate.
    private func blockedOperation(method: String = "GET") async -> HTTPRequestOperation {
        let operation = network.operation("/held", method: method)
        operation.start()
        await network.log.sees(.begun(1))
        return operation
    }

    @Test func cancelBeforeStartNeverTouchesTheTransport() async {
        let operation = network.operation("/a")
        operation.cancel()
        #expect(operation.isCancelled && operation.isReady && !operation.isFinished)
        operation.start()
        await operation.ends()
        #expect(operation.error?.code == .cancelled)
        #expect(operation.error?.request?.url == ScriptedNetwork.url("/a"))
        #expect(operation.summary.transferCount == 0)
        #expect(network.log.requests.isEmpty)
    }

    @Test func cancelWhileWaitingForSlotNeverTouchesTheTransport() async {
        let first = await blockedOperation()
        let second = network.operation("/a")
        second.start()
        await NetworkThread.shared.catchesUp()
        second.cancel()
        await second.ends()
        #expect(second.error?.code == .cancelled)
        #expect(!first.isFinished)
        gate.open()
        await first.ends()
        #expect(first.error == nil)
        #expect(network.log.requests.count == 1)
    }

    @Test func operationCancelledWhileWaitingKeepsItsMadeRequest() async {
        let first = await blockedOperation()
        let second = HTTPRequestOperation(
            plan: RequestPlan(
                recipe: RequestPlan.Recipe { [network] plan in try plan.setRequest(network.request("/late")) },
                options: ResolvedOptions(TransferOptions())),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
        second.start()
        await becomes(true) { await isInLine(second) }
        second.cancel()
        await second.ends()
        #expect(second.request?.url == ScriptedNetwork.url("/late"))
        #expect(second.error?.request?.url == ScriptedNetwork.url("/late"))
        gate.open()
        await first.ends()
    }

    private func isInLine(_ operation: RequestOperation) async -> Bool {
        await withCheckedContinuation { waiter in
            NetworkThread.shared.submit {
                let isWaiting = if case .slot? = operation.runner?.waitReason { true } else { false }
                waiter.resume(returning: isWaiting)
            }
        }
    }

    @Test func cancelAbortsRunningTransferAndFreesSlot() async {
        let first = await blockedOperation()
        let second = network.operation("/a")
        second.start()
        first.cancel()
        await first.ends()
        await second.ends()
        #expect(first.error?.code == .cancelled)
        #expect(second.error == nil)
        #expect(network.log.events == [.begun(1), .aborted(1), .begun(2), .ended(2)])
    }

    @Test func cancelKeepsReceivedBytes() async {
        let operation = network.operation("/held")
        let progress = Observed([Int64]())
        operation.onDownloadProgress = { _, total, _ in progress.append(total) }
        operation.start()
        await progress.becomes([2])
        operation.cancel()
        await operation.ends()
        #expect(operation.responseData == Data("ab".utf8))
        #expect(operation.receivedByteCount == 2)
        #expect(operation.statusCode == 200)
    }

    @Test(arguments: ["GET", "POST"]) func cancelWhilePausedFinishes(method: String) async {
        let operation = await blockedOperation(method: method)
        operation.pause()
        #expect(operation.isPaused)
        operation.cancel()
        await operation.ends()
        #expect(operation.error?.code == .cancelled)
        #expect(operation.isCancelled && !operation.isPaused)
        #expect(network.log.events.last == .aborted(1))
        #expect(network.log.entries.value.activeCount == 0)
    }

    @Test func cancelWhilePausedTransferWaitsForSlotAborts() async {
        let first = await blockedOperation(method: "POST")
        first.pause()
        await network.log.sees(.paused(1))
        let second = network.operation("/held")
        second.start()
        await network.log.sees(.begun(2))
        first.resume()
        await NetworkThread.shared.catchesUp()
        first.cancel()
        await first.ends()
        #expect(first.error?.code == .cancelled)
        gate.open()
        await second.ends()
        #expect(second.error == nil)
        #expect(network.log.events == [.begun(1), .paused(1), .begun(2), .aborted(1), .ended(2)])
        #expect(network.log.entries.value.activeCount == 0)
    }

    @Test func cancelWhilePausedBeforeStartMakesOperationReady() async {
        let operation = network.operation("/a")
        operation.pause()
        #expect(!operation.isReady)
        operation.cancel()
        #expect(operation.isReady)
        operation.start()
        await operation.ends()
        #expect(operation.error?.code == .cancelled)
        #expect(network.log.requests.isEmpty)
    }

    @Test func cancelAfterTheEndChangesNothing() async {
        let operation = network.operation("/a")
        operation.start()
        await operation.ends()
        operation.cancel()
        operation.pause()
        operation.resume()
        #expect(!operation.isCancelled && !operation.isPaused && operation.isFinished)
        #expect(operation.error == nil)
        #expect(operation.responseString == "fine")
    }

    @Test func cancelDuringSerializationHasNoEffectOnResult() async {
        let (began, mayGoOn) = (Observed(0), Gate())
        let operation = HTTPRequestOperation(
            plan: RequestPlan(network.request("/a"), options: ResolvedOptions(TransferOptions())),
            serializer: ResolvedSerializer(SlowSerializer(began, mayGoOn)), services: network.services)
        operation.start()
        await began.becomes(1)
        operation.cancel()
        operation.pause()
        #expect(operation.isCancelled && operation.isExecuting)
        mayGoOn.open()
        await operation.ends()
        #expect(operation.error == nil)
        #expect(operation.responseObject as? String == "fine")
    }

    @Test func secondCancelHasNoEffect() async {
        let operation = await blockedOperation()
        operation.cancel()
        operation.cancel()
        await operation.ends()
        #expect(network.log.events == [.begun(1), .aborted(1)])
    }
}

/// Serializes after its gate has opened.
private struct SlowSerializer: ResponseSerializer {
    let validation = ResponseValidation()
    private let began: Observed<Int>
    private let mayGoOn: Gate

    init(_ began: Observed<Int>, _ mayGoOn: Gate) {
        self.began = began
        self.mayGoOn = mayGoOn
    }

    func value(for response: ResponseHead, body: Data) -> String {
        began.increment()
        mayGoOn.waitBlocking()
        return String(decoding: body, as: UTF8.self)
    }
}
