// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import RealServers
import Testing

extension NetworkTests {
    /// The fixture for tests that need a fleet's store.
    @Suite(.enabled(if: PostgreSQLServer.isAvailable)) struct PostgreSQLServerTests {
        /// Runs `body` with a separate server, and removes the server afterwards.
        private func withOwnServer(
            settings: [String: String] = [:], tls certificate: TestCertificate? = nil,
            _ body: (PostgreSQLServer) async throws -> Void
        ) async throws {
            let server = try await PostgreSQLServer.start(settings: settings, tls: certificate)
            do {
                try await body(server)
            } catch {
                await server.remove()
                throw error
            }
            await server.remove()
        }

        @Test func sharedServerAnswersThroughItsSocketAndItsPort() async throws {
            let server = try await PostgreSQLServer.shared()
            let database = try await server.createDatabase()
            for url in [server.unixURL(database: database), server.tcpURL(database: database)] {
                let rows = try await server.query(
                    "SELECT current_database(), 'a b', NULL UNION ALL SELECT '', '', ''", at: url)
                #expect(rows == [[database, "a b", ""], ["", "", ""]])
            }
            #expect(try await server.query("SELECT 1 WHERE false").isEmpty)
            #expect(try await server.query("SHOW fsync") == [["on"]])
        }

        @Test func passwordIsRequiredOnlyOnThePort() async throws {
            let server = try await PostgreSQLServer.shared()
            let url = server.tcpURL(database: "postgres", hasPassword: false)
            let error = await #expect(throws: TestServerError.self) { try await server.query("SELECT 1", at: url) }
            #expect(error?.description.contains("no password supplied") == true, "\(error?.description ?? "")")
        }

        @Test func databasesOfOneServerAreSeparate() async throws {
            let server = try await PostgreSQLServer.shared()
            let (one, other) = (try await server.createDatabase(), try await server.createDatabase())
            #expect(try await server.query("CREATE TABLE t (i int)", database: one).isEmpty)
            await #expect(throws: TestServerError.self) { try await server.query("TABLE t", database: other) }
        }

        @Test func restartKeepsCommittedData() async throws {
            try await withOwnServer(settings: ["shared_buffers": "16MB"]) { server in
                #expect(try await server.query("SHOW shared_buffers") == [["16MB"]])
                _ = try await server.query("CREATE TABLE t (i int); INSERT INTO t VALUES (1)")
                try await server.restart(.immediate)
                #expect(server.log.contains("database system was not properly shut down"))
                _ = try await server.query("INSERT INTO t VALUES (2)")
                try await server.restart(.fast)
                #expect(try await server.query("SELECT i FROM t ORDER BY i") == [["1"], ["2"]])
            }
        }

        @Test func stoppedServerRefusesUntilStartedAgain() async throws {
            try await withOwnServer { server in
                try await server.stop(.fast)
                await #expect(throws: TestServerError.self) { try await server.query("SELECT 1") }
                await #expect(throws: TestServerError.self) { try await server.stop(.fast) }
                #expect(throws: TestServerError.self) { try server.processorTime() }
                try await server.startAgain()
                #expect(try await server.query("SELECT 1", at: server.tcpURL(database: "postgres")) == [["1"]])
            }
        }

        @Test func portUsesTheGivenCertificate() async throws {
            try await withOwnServer(tls: .localhost) { server in
                let ca = try TestCertificate.localhost.caPath
                let url = "\(server.tcpURL(database: "postgres"))?sslmode=verify-ca&sslrootcert=\(ca)"
                let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
                #expect(try await server.query(sql, at: url) == [["t"]])
            }
        }

        @Test func unknownSettingIsReportedWithTheLog() async throws {
            let error = await #expect(throws: TestServerError.self) {
                try await PostgreSQLServer.start(settings: ["no_such_setting": "1"])
            }
            #expect(error?.description.contains("no_such_setting") == true, "\(error?.description ?? "")")
        }

        @Test func processorTimeIncludesEndedSessions() async throws {
            try await withOwnServer(settings: ["max_parallel_workers_per_gather": "0"]) { server in
                let before = try server.processorTime()
                _ = try await server.query("SELECT count(*) FROM generate_series(1, 1000000) AS n WHERE n % 7 = 3")
                #expect(try server.processorTime() > before)
            }
        }
    }
}
