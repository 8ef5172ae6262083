// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

/// Admission on an event loop that is turned by hand.
@Suite(.timeLimit(.minutes(1))) struct AdmissionTests {
    private let origin = AdmissionQueueTests.origin("a")
    private let loop: EventLoop
    private let admission: Admission

    init() {
        let loop = EventLoop(inbox: Inbox())
        self.loop = loop
        admission = Admission(limit: 1, limitPerOrigin: 1, loop: { loop })
    }

    private func enqueue(_ client: CountingClient) -> AdmissionQueue.Ticket {
        let ticket = admission.makeTicket(share: 0, priority: 0)
        admission.enqueue(ticket, origin: origin, priority: 0, client: client)
        return ticket
    }

    @Test func theLoopKnowsHowManyWaitForAPlaceThatIsNotFree() {
        let client = CountingClient()
        let tickets = (0..<4).map { _ in enqueue(client) }
        loop.runTurn()
        #expect(client.count == 1)
        #expect(loop.waitingCount == 3)
        admission.release(origin: origin)
        loop.runTurn()
        #expect(client.count == 2)
        #expect(loop.waitingCount == 2)
        admission.withdraw(tickets[3])
        #expect(loop.waitingCount == 1)
        admission.closeToNewcomers()
        #expect(loop.waitingCount == 0)
    }

    @Test func severalAdmissionsAreCountedTogether() {
        let other = Admission(limit: 1, limitPerOrigin: 1, loop: { [loop] in loop })
        let client = CountingClient()
        _ = (0..<3).map { _ in enqueue(client) }
        let ticket = other.makeTicket(share: 0, priority: 0)
        other.enqueue(ticket, origin: origin, priority: 0, client: client)
        loop.runTurn()
        #expect(client.count == 2)
        #expect(loop.waitingCount == 2)
        for _ in 0..<2 {
            admission.release(origin: origin)
            loop.runTurn()
        }
        #expect(client.count == 4)
        #expect(loop.waitingCount == 0)
    }

    @Test func whoeverWaitsIsSentBeforeWhatHasEndedIsProcessed() {
        let log = Witness([String]())
        let client = CountingClient { log.append("admitted") }
        let sender = DeadlineClient { log.append("sent") }
        let slot = loop.add(sender)
        _ = (0..<2).map { _ in enqueue(client) }
        loop.runTurn()
        #expect(log.value == ["admitted"])
        loop.atEndOfRound(.processing, RoundEndAction { log.append("processed") })
        admission.release(origin: origin)
        loop.setDeadline(1, slot: slot)
        loop.runTurn()
        #expect(log.value == ["admitted", "admitted", "sent", "processed"])
        loop.remove(slot: slot)
    }

    @Test func whereNobodyWaitsWhatHasEndedIsProcessedBeforeOthersAreSent() {
        let log = Witness([String]())
        let client = CountingClient { log.append("admitted") }
        let sender = DeadlineClient { log.append("sent") }
        let slot = loop.add(sender)
        loop.atEndOfRound(.processing, RoundEndAction { log.append("processed") })
        _ = enqueue(client)
        loop.setDeadline(1, slot: slot)
        loop.runTurn()
        #expect(log.value == ["processed", "admitted", "sent"])
        loop.remove(slot: slot)
    }
}

private final class CountingClient: AdmissionClient {
    private(set) var count = 0
    private let action: () -> Void

    init(_ action: @escaping () -> Void = {}) { self.action = action }

    func wasAdmitted() {
        count += 1
        action()
    }
}

/// What sends: libcurl does when its deadline is looked at.
private final class DeadlineClient: EventLoopClient {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    func socketIsReady(_: CInt, events _: UInt32) {}
    func deadlineHasPassed() { action() }
}
