// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct FailureAnswerTests {
    private func error(of answer: TestAnswer, timeouts: Timeouts = Timeouts()) async -> NetworkingError? {
        let manager = RequestOperationManager { _ in answer }
        manager.timeouts = timeouts
        return await #expect(throws: NetworkingError.self) { _ = try await manager.get("a") }
    }

    @Test func simulatedFailuresHaveRealErrors() async {
        #expect(await error(of: .refused)?.code == .cannotConnect)
        #expect(await error(of: .closed)?.code == .connectionLost)
        #expect(await error(of: .failure(NetworkingError(.serverNotTrusted, "no")))?.code == .serverNotTrusted)
        let cut = await error(of: .text("abcdef").cut(afterByteCount: 3))
        #expect(cut?.code == .badServerResponse)
        #expect(cut?.response?.statusCode == 200)
    }

    @Test func cutAfterTheBodyHasNoEffect() async throws {
        let manager = RequestOperationManager { _ in .text("abc").cut(afterByteCount: 3) }
        #expect(try await manager.get("a").value == Data("abc".utf8))
    }

    @Test func contentLengthBeyondTheBodyIsATruncatedBody() async {
        let answer = TestAnswer(headers: ["Content-Length": "10"], body: Data("abc".utf8))
        #expect(await error(of: answer)?.code == .badServerResponse)
    }

    @Test func bytesBeyondContentLengthAreDropped() async throws {
        let manager = RequestOperationManager { _ in
            TestAnswer(headers: ["Content-Length": "2"], body: Data("abc".utf8))
        }
        #expect(try await manager.get("a").value == Data("ab".utf8))
    }

    @Test func invalidResponseFieldIsRefused() async {
        let answer = TestAnswer(headers: ["Content-Length": "2, 3"], body: Data("abc".utf8))
        #expect(await error(of: answer)?.code == .badServerResponse)
    }

    @Test func errorOfTheBlockIsTheUnderlyingError() async {
        struct Wrong: Error {}
        let manager = RequestOperationManager { _ in throw Wrong() }
        let error = await #expect(throws: NetworkingError.self) { _ = try await manager.get("a") }
        #expect(error?.code == .badServerResponse)
        #expect(error?.underlying is Wrong)
    }

    @Test func stallEndsWhenTheOperationIsCancelled() async throws {
        let manager = RequestOperationManager { _ in .stall }
        let operation = manager.operation("GET", "a")
        manager.operationQueue.addOperation(operation)
        _ = await manager.sentRequests(atLeast: 1)
        operation.cancel()
        try await operation.waitUntilEnded()
        #expect(operation.error?.code == .cancelled)
    }

    @Test func blockIsCancelledWithItsOperation() async throws {
        let manager = RequestOperationManager { _ in
            try await Task.sleep(for: .seconds(3_600))
            return .status(204)
        }
        let operation = manager.operation("GET", "a")
        manager.operationQueue.addOperation(operation)
        _ = await manager.sentRequests(atLeast: 1)
        operation.cancel()
        try await operation.waitUntilEnded()
        #expect(operation.error?.code == .cancelled)
    }

    @Test func refusedPOSTIsRetried() async throws {
        let tally = Tally()
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { _ in tally.next() == 1 ? .refused : .json([1]) }
        manager.retryPolicy = .standard
        let operation = manager.operation("POST", "orders", body: .text("x"))
        manager.operationQueue.addOperation(operation)
        await clock.advance(untilFinished: operation)
        #expect(operation.error == nil)
        #expect(operation.retries.map(\.code) == [.cannotConnect])
        try manager.expectSent(.post("/orders", body: .text("x")), .post("/orders", body: .text("x")))
    }

    @Test func possiblyReceivedUnsafeRequestIsNotRetried() async throws {
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { _ in .closed }
        manager.retryPolicy = .standard
        let operation = manager.operation("POST", "orders", body: .text("x"))
        manager.operationQueue.addOperation(operation)
        await clock.advance(untilFinished: operation)
        #expect(operation.error?.code == .connectionLost)
        #expect(manager.sentRequests.count == 1)
    }
}
