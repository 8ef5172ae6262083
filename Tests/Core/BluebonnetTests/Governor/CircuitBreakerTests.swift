// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// Operations to an origin that fails, on a scripted network in virtual time.
@Suite(.timeLimit(.minutes(1))) struct CircuitBreakerTests {
    private let net = GovernedNetwork(
        OriginLimits(rateLimit: nil, circuitBreaker: CircuitBreaker(failureCount: 3, openTime: .seconds(30))))

    private func fail(_ count: Int) async {
        net.network.answer("/fail", with: [.fail(.connectionLost)])
        for _ in 0..<count { await net.run("/fail") }
    }

    @Test(arguments: [false, true]) func operationsFailAtOnceAfterTooManyOriginFailures(isInQueue: Bool) async {
        await fail(3)
        let operations = (0..<100).map { net.operation("/\($0)") }
        let queue = RequestOperationQueue()
        if isInQueue { queue.addOperations(operations) } else { for operation in operations { operation.start() } }
        for operation in operations { await operation.ends() }
        #expect(operations.allSatisfy { $0.code == .originUnavailable } && net.sentCount == 3)
        let error = operations[0].error
        #expect(
            error?.message == "not sent, because http://a.test:80 has failed 3 times in a row; the next attempt is at "
                + "2023-11-14T22:13:50Z")
        #expect(error?.retryDate == VirtualTime.start.addingTimeInterval(30) && error?.isTransient == true)
        #expect(await net.status()?.isUnavailable == true)
        #expect(await net.run("/b", host: "b.test").error == nil)
    }

    @Test func waitingOperationsFailWhenOriginBecomesUnavailable() async {
        var limits = OriginLimits(rateLimit: nil, circuitBreaker: CircuitBreaker(failureCount: 1))
        limits.maximumConcurrentTransferCount = 1
        net.governor.setLimits(limits)
        let gate = Gate()
        net.network.answer("/fail", with: [.wait(gate), .fail(.cannotConnect)])
        let operations = ["/fail", "/a", "/b", "/c"].map { net.operation($0) }
        for operation in operations { operation.start() }
        await net.hasSent(1)
        gate.open()
        for operation in operations { await operation.ends() }
        #expect(operations.map(\.code) == [.cannotConnect, .originUnavailable, .originUnavailable, .originUnavailable])
        #expect(net.sentCount == 1)
    }

    @Test func oneOperationProbesTheOriginWhileOthersWait() async {
        await fail(3)
        await net.time.advance(by: .seconds(30))
        let gate = Gate()
        net.network.answer("/0", with: [.wait(gate), .head(200)])
        let operations = (0..<3).map { net.operation("/\($0)") }
        for operation in operations { operation.start() }
        await net.hasSent(4)
        #expect(
            await operations[2].waitReason?.description == "one request checks whether http://a.test:80 answers again")
        gate.open()
        for operation in operations { await operation.ends() }
        #expect(operations.allSatisfy { $0.error == nil })
    }

    @Test func originThatFailsAgainStaysUnavailable() async {
        await fail(3)
        await net.time.advance(by: .seconds(30))
        await fail(1)
        #expect(await net.run("/a").code == .originUnavailable)
        #expect(net.sentCount == 4)
        await net.time.advance(by: .seconds(30))
        #expect(await net.run("/a").error == nil)
    }

    @Test func standardPolicyDoesNotRetryUnavailableOrigin() async {
        await fail(3)
        let operation = net.operation("/a", retries: .standard)
        operation.start()
        await operation.ends()
        #expect(operation.code == .originUnavailable && operation.retries.isEmpty)
    }

    @Test func certificateErrorIsNoOriginFailure() async {
        net.network.answer("/fail", with: [.fail(.serverNotTrusted)])
        for _ in 0..<5 { await net.run("/fail") }
        #expect(await net.run("/a").error == nil)
    }
}
