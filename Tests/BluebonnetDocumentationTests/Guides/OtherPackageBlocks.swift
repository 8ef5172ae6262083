// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetConfiguration
import BluebonnetFleet
import BluebonnetFleetService
import BluebonnetHTTPTypes
import BluebonnetService
import BluebonnetTesting
import Configuration
import Foundation
import HTTPTypes
import Logging
import RealServers
import ServiceLifecycle
import Testing
import UnixSignals

// Code with the types of other packages.
extension PageTests {
    private struct User: Codable, Sendable { let name: String }

    private struct Ended: Error {}

    /// A service that fails at once, so that its group ends.
    private struct EndingService: Service { func run() async throws { throw Ended() } }

    @Test func pageConvertsHTTPTypes() async throws {
        let manager = RequestOperationManager { _ in .json(["name": "Ada"], status: 201) }
        // BLOCK OtherPackages.md
        let request = HTTPTypes.HTTPRequest(
            method: .post, scheme: "https", authority: "api.example.com",
            path: "/v1/users", headerFields: [.accept: "application/json"])
        let response = try await manager.call(
            request, body: .json(["name": "Ada"])
        ).response()
        let head = try HTTPResponse(response)
        print(head.status, head.headerFields[.contentType] ?? "")
        // END
        #expect(head.status == .created)
        // BLOCK RequestConversions.swift
        let user = try await manager.call(request, body: .json(["name": "Ada"])).value(as: User.self)
        // END
        #expect(user.name == "Ada")
        #expect(manager.sentRequests.map(\.target) == ["/v1/users", "/v1/users"])
    }

    @Test func pageRunsManagerAsService() async throws {
        let logger = Logger(label: "test")
        let server = EndingService()
        let managers = (1...2).map { _ in RequestOperationManager { _ in .status(204) } }
        do {
            let manager = managers[0]
            // BLOCK OtherPackages.md
            let client = ManagerService(manager, drainTimeout: .seconds(20))
            let group = ServiceGroup(
                services: [client, server],
                gracefulShutdownSignals: [.sigterm], logger: logger)
            try await group.run()
            // END
        } catch is Ended {}
        do {
            let manager = managers[1]
            // BLOCK ManagerService.swift
            let client = ManagerService(manager, drainTimeout: .seconds(20))
            let group = ServiceGroup(
                services: [client, server], gracefulShutdownSignals: [.sigterm],
                logger: logger)
            try await group.run()
            // END
        } catch is Ended {}
        for manager in managers {
            let error = await #expect(throws: NetworkingError.self) { try await manager.call("a").response() }
            #expect(error?.code == .notStarted)
        }
    }

    @Test(.enabled(if: PostgreSQLServer.isAvailable)) func pageRunsWorkerAsService() async throws {
        let logger = Logger(label: "test")
        let store = try await PostgreSQLServer.shared().unixURL(database: "nowhere")
        do {
            // BLOCK OtherPackages.md
            let worker = FleetWorker(store: store)
            let workers = ServiceGroup(
                services: [FleetWorkerService(worker)],
                gracefulShutdownSignals: [.sigterm], logger: logger)
            try await workers.run()
            // END
        } catch is FleetError {}
        do {
            // BLOCK FleetWorkerService.swift
            let worker = FleetWorker(store: store)
            let group = ServiceGroup(
                services: [FleetWorkerService(worker)],
                gracefulShutdownSignals: [.sigterm], logger: logger)
            try await group.run()
            // END
        } catch is FleetError {}
    }

    @Test func pageReadsConfiguration() throws {
        let base = try #require(URL(string: "https://api.example.com/"))
        do {
            // BLOCK OtherPackages.md
            let reader = ConfigReader(provider: EnvironmentVariablesProvider())
            let manager = RequestOperationManager(
                baseURL: base,
                configuration: try .init(configReader: reader.scoped(to: "http")))
            // END
            #expect(manager.baseURL == base)
        }
        // BLOCK ManagerConfiguration.swift
        let reader = ConfigReader(provider: EnvironmentVariablesProvider())
        let manager = RequestOperationManager(
            baseURL: base, configuration: try .init(configReader: reader.scoped(to: "http")))
        // END
        #expect(manager.timeouts == RequestOperationManager.Configuration().timeouts)
    }
}
