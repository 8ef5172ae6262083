// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import RealServers
import Testing

extension FaultTests {
    /// The proxy in front of a database, as in the fleet tests.
    @Suite(.enabled(if: PostgreSQLServer.isAvailable)) struct FaultProxyDatabaseTests {
        /// Calls `body` with a proxy in front of the shared server, and stops the proxy afterwards.
        private func withProxy(_ body: (FaultProxy, PostgreSQLServer, _ url: String) async throws -> Void) async throws
        {
            let server = try await PostgreSQLServer.shared()
            try await FaultProxy.serving(toPort: server.port) { proxy in
                try await body(proxy, server, server.tcpURL(database: "postgres", port: proxy.port))
            }
        }

        @Test func proxyForwardsBytesInBothDirections() async throws {
            try await withProxy { proxy, server, url in
                let rows = try await server.query("SELECT repeat('x', 5000000)", at: url)
                #expect(rows.first?.first?.utf8.count == 5_000_000)
                await proxy.openConnectionCount.becomes(0)
            }
        }

        @Test func stalledBytesAreDeliveredAfterForwardingResumes() async throws {
            try await withProxy { proxy, server, url in
                await proxy.set(.stall)
                let impatient = url + "?connect_timeout=2"
                let error = await #expect(throws: TestServerError.self) {
                    try await server.query("SELECT 1", at: impatient)
                }
                #expect(error?.description.contains("timeout expired") == true, "\(error?.description ?? "")")
                let rows = Task { try await server.query("SELECT 1", at: url) }
                await proxy.openConnectionCount.becomes(within: patience) { $0 >= 1 }
                await proxy.set(.forward)
                let answer = try await rows.value
                #expect(answer == [["1"]])
                await proxy.openConnectionCount.becomes(0)
            }
        }

        @Test func cutClosesActiveConnectionsAtBothEnds() async throws {
            try await withProxy { proxy, server, url in
                let mark = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'cut' AND state = 'active'"
                let rows = Task { try await server.query("SELECT pg_sleep(600)", at: url + "?application_name=cut") }
                try await becomes([["1"]]) { try await server.query(mark) }
                await proxy.cut()
                await #expect(throws: TestServerError.self) { try await rows.value }
                await proxy.openConnectionCount.becomes(0)
                #expect(try await server.query("SELECT 1", at: url) == [["1"]])
                let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut'"
                _ = try await server.query(end)
            }
        }

        @Test func proxyRefusesConnectionsUntilForwarding() async throws {
            try await withProxy { proxy, server, url in
                await proxy.set(.refuse)
                await #expect(throws: TestServerError.self) { try await server.query("SELECT 1", at: url) }
                await proxy.set(.forward)
                let answer = try await server.query("SELECT 1", at: url)
                #expect(answer == [["1"]])
            }
        }
    }
}
