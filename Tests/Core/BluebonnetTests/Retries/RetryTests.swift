// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Operations with a retry policy, on a scripted network in virtual time.
@Suite(.timeLimit(.minutes(1))) struct RetryTests {
    private let time = VirtualTime()
    private let network: ScriptedNetwork

    init() { network = ScriptedNetwork(time: time) }

    private func operation(
        _ method: String = "GET", _ path: String = "/a", body: String? = nil,
        _ change: (inout TransferOptions) -> Void = { _ in }
    ) -> HTTPRequestOperation {
        let options = TransferOptions {
            $0.retryPolicy = .standard
            change(&$0)
        }
        return network.operation(path, method: method, body: body, options: options)
    }

    private var sentCount: Int { network.log.requests.count }

    /// Starts an operation, and lets its waits pass until it has ended.
    private func run(_ operation: RequestOperation) async {
        operation.start()
        await time.runsOut(for: operation)
    }

    @Test func getIsRetriedAfterTheBackoff() async {
        network.answer("/a", inTurn: [[.head(503), .body("busy")], [.head(200), .body("fine")]])
        let operation = operation()
        operation.start()
        await time.hasWaiting(1)
        await time.advance(by: .milliseconds(499))
        #expect(sentCount == 1 && !operation.isFinished)
        await time.advance(by: .milliseconds(1))
        await operation.ends()
        #expect(operation.error == nil)
        #expect(operation.responseString == "fine")
        #expect(operation.summary.transferCount == 2)
        let expected = RetriedAttempt(
            date: VirtualTime.start, duration: .zero, code: .unacceptableStatus, statusCode: 503, waitRule: .backoff,
            wait: .milliseconds(500))
        #expect(operation.retries == [expected])
    }

    @Test func operationWithoutAPolicyIsSentOnce() async {
        network.answer("/a", with: [.head(503), .body("busy")])
        let operation = network.operation("/a")
        await run(operation)
        #expect(operation.code == .unacceptableStatus)
        #expect(sentCount == 1 && operation.retries.isEmpty)
    }

    @Test func lastFailureKeepsItsBodyAndListsAttempts() async {
        network.answer("/a", inTurn: [[.head(500)], [.fail(.connectionLost)], [.head(503), .body("busy")]])
        let operation = operation()
        await run(operation)
        #expect(sentCount == 3)
        #expect(operation.code == .unacceptableStatus && operation.statusCode == 503)
        #expect(operation.error?.body == Data("busy".utf8))
        #expect(operation.error?.retries.map(\.code) == [.unacceptableStatus, .connectionLost])
        #expect(operation.error?.retries.map(\.statusCode) == [500, nil])
    }

    @Test func waitingForRetryOccupiesNoSlot() async {
        let network = ScriptedNetwork(limit: 1, time: time)
        network.answer("/a", inTurn: [[.head(503)], [.head(200)]])
        let waiting = network.operation("/a", options: TransferOptions { $0.retryPolicy = .standard })
        waiting.start()
        await time.hasWaiting(1)
        let other = await network.operation("/b").run()
        #expect(other.error == nil && !waiting.isFinished)
        await time.advance(by: .seconds(1))
        await waiting.ends()
        #expect(waiting.error == nil)
    }

    @Test func cancelDuringWaitEndsAtOnce() async {
        network.answer("/a", with: [.fail(.connectionLost)])
        let operation = operation()
        operation.start()
        await time.hasWaiting(1)
        await time.advance(by: .milliseconds(200))
        operation.cancel()
        await operation.ends()
        #expect(operation.code == .cancelled)
        #expect(operation.retries.isEmpty, "no attempt followed")
        #expect(await time.waitingCount == 0)
        #expect(sentCount == 1)
    }

    @Test(arguments: [Duration.milliseconds(100), .seconds(50)])
    func pausedWaitKeepsItsInstant(pause: Duration) async {
        network.answer("/a", inTurn: [[.head(503)], [.head(200)]])
        let operation = operation()
        operation.start()
        await time.hasWaiting(1)
        operation.pause()
        await time.hasWaiting(0)
        await time.advance(by: pause)
        #expect(sentCount == 1 && operation.isPaused)
        operation.resume()
        if pause < .milliseconds(500) {
            await time.hasWaiting(1)
            await time.advance(by: .milliseconds(500) - pause)
        }
        await operation.ends()
        #expect(operation.error == nil && sentCount == 2)
    }

    @Test func pauseDoesNotUseUpTheTime() async {
        network.answer("/a", inTurn: [[.head(503)], [.head(503)], [.head(200)]])
        let operation = operation { $0.retryPolicy?.maximumTime = .seconds(5) }
        operation.start()
        await time.hasWaiting(1)
        operation.pause()
        await time.hasWaiting(0)
        await time.advance(by: .seconds(3600))
        operation.resume()
        await time.hasWaiting(1)
        await time.advance(by: .seconds(1))
        await operation.ends()
        #expect(operation.error == nil && sentCount == 3)
    }

    @Test func totalTimeoutIncludesTheWait() async {
        network.answer("/a", with: [.head(503, ["Retry-After": "5"])])
        let operation = operation { $0.timeouts.total = .seconds(4) }
        await run(operation)
        #expect(operation.code == .unacceptableStatus && sentCount == 1)
        #expect(operation.error?.message.hasSuffix("because the retry time limit has passed") == true)
    }

    @Test func tooLongRetryAfterFailsWithRetryDate() async {
        network.answer("/a", with: [.head(429, ["Retry-After": "3600"]), .body("later")])
        let operation = operation()
        await run(operation)
        #expect(operation.code == .retryAfterTooLong && sentCount == 1)
        #expect(operation.error?.retryDate == VirtualTime.start.addingTimeInterval(3600))
        #expect(operation.error?.message.contains("2023-11-14T23:13:20Z") == true)
        #expect((operation.error?.underlying as? NetworkingError)?.code == .unacceptableStatus)
        #expect(operation.error?.body == Data("later".utf8) && operation.statusCode == 429)
    }

    @Test func originBudgetLimitsRetriesInAnOutage() async {
        network.answerOthers { _ in [.head(503)] }
        let operations = (0..<50).map { operation("GET", "/\($0)") { $0.retryPolicy?.maximumAttemptCount = 2 } }
        for operation in operations { operation.start() }
        await network.log.entries.becomes { $0.requests.count >= 50 }
        await time.hasWaiting(20)  // ten, plus a fifth of the requests
        await becomes(30) { operations.count(where: \.isFinished) }
        await time.advance(by: .seconds(1))
        for operation in operations { await operation.ends() }
        #expect(sentCount == 70)
        #expect(operations.count { $0.error?.message.contains("budget") == true } == 30)
        let free = operation("GET", "/free") { $0.retryPolicy?.usesBudget = false }
        await run(free)
        #expect(free.retries.count == 2)
    }

    @Test func bodyContinuesAfterInterveningError() async {
        let whole: ScriptedStep = .head(200, ["ETag": "\"a\"", "Content-Length": "10"])
        network.answer(
            "/a",
            inTurn: [
                [whole, .body("01234"), .fail(.connectionLost)], [.head(503), .body("busy")],
                [.head(206, ["ETag": "\"a\"", "Content-Range": "bytes 5-9/10"]), .body("56789")],
            ])
        let operation = operation()
        await run(operation)
        #expect(operation.error == nil)
        #expect(operation.responseString == "0123456789")
        let ranges = network.log.requests.map { $0.headers.first { $0.name == "Range" }?.value }
        #expect(ranges == [nil, "bytes=5-", "bytes=5-"])
    }

    @Test func bodyWithoutValidatorRestarts() async {
        network.answer(
            "/a", inTurn: [[.head(200), .body("012"), .fail(.badServerResponse)], [.head(200), .body("new")]])
        let operation = operation()
        await run(operation)
        #expect(operation.responseString == "new")
    }

    @Test func begunStreamedBodyIsNotRetried() async {
        network.answer("/a", with: [.head(200), .body("012"), .fail(.connectionLost)])
        let operation = operation()
        let stream = OutputStream(toMemory: ())
        operation.outputStream = stream
        await run(operation)
        #expect(operation.code == .connectionLost && sentCount == 1)
        #expect(operation.error?.message.contains("already delivered") == true)
    }

    @Test func acceptedStatusIsNotRetried() async {
        network.answer("/a", with: [.head(503), .body("busy")])
        let operation = operation()
        operation.responseSerializer = HTTPResponseSerializer(
            validation: ResponseValidation(acceptableStatusCodes: [503]))
        await run(operation)
        #expect(operation.error == nil && sentCount == 1)
    }

    @Test func operationWithoutASerializerDeliversTheLastResponse() async {
        network.answer("/a", inTurn: [[.head(503)], [.head(404), .body("gone")]])
        let options = TransferOptions { $0.retryPolicy = .standard }
        let plan = RequestPlan(network.request("/a"), options: ResolvedOptions(options))
        let operation = RequestOperation(plan: plan, services: network.services)
        await run(operation)
        #expect(operation.error == nil && operation.statusCode == 404 && sentCount == 2)
        #expect(operation.responseString == "gone")
    }

    @Test func redirectIsNotFollowedAgain() async {
        network.answer("/a", with: [.head(302, ["Location": "/b"])])
        network.answer("/b", inTurn: [[.head(503)], [.head(200), .body("fine")]])
        let operation = operation()
        await run(operation)
        #expect(operation.responseString == "fine")
        #expect(network.log.entries.value.paths == ["/a", "/b", "/b"])
    }

    @Test func dependentWaitsForRetries() async {
        network.answer("/a", inTurn: [[.head(503)], [.head(200)]])
        let (first, second) = (operation(), network.operation("/b"))
        second.addDependency(first)
        let queue = RequestOperationQueue()
        for operation in [second, first] { queue.addOperation(operation) }
        await time.hasWaiting(1)
        #expect(network.log.entries.value.paths == ["/a"])
        await time.advance(by: .seconds(1))
        await second.ends()
        #expect(second.error == nil && network.log.entries.value.paths == ["/a", "/a", "/b"])
    }

    @Test func drainWaitsForTheNextAttempt() async {
        network.answer("/a", inTurn: [[.head(503)], [.head(200)]])
        let manager = network.manager()
        manager.retryPolicy = .standard
        let operation = manager.started("GET", "a")
        await time.hasWaiting(1)
        async let summary = manager.drain(timeout: .seconds(60))
        await becomes(true) { manager.operationQueue.isSuspended }
        await NetworkThread.shared.catchesUp()
        await time.advance(by: .seconds(1))
        #expect(await summary.finished == [operation])
        #expect(operation.error == nil && operation.retries.count == 1)
    }
}
