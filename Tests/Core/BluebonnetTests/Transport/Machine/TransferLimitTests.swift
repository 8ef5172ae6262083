// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Whether a transfer is stuck: which limit applies in which state.
@Suite struct TransferLimitTests {
    /// The state of a transfer at the instant 1,000.
    enum State: CaseIterable, Sendable {
        case connecting, sent, sentAgain, answering, answered, heldBack, paused, pausedWhileConnecting, resumed
        case heldBackThenTaken, connectingAgain
        /// A rate limit delays received bytes or the request's body.
        case receivingHeldByRate, sendingHeldByRate, receivingHeldThenLetGo, receivingHeldThenPaused
        /// A block decides about the response.
        case awaitingDecision, decided

        /// Idle time counts only while the server is expected to act on a connection.
        var countsIdleTime: Bool {
            switch self {
            case .sent, .sentAgain, .answering, .answered, .resumed, .heldBackThenTaken: true
            case .receivingHeldThenLetGo, .awaitingDecision, .decided: true
            case .connecting, .connectingAgain, .heldBack, .paused, .pausedWhileConnecting: false
            case .receivingHeldByRate, .sendingHeldByRate, .receivingHeldThenPaused: false
            }
        }

        /// The speed is measured where idle time counts, except while the program decides.
        var measuresSpeed: Bool { countsIdleTime && self != .awaitingDecision }

        var isPaused: Bool { [.paused, .pausedWhileConnecting, .receivingHeldThenPaused].contains(self) }

        /// The deadline for a body that is not the result blames the server. A rate limit delays the server too.
        var countsBodyDeadline: Bool { !isPaused && self != .receivingHeldByRate }

        fileprivate func script(
            idleTimeout: UInt64 = 800, deadline: UInt64 = .max, lowSpeed: LowSpeedLimit? = nil
        ) throws -> ScriptedMachine {
            var script = try ScriptedMachine(
                isSecure: true, idleTimeout: idleTimeout, deadline: deadline, lowSpeed: lowSpeed)
            if self == .pausedWhileConnecting { script.machine.pause() }
            guard ![.connecting, .pausedWhileConnecting].contains(self) else { return script }
            _ = script.machine.acceptFirstConnection(isKept: true, isUsable: true)
            script.send(multiplexed: true)
            switch self {
            case .connecting, .pausedWhileConnecting, .sent: break
            case .sentAgain: script.send(multiplexed: true)
            case .connectingAgain: #expect(script.renewal(after: .partial) == .anyConnection)
            case .answering: try script.receive("HTTP/2 200\n")
            case .sendingHeldByRate: script.machine.rateLimitSending()
            case .receivingHeldByRate, .receivingHeldThenLetGo, .receivingHeldThenPaused:
                try script.receive("HTTP/2 200\n\n")
                script.machine.rateLimitReceiving()
                if self == .receivingHeldThenLetGo { script.machine.continueAfterRateLimit(now: script.now) }
                if self == .receivingHeldThenPaused { script.machine.pause() }
            case .awaitingDecision, .decided:
                try script.receive("HTTP/2 200\n\n")
                script.machine.awaitDecision()
                if self == .decided { script.machine.decisionCame(now: script.now) }
            case .answered, .heldBack, .heldBackThenTaken, .paused, .resumed:
                try script.receive("HTTP/2 200\n\n")
                if self == .heldBack || self == .heldBackThenTaken {
                    script.machine.bodyWasGiven(.wouldBlock, byteCount: 1)
                }
                if self == .heldBackThenTaken { script.machine.resumeReceiving(now: script.now) }
                if self == .paused || self == .resumed { script.machine.pause() }
                if self == .resumed { script.machine.resume(deadline: deadline, now: script.now) }
            }
            return script
        }
    }

    @Test(arguments: State.allCases) func idleTimeCountsWhileTheServerMustAct(state: State) throws {
        var script = try state.script()
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == (state.countsIdleTime ? 1_800 : .max))
        #expect(script.limit(at: 1_799) == nil)
        #expect(script.limit(at: 1_800) == (state.countsIdleTime ? "idle" : nil))
    }

    @Test(arguments: State.allCases) func deadlineCountsUnlessPaused(state: State) throws {
        var script = try state.script(idleTimeout: 0, deadline: 5_000)
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == (state.isPaused ? .max : 5_000))
        #expect(script.limit(at: 4_999) == nil)
        #expect(script.limit(at: 5_000) == (state.isPaused ? nil : "deadline"))
    }

    @Test(arguments: State.allCases) func bodyDeadlineCountsUnlessPausedOrRateLimited(state: State) throws {
        var script = try state.script(idleTimeout: 0, deadline: 5_000)
        let look: UInt64 = state.isPaused ? .max : state.countsBodyDeadline ? 3_000 : 5_000
        #expect(script.machine.nextDeadline(bodyDeadline: 3_000) == look)
        #expect(script.limit(at: 2_999, bodyDeadline: 3_000) == nil)
        #expect(script.limit(at: 3_000, bodyDeadline: 3_000) == (state.countsBodyDeadline ? "body" : nil))
        // If both have passed, the whole transfer's deadline is reported.
        #expect(script.limit(at: 5_000, bodyDeadline: 3_000) == (state.isPaused ? nil : "deadline"))
    }

    @Test(arguments: State.allCases) func speedIsMeasuredWhileTheServerMustAct(state: State) throws {
        let limit = LowSpeedLimit(bytesPerSecond: 1_000_000_000, duration: .nanoseconds(800))
        var script = try state.script(idleTimeout: 0, lowSpeed: limit)
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == (state.measuresSpeed ? 1_100 : .max))
        let looks = (1...8).map { script.limit(at: 1_000 + $0 * 100) }
        #expect(looks == Array(repeating: nil, count: 7) + [state.measuresSpeed ? "speed" : nil])
    }

    @Test(arguments: State.allCases) func transferWithoutLimitsIsNeverChecked(state: State) throws {
        var script = try state.script(idleTimeout: 0)
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == .max)
        #expect(script.limit(at: .max - 1) == nil)
    }

    @Test func pauseMovesTheDeadlineAndRestartsIdleTime() throws {
        var script = try ScriptedMachine(idleTimeout: 800, deadline: 2_000)
        script.send()
        script.machine.pause()
        #expect(script.limit(at: 100_000) == nil)
        script.machine.resume(deadline: 101_000, now: 100_000)
        #expect(script.limit(at: 100_799) == nil)
        #expect(script.limit(at: 100_800) == "idle")
        script.machine.recordMovement(at: 100_900)
        #expect(script.limit(at: 101_000) == "deadline")
    }

    /// libcurl does not report when bytes of a body leave its buffer.
    @Test func sentBodyBytesCountAsMovement() throws {
        var script = try ScriptedMachine("POST", body: .data(Data(count: 100)), idleTimeout: 800)
        script.send()
        script.evidence.sentByteCount = 50
        #expect(script.limit(at: 1_800) == nil)
        #expect(script.limit(at: 2_600) == "idle")
        script.evidence.sentByteCount = 100
        #expect(script.limit(at: 2_700) == nil)
    }

    @Test func readPieceIsMovementButAStalledBodyIsNot() throws {
        for (count, limit) in [(10, nil), (nil, "idle")] as [(Int?, String?)] {
            var script = try ScriptedMachine("POST", body: ScriptedMachine.stream(), idleTimeout: 800)
            script.send()
            script.now = 1_500
            script.read(count)
            #expect(script.limit(at: 1_800) == limit)
        }
    }

    /// Bytes sent before do not count when the body is sent from its start.
    @Test func resentBodyCountsFromItsStart() throws {
        var script = try ScriptedMachine("PUT", body: .data(Data(count: 100)), idleTimeout: 800)
        script.send()
        script.evidence.sentByteCount = 90
        #expect(script.limit(at: 1_500) == nil)
        script.now = 1_600
        #expect(script.send() == .again)
        script.evidence.sentByteCount = 10
        #expect(script.limit(at: 2_400) == nil)
        #expect(script.limit(at: 3_200) == "idle")
    }

    /// libcurl asks for the body again when a transfer continues.
    @Test func pauseClearsTheRateLimitOnTheBody() throws {
        var script = try ScriptedMachine("POST", body: .data(Data(count: 100)), idleTimeout: 800)
        script.send()
        script.machine.rateLimitSending()
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == .max)
        script.machine.pause()
        script.machine.resume(deadline: .max, now: 2_000)
        #expect(script.limit(at: 2_799) == nil)
        #expect(script.limit(at: 2_800) == "idle")
    }

    @Test func abandonedBodyDoesNotSuspendTheSpeedLimit() throws {
        let limit = LowSpeedLimit(bytesPerSecond: 1_000_000_000, duration: .nanoseconds(800))
        var script = try ScriptedMachine("POST", body: .data(Data(count: 100)), lowSpeed: limit)
        script.send()
        script.machine.rateLimitSending()
        script.machine.giveUpBody(now: 2_000)
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == 2_100)
    }

    @Test func endOfTheRateLimitKeepsTheProgramsBackPressure() throws {
        var script = try ScriptedMachine("POST", body: .data(Data(count: 100)), idleTimeout: 800)
        script.send()
        try script.receive("HTTP/2 200\n\n")
        script.machine.bodyWasGiven(.wouldBlock, byteCount: 1)
        script.machine.rateLimitSending()
        script.machine.continueAfterRateLimit(now: 2_000)
        #expect(script.machine.flow == .backPressured)
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == .max)
    }

    /// The program's own stream is slow, so the server is not to blame.
    @Test func speedIsNotMeasuredWhileAStreamHasNoBytes() throws {
        let limit = LowSpeedLimit(bytesPerSecond: 1_000_000_000, duration: .nanoseconds(800))
        var script = try ScriptedMachine("POST", body: ScriptedMachine.stream(), lowSpeed: limit)
        script.send()
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == 1_100)
        script.read(nil)
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == .max)
        script.machine.pause()
        script.machine.resume(deadline: .max, now: 4_000)
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == .max)
        script.now = 5_000
        script.read(10)
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == 5_100)
        let looks = (1...8).map { script.limit(at: 5_000 + $0 * 100) }
        #expect(looks == Array(repeating: nil, count: 7) + ["speed"])
    }

    /// At its first check, the second sending has sent more bytes than the whole first sending.
    @Test func speedOfASecondAttemptCountsFromItsStart() throws {
        let limit = LowSpeedLimit(bytesPerSecond: 1_000_000_000, duration: .nanoseconds(800))
        var script = try ScriptedMachine("PUT", body: .data(Data(count: 2_000)), lowSpeed: limit)
        script.send()
        script.evidence.sentByteCount = 500
        #expect(script.limit(at: 1_100) == nil)
        script.now = 1_200
        #expect(script.send() == .again)
        script.evidence.sentByteCount = 800
        let looks = (1...8).map { script.limit(at: 1_200 + $0 * 100) }
        #expect(looks == Array(repeating: nil, count: 8))
    }
}
