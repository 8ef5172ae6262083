// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetFleet
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

// The fleet page and the comments of the fleet types.
extension PageTests {
    /// Runs code with a new store and a site.
    private static func withStore(_ body: (_ storeURL: String, Site) async throws -> Void) async throws {
        let server = try await PostgreSQLServer.shared()
        let storeURL = server.unixURL(database: try await server.createDatabase())
        printed.update { $0 = [] }
        try await Site.serving { try await body(storeURL, $0) }
    }

    /// Runs code while a worker runs.
    private static func working(_ storeURL: String, _ body: () async throws -> Void) async throws {
        let worker = FleetWorker(store: storeURL)
        async let work: Void = worker.run()
        do {
            try await body()
        } catch {
            worker.cancel()
            throw error
        }
        worker.drain()
        try await work
    }

    @Test(.enabled(if: PostgreSQLServer.isAvailable)) func fleetBlocksRun() async throws {
        try await Self.withStore { storeURL, site in
            var lines = [RequestLine(id: "a", url: "users"), RequestLine(id: "b", url: "users")]
            lines[1].after = ["a"]
            var settings = FleetSettings()
            settings.baseURL = site.base
            // BLOCK Fleet.md
            // where storeURL is "postgresql://fleet@db.example.com/fleet"
            let fleet = Fleet(store: storeURL)
            try await fleet.submit(lines, named: "nightly", settings: settings)
            let worker = FleetWorker(store: fleet.store)
            async let work: Void = worker.run()
            for try await line in fleet.results(of: "nightly") { print(String(decoding: line, as: UTF8.self)) }
            worker.drain()
            try await work
            print(try await fleet.batch(named: "nightly").counts[.success] ?? 0, "have succeeded")
            // END
            let results = try printed.value.dropLast().map {
                try JSONDecoder().decode(ResultLine.self, from: Data($0.utf8))
            }
            #expect(results.map(\.id) == ["a", "b"])
            #expect(results.allSatisfy { $0.outcome == .success })
            #expect(printed.value.last == "2 have succeeded")
        }
    }

    @Test func commentOfCronExpressionRuns() throws {
        // BLOCK CronExpression.swift
        let weekdays = try CronExpression("*/15 9-17 * * mon-fri")
        let next = weekdays.next(after: Date(), in: .gmt)
        // END
        let tick = try #require(next)
        #expect(tick > Date() && Int(tick.timeIntervalSince1970) % 900 == 0)
    }

    @Test(.enabled(if: PostgreSQLServer.isAvailable)) func commentOfResultConditionRuns() async throws {
        try await Self.withStore { storeURL, site in
            let fleet = Fleet(store: storeURL)
            try await fleet.submit([RequestLine(id: "a", url: "http://127.0.0.1:9/")], named: "nightly")
            try await fleet.cancel("nightly")
            // BLOCK ResultCondition.swift
            let busy = try ResultCondition("@.status == 503 || @.code == 'timedOut'")
            try await fleet.retryFailed("nightly", where: busy)
            // END
            #expect(try await fleet.batch(named: "nightly").counts == [.cancelled: 1])
        }
    }

    @Test(.enabled(if: PostgreSQLServer.isAvailable)) func commentOfFleetRuns() async throws {
        try await Self.withStore { storeURL, site in
            let lines = [RequestLine(id: "a", url: site.base.appendingPathComponent("users").absoluteString)]
            try await Self.working(storeURL) {
                // BLOCK Fleet.swift
                // where storeURL is "postgresql://jobs@db.example.com/jobs"
                let fleet = Fleet(store: storeURL)
                try await fleet.submit(lines, named: "nightly")
                for try await line in fleet.results(of: "nightly") { print(String(decoding: line, as: UTF8.self)) }
                // END
            }
            #expect(printed.value.count == 1)
        }
    }

    @Test(.enabled(if: PostgreSQLServer.isAvailable)) func commentOfFleetWorkerRuns() async throws {
        try await Self.withStore { storeURL, site in
            let fleet = Fleet(store: storeURL)
            let url = site.base.appendingPathComponent("users").absoluteString
            try await fleet.submit([RequestLine(id: "a", url: url)], named: "nightly")
            let task = Task {
                // BLOCK FleetWorker.swift
                // where storeURL is "postgresql://jobs@db.example.com/jobs"
                let worker = FleetWorker(store: storeURL)
                try await worker.run()
                // END
            }
            for try await _ in fleet.results(of: "nightly") {}
            #expect(try await fleet.batch(named: "nightly").isSuccess)
            task.cancel()
            try await task.value
        }
    }

    @Test func commentOfFleetAuthenticatorCompiles() {
        let endpoint = TokenEndpoint(URL(string: "https://login.example.com/token")!, clientID: "reports")
        var configuration = FleetWorker.Configuration()
        // BLOCK FleetAuthenticator.swift
        let bearer = BearerAuthenticator(endpoint)
        let shared = FleetAuthenticator(bearer, store: "postgresql://jobs@db.example.com/jobs", name: "reports")
        configuration.transferOptions.authenticator = SharedAuthenticator(
            shared, origins: [URL(string: "https://api.example.com")!])
        // END
        #expect(configuration.transferOptions.authenticator != nil)
    }
}
