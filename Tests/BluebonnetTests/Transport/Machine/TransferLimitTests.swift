// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

/// Whether a transfer is stuck: which limit counts in which state.
@Suite struct TransferLimitTests {
    /// How far a transfer has come at the instant 1,000.
    enum State: CaseIterable, Sendable {
        case connecting, sent, sentAgain, answering, answered, heldBack, paused, pausedWhileConnecting, resumed
        case heldBackThenTaken, connectingAgain

        /// Time counts against the server only while something is expected of it on a connection.
        var countsIdleTime: Bool {
            switch self {
            case .sent, .sentAgain, .answering, .answered, .resumed, .heldBackThenTaken: true
            case .connecting, .connectingAgain, .heldBack, .paused, .pausedWhileConnecting: false
            }
        }

        var isPaused: Bool { self == .paused || self == .pausedWhileConnecting }

        fileprivate func script(idleTimeout: UInt64 = 800, deadline: UInt64 = .max) throws -> ScriptedMachine {
            var script = try ScriptedMachine(isSecure: true, idleTimeout: idleTimeout, deadline: deadline)
            if self == .pausedWhileConnecting { script.machine.pause() }
            guard ![.connecting, .pausedWhileConnecting].contains(self) else { return script }
            _ = script.machine.takes(keptConnection: true, isClean: true)
            script.send(multiplexed: true)
            switch self {
            case .connecting, .pausedWhileConnecting, .sent: break
            case .sentAgain: script.send(multiplexed: true)
            case .connectingAgain: #expect(script.renewal(after: .partial) == .anyConnection)
            case .answering: try script.receive("HTTP/2 200\n")
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

    @Test(arguments: State.allCases) func idleTimeCountsWhileTheServerIsExpectedToMove(state: State) throws {
        var script = try state.script()
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == (state.countsIdleTime ? 1_800 : .max))
        #expect(script.limit(at: 1_799) == nil)
        #expect(script.limit(at: 1_800) == (state.countsIdleTime ? "idle" : nil))
    }

    @Test(arguments: State.allCases) func deadlineCountsUnlessTheUserHasPaused(state: State) throws {
        var script = try state.script(idleTimeout: 0, deadline: 5_000)
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == (state.isPaused ? .max : 5_000))
        #expect(script.limit(at: 4_999) == nil)
        #expect(script.limit(at: 5_000) == (state.isPaused ? nil : "deadline"))
    }

    @Test(arguments: State.allCases) func bodyDeadlineCountsUnlessTheUserHasPaused(state: State) throws {
        var script = try state.script(idleTimeout: 0, deadline: 5_000)
        #expect(script.machine.nextDeadline(bodyDeadline: 3_000) == (state.isPaused ? .max : 3_000))
        #expect(script.limit(at: 2_999, bodyDeadline: 3_000) == nil)
        #expect(script.limit(at: 3_000, bodyDeadline: 3_000) == (state.isPaused ? nil : "body"))
        // Of two that have passed, the whole transfer's is told.
        #expect(script.limit(at: 5_000, bodyDeadline: 3_000) == (state.isPaused ? nil : "deadline"))
    }

    @Test(arguments: State.allCases) func transferWithoutLimitsIsNeverLookedAt(state: State) throws {
        var script = try state.script(idleTimeout: 0)
        #expect(script.machine.nextDeadline(bodyDeadline: .max) == .max)
        #expect(script.limit(at: .max - 1) == nil)
    }

    @Test func pauseMovesTheDeadlineAndStartsIdleTimeAnew() throws {
        var script = try ScriptedMachine(idleTimeout: 800, deadline: 2_000)
        script.send()
        script.machine.pause()
        #expect(script.limit(at: 100_000) == nil)
        script.machine.resume(deadline: 101_000, now: 100_000)
        #expect(script.limit(at: 100_799) == nil)
        #expect(script.limit(at: 100_800) == "idle")
        script.machine.noteMovement(at: 100_900)
        #expect(script.limit(at: 101_000) == "deadline")
    }

    /// Bytes of a body leave libcurl's buffer unannounced.
    @Test func bodyThatLeavesIsMovement() throws {
        var script = try ScriptedMachine("POST", body: .data(Data(count: 100)), idleTimeout: 800)
        script.send()
        script.evidence.sentByteCount = 50
        #expect(script.limit(at: 1_800) == nil)
        #expect(script.limit(at: 2_600) == "idle")
        script.evidence.sentByteCount = 100
        #expect(script.limit(at: 2_700) == nil)
    }

    @Test func readPieceIsMovementAndADryBodyIsNone() throws {
        for (count, limit) in [(10, nil), (nil, "idle")] as [(Int?, String?)] {
            var script = try ScriptedMachine("POST", body: ScriptedMachine.stream(), idleTimeout: 800)
            script.send()
            script.now = 1_500
            script.read(count)
            #expect(script.limit(at: 1_800) == limit)
        }
    }

    /// Bytes that left before do not count when the body is sent from its start.
    @Test func bodySentAgainCountsFromItsStart() throws {
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
}
