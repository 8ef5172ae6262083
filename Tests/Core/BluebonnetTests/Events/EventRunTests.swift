// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// The events of operations on a scripted network.
@Suite(.timeLimit(.minutes(2))) struct EventRunTests {
    private let net = GovernedNetwork(OriginLimits(rateLimit: nil), limit: 4)
    private let log = EventLog()

    private func operation(_ path: String, method: String = "GET", retries: RetryPolicy? = nil) -> HTTPRequestOperation
    {
        let operation = net.operation(path, method: method, retries: retries)
        operation.addEventMonitor(log)
        return operation
    }

    @Test func plainRequestReportsItsSteps() async {
        let operation = operation("/a")
        operation.name = "first"
        let queue = RequestOperationQueue()
        queue.addOperation(operation)
        await operation.ends()
        #expect(
            await log.names == [
                "queued", "admitted", "hopBegan", "requestHeadSent", "firstByte", "responseHead",
                "responseBodyReceived", "hopEnded", "finished",
            ])
        let events = await log.all.filter { $0.operation != nil }
        #expect(events.allSatisfy { $0.name == "first" })
        #expect(events.map(\.attempt) == [0, 0] + Array(repeating: 1, count: 7))
        #expect(events.map(\.hop) == [0, 0] + Array(repeating: 1, count: 7))
        #expect(events.last?.origin == "http://a.test:80")
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.instant <= $1.instant })
    }

    @Test func redirectAndRetryAreDecisionsBetweenHops() async {
        net.network.answer("/a", with: [.head(302, ["Location": "/b"])])
        net.network.answer("/b", inTurn: [[.head(503)], [.head(200)]])
        let operation = operation("/a", retries: .standard)
        operation.start()
        await net.time.hasWaiting(1)
        await net.time.advance(by: .seconds(1))
        await operation.ends()
        // A hop without a slot waits for one, if only for a moment.
        let shown = await log.all.filter { event in
            if case .waitBegan(.slot) = event.kind { return false }
            if case .waitEnded(.slot) = event.kind { return false }
            return event.operation != nil
                && ![
                    "requestHeadSent", "firstByte", "responseHead", "responseBodyReceived",
                ].contains(event.kind.name)
        }
        let names = shown.map(\.kind.name)
        #expect(
            names == [
                "queued", "admitted", "hopBegan", "hopEnded", "redirectDecided", "hopBegan", "hopEnded", "retryDecided",
                "waitBegan", "waitEnded", "hopBegan", "hopEnded", "finished",
            ])
        let events = shown
        for event in events {
            switch event.kind {
            case .redirectDecided(let status, let target): #expect((status, target) == (302, "http://a.test/b"))
            case .retryDecided(.retry(_, let rule, let facts)):
                #expect(rule == .backoff && facts == .init(code: .unacceptableStatus, statusCode: 503))
            case .waitBegan(let reason): #expect(reason.kind == .backoff && reason.until != nil)
            case .finished(let end): #expect(end.errorCode == nil && end.statusCode == 200)
            default: break
            }
        }
        #expect(events.filter { $0.kind.name == "hopBegan" }.map(\.attempt) == [1, 1, 2])
    }

    @Test func queuedReasonNamesTheDependency() async {
        let gate = Gate()
        net.network.answer("/1", with: [.wait(gate), .head(200)])
        let (first, second) = (operation("/1"), operation("/2"))
        (first.name, second.name) = ("login", "profile")
        second.addDependency(first)
        let queue = RequestOperationQueue()
        queue.addOperations([first, second])
        await net.hasSent(1)
        gate.open()
        await second.ends()
        let reasons = await log.all.compactMap { event -> WaitReason?? in
            if case .queued(let reason) = event.kind { reason } else { nil }
        }
        #expect(reasons == [nil, .dependency(first: "login", count: 1)])
        #expect(second.summary.timings.waits.keys.contains(.dependency))
        #expect(second.summary.timings.total >= first.summary.timings.total)
    }

    @Test func pauseInPlaceOverlapsWithItsHop() async {
        let gate = Gate()
        net.network.answer("/a", with: [.sent(1), .wait(gate), .head(200)])
        let operation = operation("/a", method: "POST")
        operation.start()
        await net.hasSent(1)
        operation.pause()
        await NetworkThread.shared.catchesUp()
        operation.resume()
        gate.open()
        await operation.ends()
        let names = await log.names
        #expect(names.filter { $0 == "hopBegan" }.count == 1)
        #expect(names.firstIndex(of: "paused") ?? 0 < names.firstIndex(of: "hopEnded") ?? 0)
        #expect(operation.summary.timings.waits.keys.contains(.pause))
    }

    @Test(arguments: [true, false]) func waitForTheOriginsSlotIsItsOwnReason(isQueued: Bool) async {
        let net = ScriptedNetwork(limit: 8, limitPerOrigin: 1)
        let gate = Gate()
        net.answer("/1", with: [.wait(gate), .head(200)])
        let (first, second) = (net.operation("/1"), net.operation("/2"))
        let queue = RequestOperationQueue()
        first.start()
        await net.log.sees(.begun(1))
        if isQueued { queue.addOperation(second) } else { second.start() }
        await NetworkThread.shared.catchesUp()
        try? await Task.sleep(for: .milliseconds(5))  // so that the wait is long enough to count
        gate.open()
        await second.ends()
        await first.ends()
        let waits = second.summary.timings.waits
        #expect(waits[.originSlot] ?? .zero >= .milliseconds(4), "\(waits)")
        #expect(waits[.slot] == nil)
    }

    @Test func releasedOperationReportsItsEnd() async {
        var operation: HTTPRequestOperation? = operation("/a")
        operation?.start()
        operation?.pause()
        await NetworkThread.shared.catchesUp()
        operation = nil
        await log.events.becomes { events in events.contains { $0.kind.name == "finished" } }
        var pairs = EventPairs()
        for event in await log.all where event.operation != nil { pairs.add(event.kind) }
        #expect(pairs.fault() == nil)
    }

    @Test func governorReportsAHold() async {
        let operation = operation("/hold")
        net.network.answer("/hold", with: [.head(429, ["Retry-After": "5"])])
        operation.start()
        await operation.ends()
        let changes = await log.all.compactMap { event -> RequestEvent.GovernorChange? in
            if case .governorChanged(let change) = event.kind, event.origin == "http://a.test:80" {
                change
            } else {
                nil
            }
        }
        guard case .hold(_, 429)? = changes.first else {
            Issue.record("no hold was reported: \(changes)")
            return
        }
    }

    @Test func cancelledInQueueIsPairedAndHasNoHop() async {
        let queue = RequestOperationQueue()
        queue.isSuspended = true
        let operation = operation("/a")
        queue.addOperation(operation)
        operation.cancel()
        await operation.ends()
        let events = await log.all.filter { $0.operation != nil }
        guard case .queued(.suspended?)? = events.first?.kind, case .finished(let end)? = events.last?.kind else {
            Issue.record("not queued … finished: \(events)")
            return
        }
        #expect(end.errorCode == .cancelled)
        #expect(!events.contains { $0.kind.name == "hopBegan" })
    }
}
