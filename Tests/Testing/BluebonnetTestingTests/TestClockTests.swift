// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct TestClockTests {
    private func run(
        _ answer: TestAnswer, timeouts: Timeouts, method: String = "GET", advancing duration: Duration
    ) async throws -> HTTPRequestOperation {
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { _ in answer }
        manager.timeouts = timeouts
        let operation = manager.operation(method, "a", body: method == "GET" ? nil : .text("body"))
        manager.operationQueue.addOperation(operation)
        await clock.advance(untilFinished: operation)
        let elapsed = clock.date.timeIntervalSince(TestClock().date)
        #expect(abs(elapsed - Double(duration.components.seconds)) < 1)
        return operation
    }

    @Test func totalLimitPasses() async throws {
        let operation = try await run(.stall, timeouts: Timeouts(total: .seconds(30)), advancing: .seconds(30))
        #expect(operation.error?.timeLimit == .total)
    }

    @Test(arguments: ["GET", "POST"]) func idleLimitPasses(method: String) async throws {
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { _ in .json(["abc"]).stalling(afterByteCount: 1) }
        manager.timeouts = Timeouts(idle: .seconds(3_600))
        let operation = manager.operation(method, "a", body: method == "GET" ? nil : .text("body"))
        manager.operationQueue.addOperation(operation)
        await clock.advance(untilFinished: operation)
        #expect(operation.error?.timeLimit == .idle)
        #expect(clock.date >= TestClock().date + 3_600)
    }

    @Test func connectLimitPasses() async throws {
        let operation = try await run(
            .neverConnects, timeouts: Timeouts(connect: .seconds(20), idle: .seconds(5)), advancing: .seconds(20))
        #expect(operation.error?.timeLimit == .connect)
    }

    @Test func delayEndsWithTheClock() async throws {
        let operation = try await run(
            .json(["late"]).delayed(by: .seconds(59)), timeouts: Timeouts(idle: .seconds(60)), advancing: .seconds(59))
        #expect(operation.error == nil)
        #expect(operation.responseData == Data(#"["late"]"#.utf8))
    }

    /// The seconds that a busy machine takes between the requests count, too. Against a limit of an hour, they are
    /// few.
    @Test func timeOfEarlierRequestsCountsAgainstTheTotalLimit() async throws {
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { request in
            request.path == "/a" ? .redirect(to: "/b").delayed(by: .seconds(2_400)) : .stall
        }
        manager.timeouts = Timeouts(idle: .seconds(3_600), total: .seconds(3_600))
        let operation = manager.operation("GET", "a")
        manager.operationQueue.addOperation(operation)
        await clock.advance(untilFinished: operation)
        #expect(operation.error?.timeLimit == .total)
        let elapsed = clock.date.timeIntervalSince(TestClock().date)
        #expect(elapsed <= 3_600 && elapsed > 2_400)
    }

    @Test func retryWaitsForTheClock() async throws {
        let (clock, tally) = (TestClock(), Tally())
        let manager = RequestOperationManager(clock: clock) { _ in
            tally.next() == 1 ? .status(503, headers: ["Retry-After": "120"]) : .json([1])
        }
        manager.retryPolicy = .standard
        let operation = manager.operation("GET", "a")
        manager.operationQueue.addOperation(operation)
        await clock.waitUntilOperationsWait()
        await clock.advance(by: .seconds(119))
        #expect(await clock.waitingOperationCount == 1)
        #expect(manager.sentRequests.count == 1)
        await clock.advance(by: .seconds(1))
        try await operation.waitUntilEnded()
        #expect(operation.error == nil)
        #expect(operation.retries.map(\.wait) == [.seconds(120)])
    }

    @Test func governorHoldsByTheClock() async throws {
        let (clock, tally) = (TestClock(), Tally())
        var configuration = RequestOperationManager.Configuration()
        configuration.governor = Governor(clock: clock)
        let manager = RequestOperationManager(configuration: configuration, clock: clock) { _ in
            tally.next() == 1 ? .status(429, headers: ["Retry-After": "60"]) : .json([1])
        }
        let first = manager.operation("GET", "a")
        manager.operationQueue.addOperation(first)
        try await first.waitUntilEnded()
        #expect(first.error?.code == .unacceptableStatus)
        let second = manager.operation("GET", "b")
        manager.operationQueue.addOperation(second)
        await clock.advance(untilFinished: second)
        #expect(second.error == nil)
        #expect(clock.date >= TestClock().date + 60)
    }

    @Test func pauseCountsAgainstNoLimit() async throws {
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { _ in .json(["late"]).delayed(by: .seconds(20)) }
        manager.timeouts = Timeouts(total: .seconds(30))
        let operation = manager.operation("POST", "a", body: .text("x"))
        manager.operationQueue.addOperation(operation)
        _ = await manager.sentRequests(atLeast: 1)
        operation.pause()
        await clock.advance(by: .seconds(3_600))
        operation.resume()
        await clock.advance(untilFinished: operation)
        #expect(operation.error == nil)
        #expect(manager.sentRequests.count == 1)
    }
}
