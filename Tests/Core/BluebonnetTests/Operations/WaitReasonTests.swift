// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct WaitReasonTests {
    private let net = GovernedNetwork(OriginLimits(rateLimit: nil), limit: 2, limitPerOrigin: 1)

    private func waits(
        _ operation: RequestOperation, for reason: String?, at location: SourceLocation = #_sourceLocation
    ) async {
        await becomes(reason, at: location) { await operation.waitReason?.description }
    }

    @Test func operationThatDoesNotWaitHasNoReason() async {
        let gate = Gate()
        net.network.answer("/a", with: [.wait(gate), .head(200)])
        let operation = net.operation("/a")
        #expect(await operation.waitReason?.description == nil)
        operation.start()
        await net.hasSent(1)
        #expect(await operation.waitReason?.description == nil)
        gate.open()
        await operation.ends()
        #expect(await operation.waitReason?.description == nil)
    }

    @Test func reasonNamesOriginOrManagerLimit() async {
        let gate = Gate()
        net.network.answerOthers { _ in [.wait(gate), .head(200)] }
        let operations = ["a", "a", "b", "c"].map { net.operation("/", host: $0 + ".test") }
        let queue = RequestOperationQueue()
        queue.addOperations(operations)
        await net.hasSent(2)
        await waits(
            operations[1],
            for: "the manager runs at most 1 transfer to http://a.test:80 at once"
                + " (maximumConcurrentTransferCountPerOrigin)")
        await waits(
            operations[3],
            for: "the manager runs at most 2 transfers at once (maximumConcurrentTransferCount)")
        operations[3].pause()
        await waits(operations[3], for: "the operation is paused")
        operations[3].resume()
        gate.open()
        for operation in operations { await operation.ends() }
    }

    @Test func reasonNamesTheDependency() async {
        let gate = Gate()
        net.network.answerOthers { _ in [.wait(gate), .head(200)] }
        let (first, second, third) = (net.operation("/1"), net.operation("/2"), net.operation("/3"))
        (first.name, second.name) = ("login", "profile")
        third.addDependency(first)
        #expect(await third.waitReason?.description == "login has not ended")
        third.addDependency(second)
        #expect(await third.waitReason?.description == "2 operations have not ended, the first is login")
        gate.open()
        for operation in [first, second, third] {
            operation.start()
            await operation.ends()
        }
    }

    @Test func reasonNamesQueueSuspensionLimitOrBarrier() async {
        let gate = Gate()
        net.network.answerOthers { _ in [.wait(gate), .head(200)] }
        let queue = RequestOperationQueue()
        queue.isSuspended = true
        let operations = (0..<3).map { net.operation("/\($0)", host: "\($0).test") }
        queue.addOperation(operations[0])
        queue.addOperation(operations[1])
        queue.addBarrierBlock {}
        queue.addOperation(operations[2])
        #expect(await operations[1].waitReason?.description == "the queue is suspended")
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = false
        await net.hasSent(1)
        await waits(operations[1], for: "the queue runs at most 1 operation at once")
        #expect(await operations[2].waitReason?.description == "a barrier of the queue has not ended")
        gate.open()
        for operation in operations { await operation.ends() }
    }

    @Test func reasonNamesNextAttemptAndItsTime() async {
        net.network.answer("/a", inTurn: [[.head(500)], [.head(200)]])
        let operation = net.operation("/a", retries: .standard)
        operation.start()
        await net.time.hasWaiting(1)
        #expect(await operation.waitReason?.description == "attempt 2 starts at 2023-11-14T22:13:20Z")
        await net.time.advance(by: .seconds(1))
        await operation.ends()
    }

    @Test func reasonNamesTheRateLimit() async {
        net.governor.setLimits(OriginLimits(rateLimit: RateLimit(1)))
        await net.run("/a")
        let operation = net.operation("/b")
        operation.start()
        await waits(
            operation,
            for: "the rate of http://a.test:80 is limited to 1.0/s, and the next request may start at "
                + "2023-11-14T22:13:20Z")
        await net.time.advance(by: .seconds(1))
        await operation.ends()
    }

    @Test func reasonNamesTheGovernorLimit() async {
        var limits = OriginLimits()
        limits.maximumConcurrentTransferCount = 1
        let net = GovernedNetwork(limits)
        let gate = Gate()
        net.network.answerOthers { _ in [.wait(gate), .head(200)] }
        let operations = (0..<2).map { net.operation("/\($0)") }
        for operation in operations { operation.start() }
        await net.hasSent(1)
        await waits(
            operations[1], for: "the governor allows at most 1 transfer to http://a.test:80 at once")
        gate.open()
        for operation in operations { await operation.ends() }
    }

    @Test func reasonNamesTheUnansweredBlock() async {
        net.network.answer("/a", with: [.head(302, ["Location": "/b"])])
        let gate = Gate()
        let operation = net.operation("/a")
        operation.onRedirect = { _, proposed, _ in
            await gate.wait()
            return proposed
        }
        operation.start()
        await waits(operation, for: "a block of the program has not answered yet")
        gate.open()
        await operation.ends()
    }

    /// More tasks ask than Swift has threads. Another task still runs.
    @Test func queryBlocksNoThreadWhileNetworkThreadIsBusy() async {
        let (gate, transfer) = (Gate(), Gate())
        net.network.answer("/a", with: [.wait(transfer), .head(200)])
        let operation = net.operation("/a")
        operation.start()
        await net.hasSent(1)
        NetworkThread.shared.submit { gate.waitBlocking() }
        let asked = Observed(0)
        let answers = (0..<200).map { _ in
            Task {
                asked.update { $0 += 1 }
                return await operation.waitReason?.description
            }
        }
        await asked.becomes(200)
        gate.open()
        for answer in answers { #expect(await answer.value == nil) }
        transfer.open()
        await operation.ends()
    }
}
