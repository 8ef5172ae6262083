// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import BluebonnetFleet
import BluebonnetFleetService
import BluebonnetTestServer
import RealServers
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite(.enabled(if: PostgreSQLServer.isAvailable), .timeLimit(.minutes(2))) struct FleetWorkerServiceTests {
    /// Starts a store with a batch of two lines, and a worker that runs one at a time.
    private static func withWorker(
        _ script: @escaping TestServer.Script, _ change: (inout FleetWorker.Configuration) -> Void = { _ in },
        _ body: (FleetWorker, Fleet, TestServer) async throws -> Void
    ) async throws {
        let postgres = try await PostgreSQLServer.shared()
        let fleet = Fleet(store: postgres.unixURL(database: try await postgres.createDatabase()))
        try await TestServer.serving(script: script) { server in
            var settings = FleetSettings()
            settings.baseURL = server.url()
            let lines = [RequestLine(id: "a", url: "a"), RequestLine(id: "b", url: "b")]
            try await fleet.submit(lines, named: "batch", settings: settings)
            var configuration = FleetWorker.Configuration()
            (configuration.concurrency, configuration.concurrencyPerOrigin) = (1, 1)
            change(&configuration)
            try await body(FleetWorker(store: fleet.store, configuration: configuration), fleet, server)
        }
    }

    @Test func shutdownDrainsTheWorker() async throws {
        let gate = Gate()
        let script: TestServer.Script = { _ in Reply([.wait(until: gate)] + Reply.response(body: "x").steps) }
        let change: (inout FleetWorker.Configuration) -> Void = { $0.drainTimeout = .seconds(600) }
        try await Self.withWorker(script, change) { worker, fleet, server in
            try await testGracefulShutdown { trigger in
                async let run: Void = FleetWorkerService(worker).run()
                await server.waitForRequests(count: 1)
                trigger.triggerGracefulShutdown()
                gate.open()
                try await run
            }
            #expect(try await fleet.batch(named: "batch").counts[.success] == 1)
            #expect(server.requests.count == 1)
        }
    }

    @Test func deadlineOfTheDrainIsTheWorkers() async throws {
        try await Self.withWorker(
            { _ in .stall }, { $0.drainTimeout = .zero },
            { worker, fleet, server in
                try await testGracefulShutdown { trigger in
                    async let run: Void = FleetWorkerService(worker).run()
                    await server.waitForRequests(count: 1)
                    trigger.triggerGracefulShutdown()
                    try await run
                }
                #expect(try await fleet.batch(named: "batch").counts[.success] ?? 0 == 0)
            })
    }

    @Test func idleWorkerEndsItsService() async throws {
        try await Self.withWorker(
            { _ in .response(body: "x") }, { $0.endsWhenIdle = true },
            { worker, fleet, _ in
                try await FleetWorkerService(worker).run()
                #expect(try await fleet.batch(named: "batch").counts[.success] == 2)
            })
    }

    @Test func errorOfTheWorkerIsThrown() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let worker = FleetWorker(store: postgres.unixURL(database: "nowhere"))
        await #expect(throws: FleetError.self) { try await FleetWorkerService(worker).run() }
    }
}
