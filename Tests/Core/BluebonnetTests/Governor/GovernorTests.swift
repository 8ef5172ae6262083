// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// Operations under a governor, on a scripted network in virtual time.
@Suite(.timeLimit(.minutes(1))) struct GovernorTests {
    @Test(arguments: [false, true]) func refusalPausesOriginAndThenAdmitsOneProbe(isInQueue: Bool) async {
        let net = GovernedNetwork()
        await net.hold(seconds: 30)
        let gate = Gate()
        net.network.answerOthers { _ in [.wait(gate), .head(200)] }
        let operations = (0..<4).map { net.operation("/\($0)") }
        let queue = RequestOperationQueue()
        if isInQueue { queue.addOperations(operations) } else { for operation in operations { operation.start() } }
        await NetworkThread.shared.catchesUp()
        await net.time.advance(by: .milliseconds(29_999))
        #expect(net.sentCount == 1)
        await net.time.advance(by: .milliseconds(1))
        await net.hasSent(2)
        gate.open()
        for operation in operations { await operation.ends() }
        #expect(operations.allSatisfy { $0.error == nil } && net.paths == ["/hold", "/0", "/1", "/2", "/3"])
        #expect(await net.status()?.heldUntil == nil)
    }

    @Test func concurrencyGrowsStepByStepAfterBackoff() async {
        let net = GovernedNetwork()
        await net.hold(seconds: 1)
        let gates = (0..<8).map { _ in Gate() }
        net.network.answerOthers { request in
            [.wait(gates[Int(request.url.lastPathComponent) ?? 0]), .head(200)]
        }
        let operations = (0..<8).map { net.operation("/\($0)") }
        for operation in operations { operation.start() }
        await NetworkThread.shared.catchesUp()
        await net.time.advance(by: .seconds(1))
        await net.hasSent(2)
        for (gate, sentCount) in zip(gates, [4, 5, 6, 8, 9]) {
            gate.open()
            await net.hasSent(sentCount)
        }
        for gate in gates { gate.open() }
        for operation in operations { await operation.ends() }
    }

    @Test func originInBackoffDoesNotDelayOthers() async {
        let net = GovernedNetwork(limit: 8)
        await net.hold(seconds: 30)
        let queue = RequestOperationQueue()
        let onHold = (0..<10_000).map { net.operation("/\($0)") }
        queue.addOperations(onHold)
        let others = (0..<200).map { net.operation("/\($0)", host: "b.test") }
        queue.addOperations(others)
        for operation in others { await operation.ends() }
        #expect(others.allSatisfy { $0.error == nil } && net.sentCount == 201)
        let status = await net.status()
        #expect(status?.waitingCount == 10_000 && status?.runningCount == 0)
        #expect(status?.heldUntil == VirtualTime.start.addingTimeInterval(30))
        queue.cancelAllOperations()
        await queue.empties()
        #expect(net.sentCount == 201)
    }

    @Test func retriedOperationWaitsOnce() async {
        let net = GovernedNetwork()
        net.network.answer("/a", inTurn: [[.head(429, ["Retry-After": "10"])], [.head(200)]])
        let (first, second) = (net.operation("/a", retries: .standard), net.operation("/b", retries: .standard))
        first.start()
        await net.time.hasWaiting(1)
        second.start()
        await NetworkThread.shared.catchesUp()
        await net.time.advance(by: .milliseconds(9_999))
        #expect(net.sentCount == 1)
        await net.time.advance(by: .milliseconds(1))
        await first.ends()
        await second.ends()
        #expect(first.error == nil && second.error == nil && net.sentCount == 3)
        #expect(first.retries.map(\.waitRule) == [.retryAfter])
    }

    @Test func exhaustedLimitInSuccessStartsBackoff() async {
        let net = GovernedNetwork()
        net.network.answer("/a", with: [.head(200, ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "20"])])
        #expect(await net.run("/a").error == nil)
        let next = net.operation("/b")
        next.start()
        await NetworkThread.shared.catchesUp()
        await net.time.advance(by: .milliseconds(19_999))
        #expect(net.sentCount == 1)
        await net.time.advance(by: .milliseconds(1))
        await next.ends()
        #expect(next.error == nil)
    }

    @Test func redirectWaitsForBackoffOfItsOrigin() async {
        let net = GovernedNetwork()
        await net.hold(seconds: 5)
        net.network.answer("/from", with: [.head(302, ["Location": "http://a.test/to"])])
        let operation = net.operation("/from", host: "b.test")
        operation.start()
        await net.hasSent(2)
        await becomes(
            "http://a.test:80 is on hold until 2023-11-14T22:13:25Z, because its server answered 429 and asked clients to wait"
        ) {
            await operation.waitReason?.description
        }
        await net.time.advance(by: .seconds(5))
        await operation.ends()
        #expect(operation.error == nil && net.paths == ["/hold", "/from", "/to"])
    }

    @Test func tooLongBackoffFailsAtOnce() async {
        let net = GovernedNetwork()
        await net.hold(seconds: 400)
        let refused = await net.run("/a")
        #expect(refused.code == .retryAfterTooLong && net.sentCount == 1)
        #expect(refused.error?.retryDate == VirtualTime.start.addingTimeInterval(400))
        await net.time.advance(by: .seconds(100))
        let waiting = net.operation("/a")
        waiting.start()
        await NetworkThread.shared.catchesUp()
        #expect(net.sentCount == 1)
        await net.time.advance(by: .seconds(300))
        await waiting.ends()
        #expect(waiting.error == nil)
    }

    // MARK: Limits of transfers

    @Test func limitAppliesAcrossManagers() async {
        var limits = OriginLimits()
        limits.maximumConcurrentTransferCount = 3
        let net = GovernedNetwork(limits)
        let gate = Gate()
        net.network.answerOthers { _ in [.wait(gate), .head(200)] }
        let managers = [net.network.manager(baseURL: nil), net.network.manager(baseURL: nil).copied()]
        let operations = (0..<10).map { managers[$0 % 2].started("GET", "http://a.test/\($0)") }
        await net.hasSent(3)
        gate.open()
        for operation in operations { await operation.ends() }
        #expect(net.log.entries.value.peakPerOrigin == 3)
        #expect(operations.allSatisfy { $0.error == nil })
    }

    @Test func cancelledAndPausedTransfersFreeTheirPermits() async {
        var limits = OriginLimits()
        limits.maximumConcurrentTransferCount = 1
        let net = GovernedNetwork(limits)
        let gate = Gate()
        net.network.answer("/post", with: [.sent(1), .wait(gate), .head(200)])
        net.network.answer("/get", with: [.wait(gate), .head(200)])
        let (post, get, last) = (net.operation("/post", method: "POST"), net.operation("/get"), net.operation("/last"))
        post.start()
        await net.log.sees(.begun(1))
        get.start()
        last.start()
        await NetworkThread.shared.catchesUp()
        #expect(net.sentCount == 1)
        post.pause()
        await net.hasSent(2)
        get.cancel()
        await last.ends()
        #expect(last.error == nil && get.code == .cancelled)
        gate.open()
        post.resume()
        await post.ends()
        #expect(post.error == nil && net.sentCount == 3)
        #expect(await net.governor.origins() == [])
    }

    @Test func raisedLimitsStartWaitingOperations() async {
        var limits = OriginLimits()
        limits.maximumConcurrentTransferCount = 1
        let net = GovernedNetwork(limits)
        let gate = Gate()
        net.network.answerOthers { _ in [.wait(gate), .head(200)] }
        let operations = (0..<6).map { net.operation("/\($0)") }
        for operation in operations { operation.start() }
        await net.hasSent(1)
        limits.maximumConcurrentTransferCount = 2
        net.governor.setLimits(limits)
        await net.hasSent(2)
        limits.maximumConcurrentTransferCount = 4
        net.governor.setLimits(limits, for: URL(string: "http://a.test/x")!)
        await net.hasSent(4)
        gate.open()
        for operation in operations { await operation.ends() }
    }

    // MARK: Rates

    @Test func transfersBeginAtTheRateOfTheirOrigin() async {
        let net = GovernedNetwork(OriginLimits(rateLimit: RateLimit(10)))
        let operations = (0..<4).map { net.operation("/\($0)") }
        for operation in operations { operation.start() }
        await net.run("/other", host: "b.test")
        #expect(net.log.requests.count { $0.url.host == "a.test" } == 1)
        for count in [3, 4, 5] {
            await net.time.advance(by: .milliseconds(79))
            #expect(net.sentCount == count - 1)
            await net.time.advance(by: .milliseconds(21))
            await net.hasSent(count)
        }
        for operation in operations { await operation.ends() }
    }

    @Test func managersTakeTurns() async {
        let net = GovernedNetwork(OriginLimits(rateLimit: RateLimit(10)))
        let names = ["x", "y", "z"]
        var operations: [RequestOperation] = []
        var managers: [RequestOperationManager] = []
        for name in names {
            let manager = net.network.manager(baseURL: nil).copied()
            managers.append(manager)
            operations += (0..<5).map { manager.operation("GET", "http://a.test/\(name)/\($0)") }
            manager.operationQueue.addOperations(Array(operations.suffix(5)))
        }
        for count in 1...15 {
            await net.hasSent(count)
            await net.time.advance(by: .milliseconds(100))
        }
        for operation in operations { await operation.ends() }
        let counts = Dictionary(grouping: net.paths.prefix(9)) { $0.dropFirst().prefix(1) }.mapValues(\.count)
        #expect(counts == ["x": 3, "y": 3, "z": 3], "\(net.paths)")
    }

    @Test func globalRateAppliesAcrossOrigins() async {
        let net = GovernedNetwork(rateLimit: RateLimit(10))
        let operations = (0..<4).map { net.operation("/\($0)", host: "host\($0).test") }
        for operation in operations { operation.start() }
        await net.hasSent(1)
        #expect(
            await operations[3].waitReason?.description
                == "the rate of all requests together is limited to 10/s, and the next request may start at 2023-11-14T22:13:20Z"
        )
        for count in 2...4 {
            await net.time.advance(by: .milliseconds(100))
            await net.hasSent(count)
        }
        for operation in operations { await operation.ends() }
    }

    @Test func operationCancelledBeforeSendingReturnsItsToken() async {
        let net = GovernedNetwork(OriginLimits(rateLimit: RateLimit(1)))
        let gate = Gate()
        net.network.answer("/connecting", with: [.connect(gate), .head(200)])
        let first = net.operation("/connecting")
        first.start()
        await net.log.sees(.begun(1))
        let second = net.operation("/b")
        second.start()
        await NetworkThread.shared.catchesUp()
        #expect(net.sentCount == 1)
        first.cancel()
        await second.ends()
        #expect(second.error == nil)
        gate.open()
    }

    @Test func retriesAfterStatus429NeedNoBudgetUnderAGovernor() async {
        let net = GovernedNetwork()
        net.network.answerOthers { _ in [.head(200)] }
        let gate = Gate()
        for number in 0..<50 {
            net.network.answer("/\(number)", inTurn: [[.wait(gate), .head(429)], [.head(200)]])
        }
        let operations = (0..<50).map { net.operation("/\($0)", retries: .standard) }
        for operation in operations { operation.start() }
        await net.hasSent(50)
        gate.open()
        await becomes(true) {
            await net.time.advance(by: .milliseconds(500))
            return operations.allSatisfy(\.isFinished)
        }
        for operation in operations { await operation.ends() }
        #expect(operations.allSatisfy { $0.error == nil && $0.retries.count == 1 })
    }
}
