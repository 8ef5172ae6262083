// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// Operations to an origin with a long back-off, on a scripted network in virtual time.
@Suite(.timeLimit(.minutes(1))) struct GovernorHoldTests {
    private let net = GovernedNetwork()

    private static let patient: RetryPolicy = {
        var policy = RetryPolicy.standard
        (policy.maximumRetryAfter, policy.maximumTime) = (.seconds(3600), nil)
        return policy
    }()

    @Test func repeatedRefusalsMakeOperationsFail() async {
        net.network.answerOthers { _ in [.head(429, ["Retry-After": "100"])] }
        await net.run("/0")
        let operations = (1...5).map { net.operation("/\($0)") }
        for operation in operations { operation.start() }
        await NetworkThread.shared.catchesUp()
        for number in 0..<3 {
            await net.time.advance(by: .seconds(100))
            await operations[number].ends()
            #expect(operations[number].code == .unacceptableStatus)
        }
        for operation in operations { await operation.ends() }
        #expect(operations.suffix(2).allSatisfy { $0.code == .retryAfterTooLong })
        #expect(await net.run("/a").code == .retryAfterTooLong && net.sentCount == 4)
        await net.time.advance(by: .seconds(100))
        #expect(await net.run("/b").code == .unacceptableStatus && net.sentCount == 5)
    }

    @Test func longBackoffIsInterruptedByAProbe() async {
        await net.hold(seconds: 86_400)
        await net.time.advance(by: .seconds(299))
        #expect(await net.run("/a").code == .retryAfterTooLong && net.sentCount == 1)
        await net.time.advance(by: .seconds(1))
        #expect(await net.run("/b").error == nil && net.sentCount == 2)
        #expect(await net.run("/c").error == nil)
    }

    @Test func operationWaitsAsLongAsItsPolicyAllows() async {
        await net.hold(seconds: 400)
        let operation = net.operation("/a", retries: Self.patient)
        operation.start()
        await net.time.hasWaiting(1)
        #expect(
            await operation.waitReason?.description
                == "http://a.test:80 is on hold until 2023-11-14T22:20:00Z, because its server asked clients to wait")
        await net.time.advance(by: .seconds(399))
        #expect(net.sentCount == 1)
        await net.time.advance(by: .seconds(1))
        await operation.ends()
        #expect(operation.error == nil && operation.retries.isEmpty && net.sentCount == 2)
    }

    @Test func refusedRetryKeepsThePreviousAttempt() async {
        net.network.answer("/a", with: [.head(500)])
        let operation = net.operation("/a", retries: .standard)
        operation.start()
        await net.time.hasWaiting(1)
        await net.hold(seconds: 400)
        await net.time.advance(by: .seconds(1))
        await operation.ends()
        #expect(operation.code == .retryAfterTooLong && operation.retries.map(\.statusCode) == [500])
    }

    @Test func resetEndsTheBackoff() async {
        await net.hold(seconds: 400)
        let waiting = net.operation("/waits", retries: nil)
        await net.time.advance(by: .seconds(200))
        waiting.start()
        await NetworkThread.shared.catchesUp()
        net.governor.reset(for: URL(string: "http://a.test/")!)
        await waiting.ends()
        #expect(waiting.error == nil && net.sentCount == 2)
        #expect(await net.governor.origins() == [])
    }

    @Test func resumedTransferIsNoProbe() async {
        let gate = Gate()
        net.network.answer("/post", with: [.sent(1), .wait(gate), .head(200)])
        let post = net.operation("/post", method: "POST")
        post.start()
        await net.log.sees(.begun(1))
        await NetworkThread.shared.catchesUp()
        post.pause()
        await net.hold(seconds: 10)
        post.resume()
        let next = net.operation("/next")
        next.start()
        await NetworkThread.shared.catchesUp()
        await net.time.advance(by: .seconds(10))
        await next.ends()
        #expect(next.error == nil && net.sentCount == 3)
        gate.open()
        await post.ends()
        #expect(post.error == nil)
    }

    @Test func cancelledProbeIsFollowedByAnother() async {
        await net.hold(seconds: 10)
        let gate = Gate()
        net.network.answer("/probe", with: [.wait(gate), .head(200)])
        let (probe, next) = (net.operation("/probe"), net.operation("/next"))
        probe.start()
        next.start()
        await NetworkThread.shared.catchesUp()
        await net.time.advance(by: .seconds(10))
        await net.hasSent(2)
        probe.cancel()
        await next.ends()
        #expect(next.error == nil && net.sentCount == 3)
        gate.open()
    }

    @Test func unusedGlobalRateIsReturnedToOtherManagers() async {
        let net = GovernedNetwork(rateLimit: RateLimit(1))
        let gate = Gate()
        net.network.answer("/connecting", with: [.connect(gate), .head(200)])
        let managers = [net.network.manager(baseURL: nil), net.network.manager(baseURL: nil).copied()]
        let first = managers[0].started("GET", "http://a.test/connecting")
        await net.log.sees(.begun(1))
        let second = managers[1].started("GET", "http://b.test/b")
        await NetworkThread.shared.catchesUp()
        #expect(net.sentCount == 1)
        first.cancel()
        await second.ends()
        #expect(second.statusCode == 200 && net.sentCount == 2)
        gate.open()
    }

    @Test func largestConcurrencyLimitIsAccepted() async {
        var limits = OriginLimits()
        limits.maximumConcurrentTransferCount = .max
        net.governor.setLimits(limits)
        #expect(await net.run("/a").error == nil)
    }
}
