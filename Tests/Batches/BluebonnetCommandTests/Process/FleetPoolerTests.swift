// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import RealServers
import Testing

extension ProcessTests {
    /// Workers that reach their store through a connection pooler.
    @Suite(.enabled(if: PgBouncer.isAvailable)) struct FleetPoolerTests {
        /// Submits a batch of 20 lines to a store, and calls `body` with the store's URL through a pooler.
        private func withPooler(
            _ mode: PgBouncer.PoolMode, connectionCount: Int, keepsPreparedStatements: Bool = false,
            _ body: (CommandFixture, String) async throws -> Void
        ) async throws {
            let postgres = try await PostgreSQLServer.shared()
            let database = try await postgres.createDatabase()
            let pooler = try await PgBouncer.start(
                before: postgres, mode, connectionCount: connectionCount,
                keepsPreparedStatements: keepsPreparedStatements)
            try await CommandFixture.with { _ in
                .response(body: "hello")
            } _: { fixture in
                let lines = try fixture.file((0..<20).map { #"{"id":"\#($0)","url":"\#($0)"}"# })
                let submit = [
                    "submit", lines, "--name", "n", "--base-url", fixture.server.url("/").absoluteString, "--store",
                    postgres.unixURL(database: database),
                ]
                let end = try await CommandProcess(submit, in: fixture.folder).end()
                #expect(end.status == 0, "\(end.errors)")
                try await body(fixture, postgres.tcpURL(database: database, port: pooler.port))
            }
            await pooler.stop()
        }

        /// All workers share the only connection to the server, and so each other's prepared statements.
        @Test func transactionModeErrorNamesTheRemedy() async throws {
            try await withPooler(.transaction, connectionCount: 1) { fixture, store in
                let store = store + "?pooler=session"
                let first = try CommandProcess(["work", "--store", store], in: fixture.folder)
                await eventually(fixture.server.requests.count) { $0 > 0 }
                let second = try await CommandProcess(["work", "--store", store], in: fixture.folder).end()
                #expect(second.status == 2)
                #expect(second.errors.contains("a pooler runs in transaction mode"), "\(second.errors)")
                #expect(second.errors.contains("?pooler=transaction"))
                first.send(SIGTERM)
                _ = await first.end()
            }
        }

        /// A pooler is detected: a worker then polls the store and leaves nothing in the sessions.
        @Test(arguments: [(PgBouncer.PoolMode.session, 10), (.transaction, 1)])
        func workersShareABatchThroughAPooler(mode: PgBouncer.PoolMode, connectionCount: Int) async throws {
            try await withPooler(mode, connectionCount: connectionCount) { fixture, store in
                let workers = try (0..<2).map { _ in
                    try CommandProcess(["work", "--store", store, "--until-done"], in: fixture.folder)
                }
                for worker in workers {
                    let end = await worker.end()
                    #expect(end.status == 0, "\(end.errors)")
                }
                #expect(Set(fixture.server.requests.map(\.path)).count == 20)
            }
        }
    }
}
