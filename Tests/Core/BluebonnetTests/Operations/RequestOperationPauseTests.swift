// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import BluebonnetTesting
import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct RequestOperationPauseTests {
    private let network = ScriptedNetwork(limit: 1)
    private let gate = Gate()
    private let isHalfway = Observed(0)

    /// The first answer is half a body, and the other half after the gate has opened.
    private func answerInHalves(etag: String = "\"v1\"", rest: [ScriptedStep]) {
        let first: [ScriptedStep] = [
            .head(200, ["ETag": etag, "Content-Length": "6"]), .body("abc"), .reach(isHalfway), .wait(gate),
            .body("def"),
        ]
        network.answer("/halves", inTurn: [first, rest, [.head(200), .body("uvwxyz")]])
    }

    /// An operation that has received the first half.
    private func halfway() async -> HTTPRequestOperation {
        let operation = network.operation("/halves")
        operation.start()
        await isHalfway.becomes(1)
        return operation
    }
}

// MARK: - Before the start

extension RequestOperationPauseTests {
    @Test func pauseAndResumeReturnWhetherTheyHadAnEffect() async {
        let operation = network.operation("/a")
        #expect(!operation.resume())
        #expect(operation.pause())
        #expect(!operation.pause())
        #expect(operation.resume())
        #expect(!operation.resume())
        _ = await operation.run()
        #expect(!operation.pause())
        #expect(!operation.resume())
    }

    @Test func operationPausedBeforeStartBecomesReadyOnResume() async {
        let operation = network.operation("/a")
        operation.pause()
        #expect(operation.isPaused && !operation.isReady && !operation.isExecuting)
        operation.resume()
        #expect(!operation.isPaused && operation.isReady)
        operation.start()
        await operation.ends()
        #expect(operation.error == nil)
    }

    @Test func operationStartedWhilePausedWaitsForResume() async {
        let operation = network.operation("/a")
        operation.pause()
        operation.start()
        await NetworkThread.shared.catchesUp()
        #expect(operation.isPaused && !operation.isExecuting)
        #expect(network.log.requests.isEmpty)
        operation.resume()
        await operation.ends()
        #expect(operation.error == nil)
        #expect(network.log.requests.count == 1)
    }

    @Test func startHandlerOfPausedOperationRunsOnResume() async {
        let starts = Observed(0)
        let operation = network.operation("/a")
        operation.setStartHandler { _ in starts.increment() }
        operation.pause()
        operation.start()
        operation.resume()
        await operation.ends()
        #expect(starts.value == 1)
    }

    @Test func resumeWithoutPauseDoesNothing() async {
        let operation = network.operation("/a")
        operation.resume()
        #expect(operation.isReady)
        operation.start()
        operation.resume()
        await operation.ends()
        #expect(network.log.events == [.begun(1), .ended(1)])
    }
}

// MARK: - GET

extension RequestOperationPauseTests {
    @Test func pausedGetFreesItsSlot() async {
        answerInHalves(rest: [.head(206, ["Content-Range": "bytes 3-5/6", "ETag": "\"v1\""]), .body("def")])
        let first = await halfway()
        let second = network.operation("/a")
        second.start()
        first.pause()
        await second.ends()
        #expect(first.isPaused && !first.isFinished)
        first.resume()
        await first.ends()
        #expect(network.log.events == [.begun(1), .aborted(1), .begun(2), .ended(2), .begun(3), .ended(3)])
    }

    @Test func resumeRequestsRangeOfTheSameRepresentation() async {
        answerInHalves(rest: [.head(206, ["Content-Range": "bytes 3-5/6", "ETag": "\"v1\""]), .body("def")])
        let operation = await halfway()
        operation.pause()
        operation.resume()
        await operation.ends()
        #expect(operation.error == nil)
        #expect(operation.responseString == "abcdef")
        #expect(operation.summary.transferCount == 2)
        let requests = network.log.requests
        #expect(requests.map { $0.value(of: "Range") } == [nil, "bytes=3-"])
        #expect(requests.map { $0.value(of: "If-Range") } == [nil, "\"v1\""])
    }

    @Test func operationPausedTwiceContinuesTwice() async {
        let pieces = Observed(0)
        let stop: [ScriptedStep] = [.reach(pieces), .wait(gate)]
        let first: [ScriptedStep] = [.head(200, ["ETag": "\"v1\"", "Content-Length": "6"]), .body("ab")]
        let second: [ScriptedStep] = [.head(206, ["Content-Range": "bytes 2-5/6", "ETag": "\"v1\""]), .body("cd")]
        let third: [ScriptedStep] = [.head(206, ["Content-Range": "bytes 4-5/6", "ETag": "\"v1\""]), .body("ef")]
        network.answer("/a", inTurn: [first + stop, second + stop, third])
        let operation = network.operation("/a")
        operation.start()
        for count in 1...2 {
            await pieces.becomes(count)
            operation.pause()
            operation.resume()
        }
        await operation.ends()
        #expect(operation.responseString == "abcdef")
        #expect(network.log.requests.map { $0.value(of: "Range") } == [nil, "bytes=2-", "bytes=4-"])
    }

    @Test func resumeWithoutStrongValidatorRestartsBody() async {
        answerInHalves(etag: "W/\"v1\"", rest: [.head(200, ["ETag": "W/\"v2\""]), .body("ghijkl")])
        let operation = await halfway()
        operation.pause()
        operation.resume()
        await operation.ends()
        #expect(operation.responseString == "ghijkl")
        #expect(network.log.requests.map { $0.value(of: "Range") } == [nil, nil])
    }

    @Test func wholeBodyReplacesPartialBodyAfterResume() async {
        answerInHalves(rest: [.head(200, ["ETag": "\"v2\""]), .body("ghijkl")])
        let operation = await halfway()
        operation.pause()
        operation.resume()
        await operation.ends()
        #expect(operation.responseString == "ghijkl")
        #expect(operation.summary.transferCount == 2)
    }

    @Test(arguments: [
        ["Content-Range": "bytes 2-5/6", "ETag": "\"v1\""], ["Content-Range": "bytes 3-6/7", "ETag": "\"v1\""],
        ["Content-Range": "bytes 3-5/6", "ETag": "\"v2\""], ["ETag": "\"v1\""],
    ])
    func mismatchedRangeIsNeverAppended(fields: [String: String]) async {
        answerInHalves(rest: [.head(206, fields), .body("XXX")])
        let operation = await halfway()
        operation.pause()
        operation.resume()
        await operation.ends()
        #expect(operation.error == nil)
        #expect(operation.responseString == "uvwxyz")
        #expect(network.log.requests.map { $0.value(of: "Range") } == [nil, "bytes=3-", nil])
    }

    @Test func operationPausedBeforeResponseIsResentWhole() async {
        network.answer("/a", inTurn: [[.wait(gate)], [.head(200), .body("whole")]])
        let operation = network.operation("/a")
        operation.start()
        await network.log.sees(.begun(1))
        operation.pause()
        operation.resume()
        await operation.ends()
        #expect(operation.responseString == "whole")
        #expect(network.log.requests.map { $0.value(of: "Range") } == [nil, nil])
    }

    @Test func resumedDownloadContinuesInTheFile() async throws {
        let folder = try ScratchFolder()
        answerInHalves(rest: [.head(206, ["Content-Range": "bytes 3-5/6", "ETag": "\"v1\""]), .body("def")])
        let operation = network.operation("/halves")
        operation.outputFile = folder.file("out")
        operation.start()
        await isHalfway.becomes(1)
        operation.pause()
        operation.resume()
        await operation.ends()
        #expect(folder.text("out") == "abcdef")
        #expect(folder.names == ["out"])
    }
}

// MARK: - Other methods, and slots

extension RequestOperationPauseTests {
    @Test func pausedPostKeepsItsConnectionAndIsSentOnce() async {
        answerInHalves(rest: [.fail(.badServerResponse)])
        let operation = network.operation("/halves", method: "POST", body: "x")
        operation.start()
        await network.log.sees(.begun(1))
        operation.pause()
        await network.log.sees(.paused(1))
        gate.open()
        await NetworkThread.shared.catchesUp()
        #expect(!operation.isFinished)
        operation.resume()
        await operation.ends()
        #expect(operation.responseString == "abcdef")
        #expect(network.log.events == [.begun(1), .paused(1), .resumed(1), .ended(1)])
    }

    @Test func postPausedBeforeSendingIsAbortedAndSentLater() async {
        network.answer("/a", inTurn: [[.connect(gate)], [.sent(1), .head(200), .body("done")]])
        let operation = network.operation("/a", method: "POST", body: "x")
        operation.start()
        await network.log.sees(.begun(1))
        operation.pause()
        await network.log.sees(.aborted(1))
        operation.resume()
        await operation.ends()
        #expect(operation.responseString == "done")
        #expect(network.log.events == [.begun(1), .aborted(1), .begun(2), .ended(2)])
    }

    @Test func pausedPostFreesSlotAndWaitsForNewSlot() async {
        answerInHalves(rest: [])
        let secondGate = Gate()
        network.answer("/held", with: [.head(200), .wait(secondGate)])
        let first = network.operation("/halves", method: "POST", body: "x")
        first.start()
        await network.log.sees(.begun(1))
        first.pause()
        let second = network.operation("/held")
        second.start()
        await network.log.sees(.begun(2))
        first.resume()
        gate.open()
        await NetworkThread.shared.catchesUp()
        secondGate.open()
        await first.ends()
        await second.ends()
        #expect(network.log.events == [.begun(1), .paused(1), .begun(2), .ended(2), .resumed(1), .ended(1)])
        #expect(network.log.entries.value.peakCount == 1)
    }

    @Test func resumedGetWaitsForNewSlot() async {
        answerInHalves(rest: [.head(206, ["Content-Range": "bytes 3-5/6", "ETag": "\"v1\""]), .body("def")])
        let secondGate = Gate()
        network.answer("/held", with: [.head(200), .wait(secondGate)])
        let first = await halfway()
        first.pause()
        let second = network.operation("/held")
        second.start()
        await network.log.sees(.begun(2))
        first.resume()
        await NetworkThread.shared.catchesUp()
        secondGate.open()
        await first.ends()
        #expect(network.log.events == [.begun(1), .aborted(1), .begun(2), .ended(2), .begun(3), .ended(3)])
        #expect(network.log.entries.value.peakCount == 1)
    }

    @Test func operationPausedWhileWaitingForSlotStopsWaiting() async {
        network.answer("/held", with: [.head(200), .wait(gate)])
        let (first, second, third) = (network.operation("/held"), network.operation("/b"), network.operation("/c"))
        for operation in [first, second, third] { operation.start() }
        await NetworkThread.shared.catchesUp()
        second.pause()
        gate.open()
        await third.ends()
        #expect(second.isPaused)
        second.resume()
        await second.ends()
        #expect(network.log.entries.value.paths == ["/held", "/c", "/b"])
    }

    @Test func transferFailureWhilePausedEndsTheOperation() async {
        network.answer("/a", with: [.head(200), .body("a"), .reach(isHalfway), .wait(gate), .fail(.connectionLost)])
        let operation = network.operation("/a", method: "POST", body: "x")
        operation.start()
        await isHalfway.becomes(1)
        await NetworkThread.shared.catchesUp()
        operation.pause()
        await network.log.sees(.paused(1))
        gate.open()
        await operation.ends()
        #expect(operation.error?.code == .connectionLost)
        #expect(!operation.isPaused)
        let next = network.operation("/b")
        next.start()
        await next.ends()
        #expect(next.error == nil)
    }

    /// The transport has answered during the pause, so that the transfer ends within the call that resumes it.
    @Test func resumedTransferMayEndAtOnce() async {
        let services = NetworkServices(limit: 64, limitPerOrigin: 64, transport: InstantTransport())
        let manager = RequestOperationManager(baseURL: nil, services: services)
        manager.responseSerializer = HTTPResponseSerializer()
        let operation = manager.operation(with: URLRequest("POST", ScriptedNetwork.url("/"), body: "x"))
        await NetworkThread.shared.answer {
            operation.start()
            operation.pause()
        }
        for _ in 0..<3 { await NetworkThread.shared.answer {} }
        #expect(operation.isPaused)
        operation.resume()
        await operation.ends()
        #expect(operation.error == nil && operation.statusCode == 200)
    }
}
