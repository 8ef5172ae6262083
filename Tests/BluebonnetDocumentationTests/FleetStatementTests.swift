// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import BluebonnetFleet
import BluebonnetTestServer
import Foundation
import RealServers
import TestSupport
import Testing

/// The statements on the fleet page have the documented effect in PostgreSQL.
@Suite(.timeLimit(.minutes(1)), .enabled(if: PostgreSQLServer.isAvailable)) struct FleetStatementTests {
    /// A store with a batch that has ended and a batch that has not.
    private struct Store {
        let server: PostgreSQLServer
        let database: String
        let fleet: Fleet

        init() async throws {
            server = try await PostgreSQLServer.shared()
            database = try await server.createDatabase()
            fleet = Fleet(store: server.unixURL(database: database))
            var lines = [RequestLine(id: "a", url: "http://h/"), RequestLine(id: "b", url: "http://h/")]
            lines[1].after = ["a"]
            try await fleet.submit(lines, named: "nightly")
            try await fleet.cancel("nightly")
            try await fleet.submit(lines, named: "other")
        }

        func query(_ sql: String) async throws -> [[String]] { try await server.query(sql, database: database) }
    }

    private func block(startingWith start: String) throws -> String {
        let block = try CodeBlock.ofPages().first { $0.page == "Fleet.md" && $0.lines.first?.hasPrefix(start) == true }
        return try #require(block, "Fleet.md has no block that starts with \(start)").lines.joined(separator: "\n")
    }

    @Test func pageStatementShowsResultsOfRestoredStore() async throws {
        let store = try await Store()
        try await store.fleet.retryFailed("nightly")
        // As after a restore, the results have transaction numbers that this server has not reached yet.
        _ = try await store.query(
            """
            INSERT INTO bluebonnet.results (batch, position, outcome, bytes, line, written)
            SELECT number, 0, 'success', 0, '{"id":"a","outcome":"success"}', '900000000000' FROM bluebonnet.batches
            WHERE name = 'nightly'
            """)
        func results() async throws -> Int {
            var count = 0
            for try await _ in store.fleet.results(of: "nightly", follows: false) { count += 1 }
            return count
        }
        #expect(try await results() == 0)
        _ = try await store.query(block(startingWith: "UPDATE bluebonnet.results"))
        #expect(try await results() == 1)
    }

    @Test func pageGrantsPermitDocumentedActions() async throws {
        let store = try await Store()
        // Roles belong to the server, which other tests use too.
        let suffix = "_" + store.database
        _ = try await store.query("CREATE ROLE worker\(suffix) LOGIN; CREATE ROLE viewer\(suffix) LOGIN")
        let statements = try block(startingWith: "GRANT").replacingOccurrences(
            of: " worker;", with: " worker\(suffix);"
        )
        .replacingOccurrences(of: " viewer;", with: " viewer\(suffix);")
        func fleet(_ role: String) -> Fleet {
            Fleet(
                store: store.fleet.store.replacingOccurrences(
                    of: "user=\(PostgreSQLServer.user)", with: "user=\(role)\(suffix)"))
        }
        await #expect(throws: FleetError.self) { try await fleet("viewer").batches() }
        _ = try await store.query(statements)
        #expect(try await fleet("viewer").batches().count == 2)
        await #expect(throws: FleetError.self) { try await fleet("viewer").cancel("other") }
        try await fleet("worker").submit([RequestLine(id: "a", url: "http://h/")], named: "third")
        let worker = FleetWorker(store: fleet("worker").store)
        try await fleet("worker").cancel("third")
        try await fleet("worker").pause("other")
        try await fleet("worker").remove("third")
        async let work: Void = worker.run()
        try await becomes(1) { try await fleet("viewer").members().count }
        worker.drain()
        try await work
        #expect(try await fleet("viewer").members().isEmpty)
    }
}
