// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// What a real store says about itself.
    @Suite struct StoreFactsTests {
        @Test func freshStoreHasNothingToDo() async throws {
            let fixture = try await StoreFixture()
            let empty = try await fixture.fleet.examine()
            #expect(empty.first?.level == .error && empty.first?.subject == "tables")
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            let worker = try fixture.worker("w")
            let facts = try StoreFacts.read(fixture.connect())
            #expect(facts.tablesVersion == FleetSchema.version && facts.workerVersions == [FleetSchema.version])
            #expect(facts.workerCount == 1 && facts.silentWorkers.isEmpty && facts.missingPermissions.isEmpty)
            #expect(facts.serverVersion >= 130_000 && abs(facts.clockDifference) < 2)
            #expect(facts.relations.contains { $0.name == "ready_entry" && $0.table == "ready" && $0.byteCount > 0 })
            let problems = try await fixture.fleet.examine().filter { $0.level != .fine }
            #expect(problems.isEmpty, "\(problems)")
            try worker.leave()
        }

        /// PostgreSQL keeps large values in a table of their own.
        @Test func sizeOfATableIncludesItsLargeValues() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            _ = try await fixture.rows(
                """
                ALTER TABLE bluebonnet.results ALTER COLUMN body SET STORAGE EXTERNAL;
                INSERT INTO bluebonnet.results (batch, position, outcome, bytes, line, body)
                SELECT 99, p, 'success', 1, '{}', decode(repeat('61', 1 << 18), 'hex') FROM generate_series(1, 8) p
                """)
            let relations = try StoreFacts.read(fixture.connect()).relations
            let results = try #require(relations.first { $0.name == "results" })
            #expect(results.byteCount > 2 << 20)
            #expect(relations.allSatisfy { $0.table == nil || $0.byteCount < 1 << 20 })
        }

        @Test func openTransactionIsFound() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            let holder = try fixture.connect()
            try holder.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            let number = try holder.query("SELECT pg_backend_pid() WHERE $1", [.bool(true)]).integer(0, 0)
            let facts = try StoreFacts.read(fixture.connect(), heldFor: 0)
            let found = facts.holders.first { $0.name == "\(number)" }
            #expect(found?.kind == "session" && found?.application == "test")
            try holder.query("ROLLBACK")
            let rest = try StoreFacts.read(fixture.connect(), heldFor: 0).holders
            #expect(rest.allSatisfy { $0.name != "\(number)" })
        }

        @Test func onlyAReaderOfStatisticsSeesHowLongOthersAreOpen() async throws {
            let fixture = try await StoreFixture()
            let role = "reader_\(fixture.database)"
            _ = try await fixture.rows("CREATE ROLE \(role) LOGIN")
            let holder = try fixture.connect()
            try holder.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            let number = try holder.query("SELECT pg_backend_pid() WHERE $1", [.bool(true)]).integer(0, 0)
            let connection = try fixture.connect()
            try connection.query("SET ROLE \(role)")
            let blind = try StoreFacts.read(connection, heldFor: 0)
            #expect(!blind.seesAllSessions && blind.holders.contains { $0.name == "\(number)" && $0.isOfUnknownAge })
            #expect(blind.connectionCount >= 2, "connections of others count")
            _ = try await fixture.rows("GRANT pg_read_all_stats TO \(role)")
            let facts = try StoreFacts.read(connection, heldFor: 0)
            #expect(facts.seesAllSessions && facts.holders.contains { $0.name == "\(number)" && !$0.isOfUnknownAge })
            try holder.query("ROLLBACK")
            #expect(try StoreFacts.read(fixture.connect()).seesAllSessions, "a superuser sees all")
        }

        @Test(arguments: ["", "GRANT USAGE ON SCHEMA bluebonnet TO"])
        func storeIsExaminedWithoutThePermissionToReadIt(grant: String) async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            let role = "stranger_\(fixture.database)"
            _ = try await fixture.rows("CREATE ROLE \(role) LOGIN")
            if !grant.isEmpty { _ = try await fixture.rows("\(grant) \(role)") }
            let connection = try fixture.connect()
            try connection.query("SET ROLE \(role)")
            let findings = StoreDiagnosis(try StoreFacts.read(connection)).findings
            #expect(findings.filter { $0.level == .error }.map(\.subject) == ["permissions"])
        }

        /// The role of the documentation.
        @Test func viewerHasNothingToDo() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            let role = "viewer_\(fixture.database)"
            _ = try await fixture.rows(
                """
                CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA bluebonnet TO \(role);
                GRANT SELECT ON ALL TABLES IN SCHEMA bluebonnet TO \(role); GRANT pg_read_all_stats TO \(role);
                """)
            let connection = try fixture.connect()
            try connection.query("SET ROLE \(role)")
            let problems = StoreDiagnosis(try StoreFacts.read(connection)).findings.filter { $0.level != .fine }
            #expect(problems.isEmpty, "\(problems)")
            _ = try await fixture.rows("GRANT INSERT ON bluebonnet.ready TO \(role)")
            let mixture = StoreDiagnosis(try StoreFacts.read(connection)).findings.filter { $0.level != .fine }
            #expect(mixture.map(\.subject) == ["permissions"] && mixture[0].message.contains("DELETE"))
        }

        @Test func permissionsOfAViewerAreFound() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            let role = "viewer_\(fixture.database)"
            _ = try await fixture.rows(
                """
                CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA bluebonnet TO \(role);
                GRANT SELECT ON ALL TABLES IN SCHEMA bluebonnet TO \(role);
                """)
            let connection = try fixture.connect()
            try connection.query("SET ROLE \(role)")
            let missing = try StoreFacts.read(connection).missingPermissions
            #expect(missing.contains("table ready: DELETE") && !missing.contains("table ready: SELECT"))
        }
    }
}
