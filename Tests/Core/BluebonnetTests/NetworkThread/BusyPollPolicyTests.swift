// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// When the network thread polls without sleeping: the decision alone, and an event loop turned by hand.
@Suite(.timeLimit(.minutes(1))) struct BusyPollPolicyTests {
    /// A policy after this many nanoseconds of waiting.
    private static func after(wait: UInt64) -> BusyPollPolicy {
        var busyPollPolicy = BusyPollPolicy()
        busyPollPolicy.turnEnds(now: 1_000_000_000)
        busyPollPolicy.turnBegins(now: 1_000_000_000 + wait)
        return busyPollPolicy
    }

    @Test func busyPollingBeginsOnlyAfterAShortWait() {
        let limit = BusyPollPolicy().shortWait
        for (wait, isTried) in [(limit - 1, true), (limit, false)] {
            var busyPollPolicy = Self.after(wait: wait)
            let begins = busyPollPolicy.begin(transferCount: 1, smallResponseCount: 1)
            #expect(begins == isTried)
        }
        var fresh = BusyPollPolicy()
        let begins = fresh.begin(transferCount: 1, smallResponseCount: 1)
        #expect(!begins)
    }

    @Test func busyPollingIsForFewSmallResponses() {
        var busyPollPolicy = Self.after(wait: 1)
        let limit = busyPollPolicy.transferLimit
        for count in 0...limit {
            let isTried = busyPollPolicy.begin(transferCount: count, smallResponseCount: count)
            #expect(isTried)
        }
        let hasMany = busyPollPolicy.begin(transferCount: limit + 1, smallResponseCount: limit + 1)
        let hasLargeOnes = busyPollPolicy.begin(transferCount: 2, smallResponseCount: 1)
        #expect(!hasMany && !hasLargeOnes)
    }

    /// Distant servers answer many small requests: no waiting time is long, and none is short enough either.
    @Test func uselessBusyPollingBacksOff() {
        var busyPollPolicy = Self.after(wait: 1)
        var tries: [Int] = []
        for occasion in 0..<20_000 where busyPollPolicy.begin(transferCount: 16, smallResponseCount: 16) {
            tries.append(occasion)
            busyPollPolicy.ended(wasOfUse: false)
        }
        #expect(tries.prefix(5) == [0, 3, 8, 17, 34])
        #expect(tries.count < 30)
        // After one answer in time, every occasion is used again.
        busyPollPolicy.ended(wasOfUse: true)
        for _ in 0..<100 {
            let isTried = busyPollPolicy.begin(transferCount: 1, smallResponseCount: 1)
            #expect(isTried)
            busyPollPolicy.ended(wasOfUse: true)
        }
    }

    /// Long enough that a turn that polls for nothing runs into the time limit.
    private static var patient: BusyPollPolicy {
        var busyPollPolicy = BusyPollPolicy()
        (busyPollPolicy.shortWait, busyPollPolicy.time) = (.max, 600_000_000_000)
        return busyPollPolicy
    }

    @Test func workSubmittedWhilePollingRunsInTheSameTurn() {
        let inbox = Inbox()
        let loop = NetworkLoop(EventLoop(inbox: inbox, busyPollPolicy: Self.patient))
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.02)
            inbox.submit { loop.endWaiting() }
        }
        loop.value.runTurn()
        #expect(loop.value.transferCount == 1)
    }

    @Test func socketReadyWhilePollingIsServedInTheSameTurn() throws {
        let loop = EventLoop(inbox: Inbox(), busyPollPolicy: Self.patient)
        let pipe = Pipe()
        let reader = pipe.fileHandleForReading.fileDescriptor
        let client = PipeClient(loop)
        client.slot = loop.add(client)
        loop.watch(reader, events: 1, isNew: true, slot: client.slot)
        let writer = pipe.fileHandleForWriting
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.02)
            try? writer.write(contentsOf: Data("x".utf8))
        }
        loop.runTurn()
        #expect(client.readyDescriptors == [reader])
    }

    @Test func turnEndsAtOnceWhenBusyPollingIsUseless() {
        var patient = Self.patient
        patient.shortWait = 0
        EventLoop(inbox: Inbox(), busyPollPolicy: patient).runTurn()
        let loop = EventLoop(inbox: Inbox(), busyPollPolicy: Self.patient)
        (loop.transferCount, loop.smallResponseCount) = (1, 0)
        loop.runTurn()
        #expect(loop.roundNumber == 1)
    }

    @Test func busyPollingYieldsToThreadsThatPrepareRequests() {
        var busyPollPolicy = Self.after(wait: 1)
        for (processors, busy, isTried) in [(2, 0, true), (2, 1, false), (4, 2, true), (4, 3, false), (4, 9, false)] {
            busyPollPolicy.processorCount = processors
            let begins = busyPollPolicy.begin(transferCount: 0, smallResponseCount: 0, busyCount: busy)
            #expect(begins == isTried)
        }
    }

    @Test func turnEndsAtOnceWhileRequestsArePrepared() {
        let loop = EventLoop(inbox: Inbox(), busyPollPolicy: Self.patient)
        loop.inbox.expectWork()
        loop.runTurn()
        #expect(loop.roundNumber == 1)
    }
}

/// An event loop that another thread's work changes when this thread runs that work.
private final class NetworkLoop: @unchecked Sendable {  // safe: only the thread that turns the loop uses it
    let value: EventLoop

    init(_ value: EventLoop) { self.value = value }

    /// A transfer with a large response is in progress.
    func endWaiting() { value.transferCount = 1 }
}

private final class PipeClient: EventLoopClient {
    private let loop: EventLoop
    var slot = -1
    private(set) var readyDescriptors: [CInt] = []

    init(_ loop: EventLoop) { self.loop = loop }

    func socketIsReady(_ descriptor: CInt, events: UInt32) {
        readyDescriptors.append(descriptor)
        loop.unwatch(descriptor)
        loop.transferCount = 1
    }

    func deadlineHasPassed() {}
}
