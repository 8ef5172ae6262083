// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTesting
import Foundation
import Testing

// BLOCK TestingYourProgram.md
@Suite struct ShopTests {
    @Test func orderIsSentAgainWhenTheShopIsBusy() async throws {
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { _ in .status(503, headers: ["Retry-After": "60"]) }
        manager.retryPolicy = .standard
        let order = manager.operation("PUT", "orders/7", body: .json(["article": 7]))
        manager.operationQueue.addOperation(order)
        await clock.advance(untilFinished: order)
        try manager.expectSent(Array(repeating: .put("/orders/7", body: .json(["article": 7])), count: 3))
        #expect(order.retries.map(\.wait) == [.seconds(60), .seconds(60)])
    }
}
// END

extension PageTests {
    @Test func answersOfThePageAreAnswers() async throws {
        let picture = Data([1, 2, 3])
        // BLOCK TestingYourProgram.md
        let answers: [TestAnswer] = [
            .json(["name": "Ada"]),
            .text("not here", status: 404),
            .redirect(to: "/elsewhere"),
            .data(picture, type: "image/png").answeringRanges(),
            .text("slow").delayed(by: .seconds(2)).inPieces(ofByteCount: 1, every: .seconds(1)),
        ]
        // END
        #expect(answers.map(\.status) == [200, 404, 302, 200, 200])
        // BLOCK TestAnswer.swift
        let slow = TestAnswer.json(["name": "Ada"]).delayed(by: .seconds(2))
        let truncated = TestAnswer.data(picture, type: "image/png").cut(afterByteCount: 1_000)
        // END
        #expect(slow.body == answers[0].body && truncated.body == picture)
    }

    @Test func clockOfThePageRuns() async throws {
        // BLOCK TestingYourProgram.md
        let clock = TestClock()
        var configuration = RequestOperationManager.Configuration()
        configuration.governor = Governor(clock: clock)
        let manager = RequestOperationManager(configuration: configuration, clock: clock) { _ in .stall }
        manager.timeouts.total = .seconds(30)
        let report = manager.operation("GET", "report")
        manager.operationQueue.addOperation(report)
        await clock.advance(untilFinished: report)
        // END
        #expect(report.error?.timeLimit == .total)
    }

    @Test func commentOfTheClockRuns() async throws {
        // BLOCK TestClock.swift
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { _ in .stall }
        let operation = manager.operation("GET", "report", timeout: .seconds(30))
        manager.operationQueue.addOperation(operation)
        await clock.advance(untilFinished: operation)
        // END
        #expect(operation.error?.timeLimit == .total)
    }

    @Test func requestsOfThePageAreCompared() async throws {
        // BLOCK AnsweringManager.swift
        let manager = RequestOperationManager { request in
            request.path == "/me" ? .json(["name": "Ada"]) : .status(404)
        }
        // END
        let me: JSONValue = try await manager.get("me")
        #expect(me["name"]?.string == "Ada")
        try await comparePageRequests()
    }

    private func comparePageRequests() async throws {
        let manager = RequestOperationManager { _ in .json([1]) }
        _ = try await manager.get("users/1", headers: ["Accept": "application/json"])
        _ = try await manager.post("orders", body: .json(["article": 7]))
        // BLOCK TestingYourProgram.md
        try manager.expectSent(
            .get("/users/1", headers: ["Accept": "application/json"]),
            .post("/orders", body: .json(["article": 7])))
        try manager.expectSent([.post("/orders"), .get("/users/1")], inAnyOrder: true)
        // END
        // BLOCK AnsweringManager.swift
        try manager.expectSent(.get("/users/1"), .post("/orders", body: .json(["article": 7])))
        // END
    }
}
