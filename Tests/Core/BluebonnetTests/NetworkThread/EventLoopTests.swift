// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import CLinux
import Glibc
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// A separate event loop, turned by hand.
@Suite(.timeLimit(.minutes(1))) struct EventLoopTests {
    private let inbox = Inbox()
    private let loop: EventLoop

    init() { loop = EventLoop(inbox: inbox) }

    @Test func turnRunsAllWorkInOrder() {
        let order = Observed([Int]())
        for number in 0..<5 { inbox.submit { order.append(number) } }
        #expect(isReadable)
        loop.runTurn()
        #expect(order.value == [0, 1, 2, 3, 4])
        #expect(!isReadable)
    }

    @Test func workSubmittedByWorkRunsInTheSameTurn() {
        let order = Observed([Int]())
        inbox.submit { [inbox] in
            order.append(1)
            inbox.submit { order.append(2) }
        }
        loop.runTurn()
        #expect(order.value == [1, 2])
    }

    @Test func endlessWorkYieldsToTheRunLoopAndContinues() {
        let runs = Observed(0)
        let again = Again(inbox, runs, until: 100)
        inbox.submit { again.run() }
        loop.runTurn()
        #expect((1..<100).contains(runs.value))
        #expect(isReadable)
        var turns = 1
        while isReadable, turns < 100 {
            loop.runTurn()
            turns += 1
        }
        #expect(runs.value == 100)
    }

    @Test func roundEndActionRunsAfterAllSocketsAndBeforeWork() throws {
        let order = Observed([String]())
        let client = RecordingClient()
        let end = RoundEndAction { order.append("end") }
        let slot = loop.add(client)
        let pairs = [try Pair(), try Pair(), try Pair()]
        client.onReady = { [loop] in
            order.append("ready")
            if order.value == ["ready"] { loop.atEndOfRound(.reading, end) }
            for pair in pairs { pair.drainOne() }
        }
        for pair in pairs {
            loop.watch(pair.one, events: EPOLLIN.rawValue, isNew: true, slot: slot)
            pair.writeToOne()
        }
        inbox.submit { order.append("work") }
        loop.runTurn()
        inbox.submit { order.append("more work") }
        loop.runTurn()
        #expect(order.value == ["ready", "ready", "ready", "end", "work", "more work"])
        for pair in pairs { loop.unwatch(pair.one) }
        loop.remove(slot: slot)
    }

    @Test func roundEndComesAfterAllWorkOfTheRound() {
        let order = Observed([String]())
        loop.atEndOfRound { order.append("end") }
        for number in 0..<3 { inbox.submit { order.append("\(number)") } }
        loop.runTurn()
        #expect(order.value == ["0", "1", "2", "end"])
    }

    @Test func actionAddedAtARoundEndWaitsForTheNext() {
        let order = Observed([String]())
        loop.atEndOfRound { [inbox, loop] in
            order.append("first end")
            loop.atEndOfRound { order.append("second end") }
            inbox.submit { order.append("work") }
        }
        inbox.submit {}
        loop.runTurn()
        #expect(order.value == ["first end", "work", "second end"])
    }

    @Test func clientReceivesTheReadyEventsOfItsSocket() throws {
        let client = RecordingClient()
        let slot = loop.add(client)
        let pair = try Pair()
        loop.watch(pair.one, events: EPOLLIN.rawValue, isNew: true, slot: slot)
        pair.writeToOne()
        client.onReady = { pair.drainOne() }
        loop.runTurn()
        #expect(client.ready.map(\.descriptor) == [pair.one])
        #expect(client.ready.allSatisfy { $0.events & EPOLLIN.rawValue != 0 })
    }

    @Test func unwatchedSocketIsSilent() throws {
        let client = RecordingClient()
        let slot = loop.add(client)
        let pair = try Pair()
        loop.watch(pair.one, events: EPOLLIN.rawValue, isNew: true, slot: slot)
        loop.unwatch(pair.one)
        pair.writeToOne()
        loop.runTurn()
        #expect(client.ready.isEmpty)
    }

    @Test func mutedSocketIsSilentAndForgottenAtItsFirstEvent() throws {
        let (client, slot, pair) = try mutedSocketWithBytes(isBrief: false)
        loop.runTurn()
        #expect(client.ready.isEmpty)
        #expect(!isReadable)  // the kernel does not watch it any longer: the loop does not spin
        loop.watch(pair.one, events: EPOLLIN.rawValue, isNew: true, slot: slot)
        client.onReady = { pair.drainOne() }
        loop.runTurn()
        #expect(client.ready.map(\.descriptor) == [pair.one])
    }

    /// The transfer has used its share of a round. Bytes that arrive in the meantime cause no new event.
    @Test func restingSocketReportsItsBytesInTheNextRound() throws {
        let (client, slot, pair) = try mutedSocketWithBytes(isBrief: true)
        client.onDeadline = { [loop] in
            #expect(client.ready.isEmpty)
            loop.watch(pair.one, events: EPOLLIN.rawValue, isNew: true, slot: slot)
        }
        loop.setDeadline(1, slot: slot)
        client.onReady = { pair.drainOne() }
        loop.runTurn()
        #expect(client.ready.map(\.descriptor) == [pair.one])
        #expect(!isReadable)
    }

    @Test func socketLeftRestingDoesNotSpinTheLoop() throws {
        let (client, _, pair) = try mutedSocketWithBytes(isBrief: true)
        withExtendedLifetime(pair) { loop.runTurn() }
        #expect(client.ready.isEmpty)
        #expect(!isReadable)
    }

    /// A socket that is watched, rests, and has bytes to read.
    private func mutedSocketWithBytes(isBrief: Bool) throws -> (RecordingClient, slot: Int, Pair) {
        let client = RecordingClient()
        let slot = loop.add(client)
        let pair = try Pair()
        loop.watch(pair.one, events: EPOLLIN.rawValue, isNew: true, slot: slot)
        loop.mute(pair.one, isBrief: isBrief)
        pair.writeToOne()
        return (client, slot, pair)
    }

    @Test func restedSocketIsWatchedAgain() throws {
        let client = RecordingClient()
        let slot = loop.add(client)
        let pair = try Pair()
        client.onReady = { pair.drainOne() }
        for _ in 0..<3 {
            loop.watch(pair.one, events: EPOLLIN.rawValue, isNew: true, slot: slot)
            pair.writeToOne()
            loop.runTurn()
            loop.mute(pair.one, isBrief: false)
        }
        #expect(client.ready.map(\.descriptor) == [pair.one, pair.one, pair.one])
    }

    @Test func reusedDescriptorIsWatched() throws {
        let client = RecordingClient()
        let slot = loop.add(client)
        var first: Pair? = try Pair()
        let number = first?.one ?? -1
        loop.watch(number, events: EPOLLIN.rawValue, isNew: true, slot: slot)
        loop.mute(number, isBrief: false)
        first = nil  // closes the socket
        loop.forget(number)
        let second = try Pair()
        client.onReady = { second.drainOne() }
        loop.watch(second.one, events: EPOLLIN.rawValue, isNew: true, slot: slot)
        second.writeToOne()
        loop.runTurn()
        #expect(client.ready.map(\.descriptor) == [second.one])
    }

    /// A child process that inherited the socket would hold it in this way.
    @Test func forgottenSocketHeldElsewhereDoesNotSpinTheLoop() throws {
        let client = RecordingClient()
        let slot = loop.add(client)
        let pair = try Pair()
        let duplicate = dup(pair.one)
        defer { close(duplicate) }
        loop.watch(pair.one, events: EPOLLIN.rawValue, isNew: true, slot: slot)
        loop.mute(pair.one, isBrief: false)
        loop.forget(pair.one)
        pair.closeOne()
        pair.writeToOne()
        loop.runTurn()
        #expect(!isReadable)
        #expect(client.ready.isEmpty)
    }

    @Test func socketIsWatchedDespiteAWrongNewFlag() throws {
        let client = RecordingClient()
        let slot = loop.add(client)
        let (first, second) = (try Pair(), try Pair())
        loop.watch(first.one, events: EPOLLIN.rawValue, isNew: false, slot: slot)
        loop.watch(second.one, events: EPOLLIN.rawValue, isNew: true, slot: slot)
        loop.watch(second.one, events: EPOLLIN.rawValue, isNew: true, slot: slot)
        client.onReady = {
            first.drainOne()
            second.drainOne()
        }
        for pair in [first, second] {
            pair.writeToOne()
            loop.runTurn()
        }
        #expect(client.ready.map(\.descriptor) == [first.one, second.one])
    }

    @Test func removedSlotIsUsedAgain() {
        let (first, second) = (loop.add(RecordingClient()), loop.add(RecordingClient()))
        #expect(first != second)
        loop.remove(slot: first)
        #expect(loop.add(RecordingClient()) == first)
    }
}

// MARK: - Deadlines

extension EventLoopTests {
    @Test func passedDeadlineIsReportedOnceInTheNextTurn() {
        let client = RecordingClient()
        loop.setDeadline(MonotonicClock.now(), slot: loop.add(client))
        loop.runTurn()
        loop.runTurn()
        #expect(client.deadlineCount == 1)
    }

    @Test func futureDeadlineWakesTheLoop() {
        let client = RecordingClient()
        loop.setDeadline(MonotonicClock.now() + 2_000_000, slot: loop.add(client))
        loop.runTurn()
        turn(until: { client.deadlineCount == 1 })
        #expect(client.deadlineCount == 1)
    }

    @Test func withdrawnDeadlineIsNotReported() {
        let (client, other) = (RecordingClient(), RecordingClient())
        let slot = loop.add(client)
        loop.setDeadline(MonotonicClock.now() + 1_000_000, slot: slot)
        loop.runTurn()
        let count = client.deadlineCount  // 1 if the thread could not run before the deadline had passed
        loop.setDeadline(.max, slot: slot)
        loop.setDeadline(MonotonicClock.now() + 2_000_000, slot: loop.add(other))
        loop.runTurn()
        turn(until: { other.deadlineCount == 1 })
        #expect(client.deadlineCount == count)
    }

    @Test func earlierDeadlineOvertakesALaterDeadline() {
        let (early, late) = (RecordingClient(), RecordingClient())
        loop.setDeadline(MonotonicClock.now() + 3_600_000_000_000, slot: loop.add(late))
        loop.runTurn()
        loop.setDeadline(MonotonicClock.now() + 1_000_000, slot: loop.add(early))
        loop.runTurn()
        turn(until: { early.deadlineCount == 1 })
        #expect(early.deadlineCount == 1)
        #expect(late.deadlineCount == 0)
    }

    @Test func deadlineSetAgainIsReportedAgain() {
        let client = RecordingClient()
        let slot = loop.add(client)
        client.onDeadline = { [loop] in
            if client.deadlineCount < 3 { loop.setDeadline(MonotonicClock.now() + 500_000, slot: slot) }
        }
        loop.setDeadline(MonotonicClock.now() + 500_000, slot: slot)
        loop.runTurn()
        turn(until: { client.deadlineCount == 3 })
        #expect(client.deadlineCount == 3)
    }

    /// Zero, the earliest instant, would switch a timerfd off.
    @Test func zeroDeadlineInTheLastRoundStopsNoLaterDeadline() {
        let client = RecordingClient()
        let slot = loop.add(client)
        let runs = Observed(0)
        // At the end of every round of a whole turn, including its last round.
        endEachRound(64) { [loop] in
            runs.increment()
            if runs.value <= 32 { loop.setDeadline(0, slot: slot) }
        }
        loop.runTurn()
        loop.runTurn()
        let before = client.deadlineCount
        loop.setDeadline(MonotonicClock.now() + 1_000_000, slot: slot)
        loop.runTurn()
        turn(until: { client.deadlineCount > before })
        #expect(client.deadlineCount == before + 1)
    }

    private func endEachRound(_ count: Int, _ action: @escaping () -> Void) {
        guard count > 0 else { return }
        loop.atEndOfRound {
            action()
            endEachRound(count - 1, action)
        }
    }

    /// Sleeps on the loop's descriptor, and turns the loop when the descriptor becomes readable, as the run loop
    /// does. Gives up after ten seconds without an event.
    private func turn(until isDone: () -> Bool) {
        while !isDone() {
            var descriptor = pollfd(fd: loop.epoll, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, 10_000) > 0 else { return }
            loop.runTurn()
        }
    }

    private var isReadable: Bool {
        var descriptor = pollfd(fd: loop.epoll, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }
}

/// Work that submits itself again.
private final class Again: Sendable {
    private let inbox: Inbox
    private let runs: Observed<Int>
    private let limit: Int

    init(_ inbox: Inbox, _ runs: Observed<Int>, until limit: Int) {
        self.inbox = inbox
        self.runs = runs
        self.limit = limit
    }

    func run() {
        runs.increment()
        if runs.value < limit { inbox.submit { self.run() } }
    }
}

/// Records the events that it receives.
private final class RecordingClient: EventLoopClient {
    var ready: [(descriptor: CInt, events: UInt32)] = []
    var deadlineCount = 0
    var onReady: () -> Void = {}
    var onDeadline: () -> Void = {}

    func socketIsReady(_ descriptor: CInt, events: UInt32) {
        ready.append((descriptor, events))
        onReady()
    }

    func deadlineHasPassed() {
        deadlineCount += 1
        onDeadline()
    }
}

/// Two connected sockets.
private final class Pair {
    private(set) var one: CInt
    private let other: CInt

    init() throws {
        var ends: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        (one, other) = (ends[0], ends[1])
    }

    func writeToOne() { _ = send(other, "x", 1, 0) }

    func drainOne() {
        var byte: UInt8 = 0
        while recv(one, &byte, 1, 0) == 1 {}
    }

    func closeOne() {
        close(one)
        one = -1
    }

    deinit {
        if one >= 0 { close(one) }
        close(other)
    }
}
