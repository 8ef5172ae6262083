// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Equal requests that run at the same time.
@Suite(.timeLimit(.minutes(1))) struct CoalescingTests {
    private let time = VirtualTime()
    private let network: ScriptedNetwork
    private let cache = InMemoryResponseCache()

    init() { network = ScriptedNetwork(time: time) }

    private func started(
        _ path: String = "/a", _ change: (inout TransferOptions) -> Void = { _ in }
    ) -> HTTPRequestOperation {
        var options = TransferOptions()
        options.responseCache = cache
        change(&options)
        let operation = network.operation(path, options: options)
        operation.start()
        return operation
    }

    private func waits(_ operation: HTTPRequestOperation) async {
        await becomes(WaitReason.coalesced) { await operation.waitReason }
    }

    private var sentCount: Int { network.log.requests.count }

    private func fresh(_ gate: Gate, _ body: String = "text") -> [ScriptedStep] {
        [.wait(gate), .head(200, ["Cache-Control": "max-age=60"]), .body(body)]
    }

    @Test func equalRequestsMakeOneTransfer() async {
        let gate = Gate()
        network.answer("/a", with: fresh(gate))
        let operations = (0..<500).map { _ in started() }
        await waits(operations[499])
        gate.open()
        for operation in operations { await operation.ends() }
        #expect(operations.allSatisfy { $0.responseString == "text" })
        #expect(sentCount == 1)
        let answers = operations.map(\.summary.cacheAnswer)
        #expect(answers.filter { $0 == .miss }.count == 1 && answers.filter { $0 == .coalesced }.count == 499)
        let last = operations[499].summary
        #expect(last.cacheStatus?.isCollapsed == true && last.timings.waits[.coalesced] != nil)
    }

    @Test(arguments: ["cancel", "pause", "failure"])
    func anotherRequestTakesOver(reason: String) async {
        let (first, second) = (Gate(), Gate())
        network.answer("/a", inTurn: [[.wait(first), .fail(.connectionLost)], fresh(second)])
        let leader = started()
        await network.log.sees(.begun(1))
        let others = (0..<3).map { _ in started() }
        for other in others { await waits(other) }
        switch reason {
        case "cancel": leader.cancel()
        case "pause": leader.pause()
        default: first.open()
        }
        await network.log.sees(.begun(2))
        second.open()
        for other in others {
            await other.ends()
            #expect(other.responseString == "text")
        }
        #expect(sentCount == 2)
        if reason == "pause" {
            leader.resume()
            await leader.ends()
            #expect(leader.error == nil)
        }
    }

    @Test func requestsAreSentIfTheResponseIsNotStored() async {
        let gate = Gate()
        network.answer("/a", with: [.wait(gate), .head(200, ["Cache-Control": "no-store"]), .body("text")])
        let operations = (0..<4).map { _ in started() }
        await waits(operations[3])
        gate.open()
        for operation in operations {
            await operation.ends()
            #expect(operation.responseString == "text")
        }
        #expect(sentCount == 4)
    }

    @Test func requestsAreSentAfterTwoFailures() async {
        let gate = Gate()
        network.answer(
            "/a",
            inTurn: [[.wait(gate), .fail(.connectionLost)], [.fail(.connectionLost)], [.head(200), .body("text")]])
        let operations = (0..<6).map { _ in started() }
        await waits(operations[5])
        gate.open()
        for operation in operations { await operation.ends() }
        #expect(operations.filter { $0.error != nil }.count == 2 && sentCount == 6)
    }

    @Test func waitingRequestKeepsItsOwnLimits() async {
        let gate = Gate()
        network.answer("/a", with: fresh(gate))
        let leader = started()
        await network.log.sees(.begun(1))
        let (limited, cancelled, paused) = (started { $0.timeouts.total = .seconds(5) }, started(), started())
        for operation in [limited, cancelled, paused] { await waits(operation) }
        cancelled.cancel()
        await cancelled.ends()
        #expect(cancelled.code == .cancelled)
        paused.pause()
        await time.advance(by: .seconds(6))
        await limited.ends()
        #expect(limited.code == .timedOut)
        gate.open()
        await leader.ends()
        #expect(!paused.isFinished)
        paused.resume()
        await paused.ends()
        #expect(paused.responseString == "text" && sentCount == 1)
    }

    @Test func differentRequestsDoNotWait() async {
        let gate = Gate()
        network.answer("/a", with: fresh(gate))
        let first = started()
        await network.log.sees(.begun(1))
        let others = [
            started { $0.credential = URLCredential(user: "u", password: "p", persistence: .none) },
            started { $0.cachePolicy = .reload }, started { $0.responseCache = InMemoryResponseCache() },
        ]
        await network.log.sees(.begun(4))
        gate.open()
        for operation in others + [first] { await operation.ends() }
        #expect(sentCount == 4)
    }

    @Test func slowConsumerDoesNotMakeOthersWait() async throws {
        let gate = Gate()
        let fields = ["Cache-Control": "max-age=60"]
        network.answer(
            "/a", inTurn: [[.head(200, fields), .wait(gate), .body("text")], [.head(200, fields), .body("text")]])
        let streaming = network.operation("/a", options: TransferOptions { $0.responseCache = cache })
        let chunks = streaming.chunks
        streaming.start()
        await network.log.sees(.begun(1))
        let other = started()
        await other.ends()
        #expect(other.error == nil && sentCount == 2)
        gate.open()
        for try await chunk in chunks { #expect(chunk.count == 4) }
    }
}
