// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct RequestOperationHandlerTests {
    private let network = ScriptedNetwork()
    private let order = Observed([String]())

    @Test func handlersRunInOrderFromProgressToBatch() async {
        network.answer("/a", with: [.head(200, ["Content-Length": "2"]), .body("a"), .body("b")])
        let operation = network.operation("/a")
        operation.onDownloadProgress = { [order] _, total, expected in order.append("progress \(total) of \(expected)")
        }
        operation.completionBlock = { [order] in order.append("block \(operation.isFinished)") }
        operation.addCompletion { [order] operation, _ in order.append("first handler \(operation.isFinished)") }
        operation.addCompletion { [order] _, _ in order.append("second handler") }
        network.manager().enqueueBatch(of: [operation]) { [order] finished, total in
            order.append("batch \(finished) of \(total)")
        } completion: { [order] _ in
            order.append("completion")
        }
        await order.becomes { $0.last == "completion" }
        #expect(
            order.value == [
                "progress 1 of 2", "progress 2 of 2", "block true", "first handler true", "second handler",
                "batch 1 of 1", "completion",
            ])
    }

    @Test func uploadProgressIsReportedAsBytesLeave() async {
        network.answer("/a", with: [.sent(3), .sent(2), .head(200), .body("ok")])
        let operation = network.operation("/a", method: "POST", body: "12345")
        operation.onUploadProgress = { [order] count, total, expected in
            order.append("\(count), \(total) of \(expected)")
        }
        operation.setCompletionBlock { [order] _, _ in order.append("done") }
        operation.start()
        await order.becomes { $0.last == "done" }
        #expect(order.value == ["3, 3 of 5", "2, 5 of 5", "done"])
    }

    @Test func byteCountsAreAvailableDuringTransfer() async {
        let (gate, reached) = (Gate(), Observed(0))
        network.answer(
            "/a",
            with: [.sent(3), .head(200, ["Content-Length": "2"]), .body("a"), .reach(reached), .wait(gate), .body("b")])
        let operation = network.operation("/a", method: "POST", body: "123")
        #expect(operation.expectedByteCount == -1 && operation.expectedSentByteCount == -1)
        operation.start()
        await reached.becomes(1)
        #expect(operation.sentByteCount == 3 && operation.expectedSentByteCount == 3)
        #expect(operation.receivedByteCount == 1 && operation.expectedByteCount == 2)
        gate.open()
        await operation.ends()
        #expect(operation.receivedByteCount == 2)
    }

    @Test func originalRequestIsKeptAcrossRedirects() async {
        network.answer("/a", with: [.head(302, ["Location": "/b"])])
        let operation = await network.operation("/a").run()
        #expect(operation.originalRequest?.url?.path == "/a")
        #expect(operation.request?.url?.path == "/b")
    }

    @Test func uploadProgressRestartsWhenRequestIsResent() async {
        network.answer("/a", with: [.sent(3), .startAgain, .sent(5), .head(200), .body("ok")])
        let operation = network.operation("/a", method: "POST", body: "12345")
        operation.onUploadProgress = { [order] _, total, _ in order.append("\(total)") }
        operation.setCompletionBlock { [order] _, _ in order.append("done") }
        operation.start()
        await order.becomes { $0.last == "done" }
        #expect(order.value == ["3", "5", "done"])
    }

    @Test func unknownBodyLengthIsReportedAsMinusOne() async {
        network.answer("/a", with: [.head(200), .body("abc")])
        let operation = network.operation("/a")
        operation.onDownloadProgress = { [order] count, total, expected in
            order.append("\(count), \(total) of \(expected)")
        }
        operation.setCompletionBlock { [order] _, _ in order.append("done") }
        operation.start()
        await order.becomes { $0.last == "done" }
        #expect(order.value == ["3, 3 of -1", "done"])
    }

    @Test func completionBlockCallsEitherSuccessOrFailureOnce() async {
        network.answer("/bad", with: [.head(500)])
        for (path, expected) in [("/good", "success fine"), ("/bad", "failure unacceptableStatus")] {
            let calls = Observed([String]())
            let operation = network.operation(path)
            operation.setCompletionBlock { _, object in
                calls.append("success \(String(decoding: object as? Data ?? Data(), as: UTF8.self))")
            } failure: { _, error in
                calls.append("failure \(error.code.rawValue)")
            }
            let later = Observed(0)
            operation.addCompletionHandler { _ in later.increment() }
            operation.start()
            await later.becomes(1)
            #expect(calls.value == [expected])
        }
    }

    @Test func handlerSetAfterTheEndRuns() async {
        let operation = network.operation("/a")
        operation.start()
        await operation.ends()
        operation.setCompletionBlock { [order] _, _ in order.append("late") }
        await order.becomes(["late"])
    }

    @Test func handlersRunOnLibraryQueueUnlessOneIsSet() async {
        let key = DispatchSpecificKey<String>()
        let mine = DispatchQueue(label: "mine")
        mine.setSpecific(key: key, value: "mine")
        Queues.callbacks.setSpecific(key: key, value: "library")
        for (queue, name) in [(nil, "library"), (mine, "mine")] {
            let seen = Observed([String?]())
            let operation = network.operation("/a")
            operation.completionQueue = queue
            operation.onDownloadProgress = { _, _, _ in seen.append(DispatchQueue.getSpecific(key: key)) }
            operation.completionBlock = { seen.append(DispatchQueue.getSpecific(key: key)) }
            operation.setCompletionBlock { _, _ in seen.append(DispatchQueue.getSpecific(key: key)) }
            operation.start()
            await operation.ends()
            operation.setCompletionBlock { _, _ in seen.append(DispatchQueue.getSpecific(key: key)) }
            await seen.becomes { $0.count == 4 }
            #expect(seen.value == [name, name, name, name])
        }
    }

    @Test func completionBlockRunsOnceAndIsReleased() async {
        let runs = Observed(0)
        let operation = network.operation("/a")
        operation.completionBlock = { runs.increment() }
        operation.start()
        await runs.becomes(1)
        await Queues.callbacks.catchesUp()
        #expect(runs.value == 1)
        #expect(operation.completionBlock == nil)
        operation.completionBlock = { runs.increment() }
        await Queues.callbacks.catchesUp()
        #expect(runs.value == 1)
        #expect(operation.completionBlock == nil)
    }

    @Test func completionGroupIsLeftAfterTheHandlers() async {
        let group = DispatchGroup()
        let operations = (0..<10).map { network.operation("/\($0)") }
        for operation in operations {
            operation.completionGroup = group
            operation.setCompletionBlock { [order] _, _ in order.append("handler") }
        }
        group.enter()
        for operation in operations { operation.start() }
        for operation in operations { await operation.ends() }
        group.leave()
        await group.empties()
        #expect(order.value == Array(repeating: "handler", count: 10))
    }
}

// MARK: - Objects that handlers capture

/// Calls a closure when it is released.
private final class Retained: Sendable {
    private let onRelease: @Sendable () -> Void
    init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
    func use() {}
    deinit { onRelease() }
}

extension RequestOperationHandlerTests {
    @Test func handlersAreReleasedAfterTheEnd() async {
        let releases = Observed(0)
        let operation = network.operation("/a")
        do {
            let retained = (0..<6).map { _ in Retained { releases.increment() } }
            operation.completionBlock = { retained[0].use() }
            operation.setCompletionBlock(success: { _, _ in retained[1].use() }, failure: { _, _ in retained[2].use() })
            operation.onDownloadProgress = { _, _, _ in retained[3].use() }
            operation.onUploadProgress = { _, _, _ in retained[4].use() }
            operation.addBatchHandler { _ in retained[5].use() }
        }
        operation.start()
        await releases.becomes(6)
        #expect(operation.isFinished)
    }

    @Test func handlersThatHoldTheirOperationLeakNothing() async {
        let releases = Observed(0)
        weak var weakOperation: HTTPRequestOperation?
        do {
            let operation = network.operation("/a")
            let retained = Retained { releases.increment() }
            operation.userInfo["held"] = retained
            operation.completionBlock = { _ = operation.isFinished }
            operation.setCompletionBlock { _, _ in _ = operation.isFinished }
            operation.onDownloadProgress = { _, _, _ in _ = operation.isFinished }
            weakOperation = operation
            operation.start()
        }
        await releases.becomes(1)
        await becomes(true) { weakOperation == nil }
    }

    @Test func requestClosureIsReleasedAfterStart() async {
        let releases = Observed(0)
        let operation: HTTPRequestOperation
        do {
            let retained = Retained { releases.increment() }
            operation = HTTPRequestOperation(
                plan: RequestPlan(
                    recipe: RequestPlan.Recipe { [network] plan in
                        retained.use()
                        try plan.setRequest(network.request("/a"))
                    }, options: ResolvedOptions(TransferOptions())),
                serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
        }
        operation.start()
        await releases.becomes(1)
        #expect(operation.request != nil || !operation.isFinished)
    }

    @Test func operationThatIsNeverStartedLeaksNothing() {
        weak var weakOperation: HTTPRequestOperation?
        do {
            let operation = network.operation("/a")
            operation.setCompletionBlock { _, _ in }
            operation.cancel()
            weakOperation = operation
        }
        #expect(weakOperation == nil)
    }

    /// Captured objects are released outside the operation's lock, because a `deinit` may use the operation.
    @Test func releasedObjectsMayUseTheOperation() async {
        await #expect(processExitsWith: .success) {
            let (network, releases) = (ScriptedNetwork(), Observed(0))
            let operation = network.operation("/a")
            func retained() -> Retained {
                Retained {
                    operation.cancel()
                    releases.increment()
                }
            }
            for replacement in [{}, nil] as [(@Sendable () -> Void)?] {
                operation.completionBlock = { [retained = retained()] in retained.use() }
                operation.completionBlock = replacement
            }
            operation.completionBlock = { [retained = retained()] in retained.use() }
            operation.onDownloadProgress = { [retained = retained()] _, _, _ in retained.use() }
            operation.onDownloadProgress = nil
            operation.userInfo = ["held": retained()]
            operation.userInfo = [:]
            operation.onDownloadProgress = { [retained = retained()] _, _, _ in retained.use() }
            operation.onUploadProgress = { [retained = retained()] _, _, _ in retained.use() }
            operation.setCompletionBlock { [retained = retained()] _, _ in retained.use() }
            operation.start()
            await releases.becomes(8)
        }
    }
}

// MARK: - Waiting

extension RequestOperationHandlerTests {
    @Test func valueIsTheSerializedResponse() async throws {
        let operation = network.operation("/a")
        operation.start()
        #expect(try await operation.value(as: Data.self) == Data("fine".utf8))
        #expect(try await operation.value as? Data == Data("fine".utf8))
    }

    @Test func valueOfFailedOperationThrowsItsError() async {
        network.answer("/a", with: [.fail(.cannotConnect)])
        let operation = network.operation("/a")
        operation.start()
        let error = await #expect(throws: NetworkingError.self) { try await operation.value }
        #expect(error?.code == .cannotConnect)
    }

    @Test func valueOfWrongTypeThrows() async {
        let operation = network.operation("/a")
        operation.start()
        let error = await #expect(throws: NetworkingError.self) { try await operation.value(as: Int.self) }
        #expect(error?.request?.url?.path == "/a" && error?.response?.statusCode == 200 && error?.transferCount == 1)
        #expect(error?.code == .cannotParseResponse)
    }

    @Test func cancellingAnObservingTaskEndsOnlyTheWait() async throws {
        let gate = Gate()
        network.answer("/a", with: [.wait(gate), .head(200)])
        let operation = network.operation("/a")
        operation.start()
        let task = Task { try await operation.value }
        await network.log.sees(.begun(1))
        task.cancel()
        let error = await #expect(throws: NetworkingError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(error?.underlying is CancellationError)
        #expect(!operation.isCancelled && !operation.isFinished)
        gate.open()
        _ = try await operation.value
    }

    @Test func cancellingTheRunningTaskCancelsTheOperation() async {
        network.answer("/a", with: [.wait(Gate())])
        let (manager, operation) = (network.manager(), network.operation("/a"))
        let task = Task { try await manager.run(operation) }
        await network.log.sees(.begun(1))
        task.cancel()
        let error = await #expect(throws: NetworkingError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(error?.underlying is CancellationError)
        #expect(operation.isCancelled && operation.isFinished)
    }

    @Test func waitingForUnstartedOperationThrows() async throws {
        let operation = network.operation("/a")
        let error = await #expect(throws: NetworkingError.self) { try await operation.value }
        #expect(error?.code == .notStarted)
        #expect(error?.message.contains("run(_:)") == true)
        operation.cancel()
        await #expect { try await operation.waitUntilEnded() } throws: { ($0 as? NetworkingError)?.code == .notStarted }
    }

    @Test func runThrowsForOperationCancelledBefore() async {
        let (manager, operation) = (network.manager(), network.operation("/a"))
        operation.cancel()
        let error = await #expect(throws: NetworkingError.self) { try await manager.run(operation) }
        #expect(error?.code == .cancelled)
        #expect(error?.underlying == nil, "no task was cancelled")
    }

    @Test func manyTasksCanAwaitOneOperation() async throws {
        let gate = Gate()
        network.answer("/a", with: [.wait(gate), .head(200)])
        let operation = network.operation("/a")
        operation.start()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { try await operation.waitUntilEnded() } }
            gate.open()
            try await group.waitForAll()
        }
        #expect(operation.isFinished)
    }
}
