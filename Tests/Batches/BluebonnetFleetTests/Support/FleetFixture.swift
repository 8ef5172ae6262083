// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import BluebonnetFleet

/// A store, a server that receives the lines' requests, and workers.
struct FleetFixture: Sendable {
    let store: StoreFixture
    let server: TestServer

    /// Calls `body` with a server that answers by `script`.
    static func with(
        on postgres: PostgreSQLServer? = nil, _ script: @escaping TestServer.Script = { _ in .response(body: "hello") },
        _ body: (FleetFixture) async throws -> Void
    ) async throws {
        let store = try await StoreFixture(on: postgres)
        try await TestServer.serving(script: script) { server in
            try await body(FleetFixture(store: store, server: server))
        }
    }

    /// Submits a batch of lines whose URLs are paths of the server.
    func submit(
        _ lines: [RequestLine], named name: String = "n", _ change: (inout FleetSettings) -> Void = { _ in }
    ) async throws {
        var settings = FleetSettings()
        settings.baseURL = server.url("/")
        change(&settings)
        try await store.fleet.submit(lines, named: name, settings: settings)
    }

    /// Creates a worker that ends with the batches.
    func worker(
        _ name: String = "worker", at url: String? = nil, lease: Duration = .seconds(30), concurrency: Int = 16,
        endsWhenIdle: Bool = true
    ) -> FleetWorker {
        var configuration = FleetWorker.Configuration()
        (configuration.name, configuration.lease) = (name, lease)
        (configuration.concurrency, configuration.concurrencyPerOrigin) = (concurrency, concurrency)
        configuration.endsWhenIdle = endsWhenIdle
        return FleetWorker(store: url ?? store.url, configuration: configuration)
    }

    /// Runs workers until every batch is complete.
    func run(_ workers: FleetWorker...) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { try await worker.run() } }
            try await group.waitForAll()
        }
    }

    /// The result lines of the batch, by id. Each id occurs once.
    func results(_ name: String = "n") async throws -> [String: ResultLine] {
        var results: [String: ResultLine] = [:]
        for try await line in store.fleet.results(of: name, follows: false) {
            let result = try JSONDecoder().decode(ResultLine.self, from: line)
            #expect(results.updateValue(result, forKey: result.id) == nil, "\(result.id) has two results")
        }
        return results
    }

    func batch(_ name: String = "n") async throws -> FleetBatch { try await store.fleet.batch(named: name) }

    /// The names of the workers that the store knows.
    func members() async throws -> [String] { try await store.fleet.members().map(\.name) }

    /// The requests to a path that arrived.
    func requests(to path: String) -> [ReceivedRequest] { server.requests.filter { $0.path == path } }

    /// The number of requests with a method, by path.
    func counts(_ method: String) -> [String: Int] {
        Dictionary(grouping: server.requests.filter { $0.method == method }, by: \.path).mapValues(\.count)
    }
}
