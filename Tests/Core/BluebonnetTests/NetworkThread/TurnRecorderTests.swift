// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct TurnRecorderTests {
    @Test func longestTurnNamesItsLongestStep() {
        var recorder = TurnRecorder()
        recorder.turnBegins(now: 1_000)
        recorder.stepBegins("sockets", .type(Int.self), now: 1_010)
        recorder.stepBegins("work", .file("Module/File.swift"), now: 1_030)
        recorder.stepBegins("other", .type(String.self), now: 1_090)
        recorder.turnEnds(now: 1_100)
        let turn = NetworkThread.Turn(
            duration: .nanoseconds(100), stage: "work", source: "Module/File.swift", stageDuration: .nanoseconds(60))
        #expect(recorder.longest == turn)
    }

    @Test func shorterTurnsChangeNothing() {
        var recorder = TurnRecorder()
        for (length, stage) in [(50, "first"), (70, "second"), (70, "third"), (20, "fourth")]
            as [(UInt64, StaticString)]
        {
            recorder.turnBegins(now: 500)
            recorder.stepBegins(stage, .type(Int.self), now: 500)
            recorder.turnEnds(now: 500 + length)
        }
        #expect(recorder.longest?.stage == "second")
        #expect(recorder.longest?.source == "Int")
    }

    @Test func turnWithoutStepsIsNotRecorded() {
        var recorder = TurnRecorder()
        recorder.turnBegins(now: 1)
        recorder.turnEnds(now: 900)
        #expect(recorder.longest == nil)
    }

    @Test func newLongestTurnIsReturnedOnce() {
        var recorder = TurnRecorder()
        recorder.turnBegins(now: 0)
        recorder.stepBegins("work", .type(Int.self), now: 0)
        recorder.turnEnds(now: 10)
        #expect(recorder.newLongest()?.stage == "work")
        #expect(recorder.newLongest() == nil)
        recorder.forget()
        #expect(recorder.longest == nil)
    }

    // MARK: The event loop

    /// A task that takes time.
    private final class SlowTask: RoundEndTask {
        func roundEnds() {
            let end = MonotonicClock.now() + 2_000_000
            while MonotonicClock.now() < end {}
        }
    }

    @Test func slowTurnOfALoopIsRecordedWithItsStage() throws {
        let loop = TurnedLoop()
        loop.loop.recordsTurns = true
        loop.loop.atEndOfRound(.processing, SlowTask())
        loop.turn()
        let turn = try #require(loop.loop.turns.longest)
        #expect(turn.stage == "processing")
        #expect(turn.source == "SlowTask")
        #expect(turn.stageDuration >= .milliseconds(2) && turn.duration >= turn.stageDuration)
    }

    @Test func roundEndClosureIsNamedByItsFile() throws {
        let loop = TurnedLoop()
        loop.loop.recordsTurns = true
        loop.loop.atEndOfRound { SlowTask().roundEnds() }
        loop.turn()
        let turn = try #require(loop.loop.turns.longest)
        #expect(turn.stage == "other")
        #expect(turn.source == "BluebonnetTests/TurnRecorderTests.swift")
    }

    @Test func turnsAreNotRecordedByDefault() {
        let loop = TurnedLoop()
        loop.loop.atEndOfRound(.processing, SlowTask())
        loop.turn()
        #expect(loop.loop.turns.longest == nil)
    }
}

extension NetworkTests {
    /// The delays of the transfers of all suites so far.
    @Suite struct LongestTurnTests {
        @Test func longestTurnOfTheNetworkThreadCanBeRead() async throws {
            NetworkThread.recordsTurns = true
            try await TestServer.answering(.response(body: "a")) { server in
                #expect(await get(server.url()).error == nil)
            }
            await becomes(true) { NetworkThread.longestTurn != nil }
            let turn = try #require(NetworkThread.longestTurn)
            #expect(!turn.stage.isEmpty && !turn.source.isEmpty)
            print("longest turn of the network thread so far: \(turn)")
        }

        @Test func slowWorkIsRecordedWithItsFile() async throws {
            NetworkThread.recordsTurns = true
            NetworkThread.forgetLongestTurn()
            NetworkThread.shared.submit {
                let end = MonotonicClock.now() + 100_000_000
                while MonotonicClock.now() < end {}
            }
            await becomes("BluebonnetTests/TurnRecorderTests.swift") { NetworkThread.longestTurn?.source }
            #expect(NetworkThread.longestTurn?.stage == "work")
        }
    }
}
