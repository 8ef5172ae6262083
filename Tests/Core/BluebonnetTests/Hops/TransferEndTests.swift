// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// The outcome after the end of a transfer, depending on the decision about its head and on how its body ended.
@Suite(.timeLimit(.minutes(1))) struct TransferEndTests {
    /// The decision about the head.
    enum Decision: CaseIterable {
        case redirect, challenge, refusal, result
    }

    /// How the body ends.
    enum End: CaseIterable {
        case whole, error, deadline

        var steps: [ScriptedStep] {
            switch self {
            case .whole: []
            case .error: [.fail(.connectionLost)]
            case .deadline: [.bodyDeadlinePasses]
            }
        }
    }

    private let network = ScriptedNetwork(limit: 1)

    private func answer(_ decision: Decision, _ body: [ScriptedStep]) {
        let head: ScriptedStep =
            switch decision {
            case .redirect: .head(302, ["Location": "/b", "Transfer-Encoding": "chunked"])
            case .challenge: .head(401, ["WWW-Authenticate": "Basic realm=\"r\""])
            case .refusal: .head(503)
            case .result: .head(200)
            }
        network.answer("/a", inTurn: [[head] + body, [.head(200), .body("there")]])
        network.answer("/b", with: [.head(200), .body("there")])
    }

    private func operation(_ method: String = "GET") -> HTTPRequestOperation {
        var options = TransferOptions()
        options.credential = URLCredential(user: "u", password: "p", persistence: .none)
        return network.operation("/a", method: method, options: options)
    }

    private func expect(_ operation: HTTPRequestOperation, _ decision: Decision, _ end: End) {
        let underlying = (operation.error?.underlying as? NetworkingError)?.code
        switch decision {
        case .redirect, .challenge:
            #expect(operation.error == nil)
            #expect(operation.responseString == "there")
            #expect(network.log.requests.count == 2)
        case .refusal:
            #expect(operation.code == .unacceptableStatus)
            #expect(operation.error?.body == Data("some".utf8))
            #expect(underlying == [.whole: nil, .error: .connectionLost, .deadline: .timedOut][end])
            #expect(operation.error?.isTransient == true)
        case .result:
            #expect(operation.code == (end == .error ? .connectionLost : nil))  // a result has no such deadline
            #expect(operation.responseData == Data("some".utf8))
        }
    }

    @Test(arguments: Decision.allCases, End.allCases)
    func headDecidesAndTheBodyDoesNot(decision: Decision, end: End) async {
        answer(decision, [.body("some")] + end.steps)
        let operation = operation()
        operation.start()
        await operation.ends()
        expect(operation, decision, end)
        #expect(network.log.entries.value.activeCount == 0)
    }

    @Test(arguments: Decision.allCases, End.allCases)
    func operationPausedInTheBodyContinues(decision: Decision, end: End) async {
        let (gate, isInside) = (Gate(), Observed(0))
        answer(decision, [.body("some"), .reach(isInside), .wait(gate)] + end.steps)
        let operation = operation("POST")
        operation.start()
        await isInside.becomes(1)
        operation.pause()
        await network.log.sees(.paused(1))
        gate.open()
        await NetworkThread.shared.catchesUp()
        operation.resume()
        await operation.ends()
        expect(operation, decision, end)
        #expect(network.log.entries.value.activeCount == 0)
    }

    @Test(arguments: Decision.allCases) func operationCancelledInTheBodyEnds(decision: Decision) async {
        let isInside = Observed(0)
        answer(decision, [.body("some"), .reach(isInside), .wait(Gate())])
        let operation = operation()
        operation.start()
        await isInside.becomes(1)
        operation.cancel()
        await operation.ends()
        #expect(operation.code == .cancelled)
        #expect(network.log.requests.count == 1)
        #expect(network.log.events.last == .aborted(1))
    }

    /// A pause restarts the time of a body, and bytes extend the time of an error's body.
    @Test(arguments: [Decision.redirect, .refusal]) func pauseRestartsAndBytesExtendTheDeadline(decision: Decision)
        async throws
    {
        let (gate, isInside, deadlines) = (Gate(), Observed(0), Observed([UInt64]()))
        answer(
            decision,
            [
                .noteBodyDeadline(deadlines), .bytes(Data(count: 2048)), .noteBodyDeadline(deadlines),
                .reach(isInside), .wait(gate), .noteBodyDeadline(deadlines),
            ])
        let operation = operation("POST")
        operation.start()
        await isInside.becomes(1)
        operation.pause()
        await network.log.sees(.paused(1))
        gate.open()
        let resumed = MonotonicClock.now()
        operation.resume()
        await operation.ends()
        let seen = deadlines.value
        try #require(seen.count == 3)
        #expect(seen[1] >= seen[0])
        if decision == .redirect { #expect(seen[1] == seen[0]) }
        #expect(seen[2] >= resumed + (decision == .redirect ? 250_000_000 : 1_000_000_000))
    }

    @Test(arguments: [200, 404]) func baseClassFailsWithAnIncompleteBody(status: Int) async {
        network.answer("/a", with: [.head(status), .body("ab"), .bodyDeadlinePasses, .fail(.connectionLost)])
        let operation = RequestOperation(
            plan: RequestPlan(network.request("/a"), options: ResolvedOptions(TransferOptions())),
            services: network.services)
        operation.start()
        await operation.ends()
        #expect(operation.error?.code == .connectionLost)
        #expect(operation.responseString == "ab")
    }
}
