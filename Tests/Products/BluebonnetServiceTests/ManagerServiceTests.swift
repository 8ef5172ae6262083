// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetService
import BluebonnetTestServer
import Foundation
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ManagerServiceTests {
    /// Runs the service of a manager while `body` runs in the group's task, and returns the summary of the drain.
    private static func running(
        _ manager: RequestOperationManager, drainTimeout: Duration,
        _ body: (_ shutDown: @escaping @Sendable () -> Void) async throws -> Void
    ) async throws -> DrainSummary? {
        let drained = Observed<DrainSummary?>(nil)
        let service = ManagerService(manager, drainTimeout: drainTimeout) { summary in drained.update { $0 = summary } }
        try await testGracefulShutdown { trigger in
            async let run: Void = service.run()
            try await body { trigger.triggerGracefulShutdown() }
            try await run
        }
        return drained.value
    }

    @Test func shutdownLetsRunningOperationsFinish() async throws {
        let gate = Gate()
        let script: TestServer.Script = { _ in Reply([.wait(until: gate)] + Reply.response(body: "done").steps) }
        try await TestServer.serving(script: script) { server in
            let manager = RequestOperationManager(baseURL: server.url())
            let operation = manager.operation("GET", "a", responseSerializer: HTTPResponseSerializer())
            let summary = try await Self.running(manager, drainTimeout: .seconds(600)) { shutDown in
                manager.enqueue(operation)
                await server.waitForRequests(count: 1)
                shutDown()
                await becomes(true) { manager.operationQueue.isSuspended }
                gate.open()
            }
            #expect(operation.responseString == "done")
            #expect(summary?.finished == [operation] && summary?.hasExpired == false)
            let error = await #expect(throws: NetworkingError.self) { try await manager.call("a").response() }
            #expect(error?.code == .notStarted)
        }
    }

    @Test func deadlineCancelsRunningOperations() async throws {
        try await TestServer.serving(
            script: { _ in .stall },
            { server in
                let manager = RequestOperationManager(baseURL: server.url())
                let operation = manager.operation("GET", "a")
                let summary = try await Self.running(manager, drainTimeout: .zero) { shutDown in
                    manager.enqueue(operation)
                    await server.waitForRequests(count: 1)
                    shutDown()
                }
                #expect(summary?.hasExpired == true && summary?.cancelled == [operation])
                #expect(operation.error?.code == .cancelled)
            })
    }

    @Test func cancelledTaskCancelsRunningOperations() async throws {
        try await TestServer.serving(
            script: { _ in .stall },
            { server in
                let manager = RequestOperationManager(baseURL: server.url())
                let operation = manager.operation("GET", "a")
                manager.enqueue(operation)
                await server.waitForRequests(count: 1)
                let run = Task { try await ManagerService(manager, drainTimeout: .seconds(600)).run() }
                run.cancel()
                await #expect(throws: CancellationError.self) { try await run.value }
                #expect(operation.error?.code == .cancelled)
            })
    }

    @Test func drainTimeoutIsTenSeconds() {
        #expect(ManagerService(RequestOperationManager()).drainTimeout == .seconds(10))
    }
}
