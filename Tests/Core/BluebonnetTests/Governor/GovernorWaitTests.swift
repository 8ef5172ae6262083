// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Operations that wait for an origin during its back-off, and the probe of the origin, on a scripted network in
/// virtual time.
@Suite(.timeLimit(.minutes(1))) struct GovernorWaitTests {
    private let net = GovernedNetwork()
    private static let holdSentence =
        "http://a.test:80 is on hold until 2023-11-14T22:13:30Z, because its server answered 429 and asked clients to wait"

    /// The probe of a.test after its back-off. Its transfer waits for a gate.
    private func begunProbe(_ gate: Gate) async -> HTTPRequestOperation {
        await net.hold(seconds: 10)
        net.network.answer("/probe", with: [.wait(gate), .head(200)])
        let probe = net.operation("/probe")
        probe.start()
        await NetworkThread.shared.catchesUp()
        await net.time.advance(by: .seconds(10))
        await net.hasSent(2)
        return probe
    }

    /// A POST that was sent and paused in place.
    private func pausedPost(_ gate: Gate) async -> HTTPRequestOperation {
        net.network.answer("/post", with: [.sent(1), .wait(gate), .head(200)])
        let post = net.operation("/post", method: "POST")
        post.start()
        await net.log.sees(.begun(1))
        await NetworkThread.shared.catchesUp()
        post.pause()
        await net.log.sees(.paused(1))
        return post
    }

    // MARK: The probe of the origin

    @Test func pausedProbeIsReplacedAndResumesLikeOthers() async {
        let gate = Gate()
        let probe = await begunProbe(gate)
        let next = net.operation("/next")
        next.start()
        await NetworkThread.shared.catchesUp()
        #expect(net.sentCount == 2)
        probe.pause()
        await next.ends()
        #expect(next.error == nil && net.sentCount == 3)
        gate.open()
        probe.resume()
        await probe.ends()
        #expect(probe.error == nil && net.sentCount == 4)
    }

    @Test func resumedProbeIsProbeAgain() async {
        let gate = Gate()
        let probe = await begunProbe(gate)
        probe.pause()
        await net.log.sees(.aborted(2))
        probe.resume()
        await net.hasSent(3)
        let next = net.operation("/next")
        next.start()
        await becomes("one request checks whether http://a.test:80 answers again") {
            await next.waitReason?.description
        }
        #expect(net.sentCount == 3)
        gate.open()
        await probe.ends()
        await next.ends()
        #expect(probe.error == nil && next.error == nil && net.sentCount == 4)
    }

    @Test func probeRedirectedElsewhereReopensItsOrigin() async {
        let gate = Gate()
        await net.hold(seconds: 10)
        net.network.answer("/probe", with: [.head(302, ["Location": "http://b.test/to"])])
        net.network.answer("/to", with: [.wait(gate), .head(200)])
        let (probe, next) = (net.operation("/probe"), net.operation("/next"))
        probe.start()
        next.start()
        await NetworkThread.shared.catchesUp()
        await net.time.advance(by: .seconds(10))
        await next.ends()
        #expect(next.error == nil && !probe.isFinished)
        gate.open()
        await probe.ends()
        #expect(probe.error == nil && Set(net.paths) == ["/hold", "/probe", "/to", "/next"])
    }

    // MARK: Transfers paused in place

    @Test func resumedTransferWaitsForTheBackoff() async {
        let gate = Gate()
        let post = await pausedPost(gate)
        await net.hold(seconds: 10)
        post.resume()
        await becomes(Self.holdSentence) { await post.waitReason?.description }
        await net.time.advance(by: .milliseconds(9_999))
        #expect(!net.log.events.contains(.resumed(1)))
        await net.time.advance(by: .milliseconds(1))
        await net.log.sees(.resumed(1))
        gate.open()
        await post.ends()
        #expect(post.error == nil && net.sentCount == 2)
    }

    /// The request was sent long ago. If the operation failed, the outcome of its request would be unknown.
    @Test func resumedTransferSurvivesTooLongBackoff() async {
        let gate = Gate()
        let post = await pausedPost(gate)
        await net.hold(seconds: 400)
        #expect(await net.run("/next").code == .retryAfterTooLong)
        post.resume()
        await net.log.sees(.resumed(1))
        gate.open()
        await post.ends()
        #expect(post.error == nil && net.sentCount == 2)
    }

    // MARK: Caches, drains and status

    @Test func cachedResponsesAreServedDuringBackoff() async throws {
        let resolved = ResolvedOptions(TransferOptions { $0.responseCache = InMemoryResponseCache() })
        func operation(_ path: String) throws -> HTTPRequestOperation {
            let request = URLRequest(url: try #require(URL(string: "http://a.test\(path)")))
            return HTTPRequestOperation(
                plan: RequestPlan(request, options: resolved), serializer: ResolvedSerializer(HTTPResponseSerializer()),
                services: net.network.services)
        }
        net.network.answer("/cached", with: [.head(200, ["Cache-Control": "max-age=1000"]), .body("fine")])
        let first = try operation("/cached")
        first.start()
        await first.ends()
        #expect(first.error == nil && net.sentCount == 1)
        await net.hold(seconds: 10)
        let queue = RequestOperationQueue()
        let (queued, started, other) = (try operation("/cached"), try operation("/cached"), try operation("/other"))
        queue.addOperations([other, queued])
        started.start()
        for operation in [queued, started] {
            await operation.ends()
            #expect(operation.error == nil && operation.summary.isFromCache)
        }
        await becomes(Self.holdSentence) { await other.waitReason?.description }
        #expect(other.isExecuting && net.sentCount == 2)
        await net.time.advance(by: .seconds(10))
        await other.ends()
        #expect(other.error == nil && net.sentCount == 3)
    }

    @Test func drainDuringBackoffFinishesOnlyBegunOperations() async {
        let gate = Gate()
        net.network.answer("/running", with: [.wait(gate), .head(200)])
        net.network.answer("/from", with: [.wait(gate), .head(302, ["Location": "http://a.test/to"])])
        let manager = net.network.manager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        let running = manager.started("GET", "http://a.test/running")
        let redirected = manager.started("GET", "http://b.test/from")
        await net.hasSent(2)
        await net.hold(seconds: 10)
        let waiting = (0..<3).map { manager.started("GET", "http://a.test/waiting/\($0)") }
        await NetworkThread.shared.catchesUp()
        async let drained = manager.drain(timeout: .seconds(60))
        await becomes(true) { manager.operationQueue.isSuspended }
        await NetworkThread.shared.catchesUp()
        gate.open()
        await running.ends()
        await becomes(Self.holdSentence) { await redirected.waitReason?.description }
        await net.time.advance(by: .seconds(10))
        let summary = await drained
        #expect(!summary.hasExpired && summary.cancelled.isEmpty && summary.paused.isEmpty)
        let finished = Set(summary.finished.map(ObjectIdentifier.init))
        #expect(finished == [ObjectIdentifier(running), ObjectIdentifier(redirected)])
        #expect(Set(summary.unstarted.map(ObjectIdentifier.init)) == Set(waiting.map(ObjectIdentifier.init)))
        #expect(redirected.error == nil && running.error == nil)
        #expect(Set(net.paths) == ["/running", "/from", "/hold", "/to"])
        manager.operationQueue.cancelAllOperations()
        for operation in waiting { await operation.ends() }
    }

    /// Their entries stay at the gate of the queue until the back-off ends.
    @Test func waitingCountIgnoresStaleEntries() async {
        await net.hold(seconds: 10)
        let queue = RequestOperationQueue()
        let operations = (0..<10).map { net.operation("/\($0)") }
        queue.addOperations(operations)
        await NetworkThread.shared.catchesUp()
        #expect(await net.status()?.waitingCount == 10)
        for operation in operations.prefix(4) { operation.cancel() }
        for operation in operations.prefix(4) { await operation.ends() }
        operations[5].queuePriority = .high
        await NetworkThread.shared.catchesUp()
        #expect(await net.status()?.waitingCount == 6)
        queue.cancelAllOperations()
        await queue.empties()
        #expect(net.sentCount == 1)
    }
}
