// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetFleet

/// What the facts about a store mean, and what to do.
@Suite struct StoreDiagnosisTests {
    /// A store without problems.
    private static let healthy: StoreFacts = {
        var facts = StoreFacts()
        (facts.serverVersion, facts.tablesVersion) = (150_007, FleetSchema.version)
        (facts.workerVersions, facts.workerCount) = ([FleetSchema.version], 2)
        facts.settings = [
            "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "autovacuum": "on",
            "statement_timeout": "0", "lock_timeout": "0", "server_encoding": "UTF8",
        ]
        (facts.connectionCount, facts.connectionLimit) = (10, 100)
        facts.relations = [
            .init(name: "ready", table: nil, byteCount: 1 << 20, liveCount: 1_000, deadCount: 500),
            .init(name: "ready_pkey", table: "ready", byteCount: 1 << 20, liveCount: 1_000, deadCount: 500),
        ]
        return facts
    }()

    /// The findings that need attention, each as level, subject and the words of the advice.
    private static func problems(_ change: (inout StoreFacts) -> Void) -> [(String, String, String)] {
        var facts = healthy
        change(&facts)
        return StoreDiagnosis(facts).findings.filter { $0.level != .fine }.map {
            ($0.level.rawValue, $0.subject, $0.advice ?? "")
        }
    }

    @Test func healthyStoreHasNothingToDo() {
        let findings = StoreDiagnosis(Self.healthy).findings
        #expect(findings.allSatisfy { $0.level == .fine && $0.advice == nil })
        #expect(
            Set(findings.map(\.subject)) == [
                "version", "tables", "settings", "transactions", "space", "clock", "permissions", "connections",
                "workers",
            ])
    }

    @Test func numberOutOfRangeIsReported() {
        let version = Self.problems { $0.serverVersion = 120_018 }
        #expect(version.map(\.0) == ["error"] && version[0].2.contains("PostgreSQL 13"))
        let age = Self.problems { $0.transactionAge = 1_500_000_000 }
        #expect(age.map(\.1) == ["space"] && age[0].2.contains("VACUUM FREEZE"))
        let connections = Self.problems { $0.connectionCount = 96 }
        #expect(connections.map(\.1) == ["connections"] && connections[0].2.contains("max_connections"))
    }

    @Test(arguments: [
        ("fsync", "off", "error"), ("full_page_writes", "off", "error"), ("synchronous_commit", "off", "error"),
        ("synchronous_commit", "local", "error"), ("autovacuum", "off", "warning"),
        ("statement_timeout", "5s", "warning"), ("lock_timeout", "1s", "warning"),
        ("server_encoding", "LATIN1", "warning"),
    ])
    func dangerousSettingIsReported(name: String, value: String, level: String) {
        let found = Self.problems { $0.settings[name] = value }
        #expect(found.count == 1 && found[0].0 == level && found[0].1 == "settings" && !found[0].2.isEmpty)
    }

    @Test(
        arguments: [
            (nil, "error", "submit a batch"), (FleetSchema.version - 1, "warning", "owner"),
            (FleetSchema.version + 2, "error", "newer version"),
        ] as [(Int?, String, String)])
    func tablesOfAnotherVersionAreReported(version: Int?, level: String, advice: String) {
        let found = Self.problems { $0.tablesVersion = version }
        #expect(found.first?.0 == level && found.first?.1 == "tables" && found.first?.2.contains(advice) == true)
    }

    @Test(arguments: [
        ("session", "pg_terminate_backend(4711)"), ("prepared transaction", "ROLLBACK PREPARED '4711'"),
        ("replication slot", "pg_drop_replication_slot('4711')"), ("standby", "hot_standby_feedback"),
    ])
    func openTransactionIsReportedWithTheWayToEndIt(kind: String, advice: String) {
        let found = Self.problems {
            $0.holders = [.init(kind: kind, name: "4711", application: "psql", age: 90, transactionCount: 5)]
        }
        #expect(found.count == 1 && found[0].1 == "transactions" && found[0].2.contains(advice))
    }

    /// Nobody may call what cannot be seen fine.
    @Test func userWhoSeesNoTimesOfOthersIsTold() {
        let blind = Self.problems { $0.seesAllSessions = false }
        #expect(blind.map(\.1) == ["transactions"] && blind[0].2.contains("GRANT pg_read_all_stats"))
        var facts = Self.healthy
        facts.seesAllSessions = false
        facts.holders = [
            .init(kind: "session", name: "12", application: "", age: nil, transactionCount: 70),
            .init(kind: "session", name: "34", application: "", age: 90, transactionCount: 5),
        ]
        let messages = StoreDiagnosis(facts).findings.filter { $0.level == .warning }.map(\.message)
        #expect(messages.count == 2 && messages[0].contains("34") && messages[1].contains("12 is 70 transactions old"))
        #expect(StoreDiagnosis(facts).findings.allSatisfy { $0.subject != "transactions" || $0.level != .fine })
    }

    @Test func deadRowsAndLargeIndexesAreReported() {
        let dead = Self.problems {
            $0.relations[0] = .init(
                name: "ready", table: nil, byteCount: 0, liveCount: 99_999, deadCount: 100_001)
        }
        #expect(dead.map(\.2) == ["VACUUM bluebonnet.ready"])
        let large = Self.problems {
            $0.relations[1] = .init(
                name: "ready_pkey", table: "ready", byteCount: 200 << 20, liveCount: 1_000, deadCount: 0)
        }
        #expect(large.map(\.2) == ["REINDEX INDEX CONCURRENTLY bluebonnet.ready_pkey"])
        let full = Self.problems {
            $0.relations[1] = .init(
                name: "ready_pkey", table: "ready", byteCount: 200 << 20, liveCount: 3_000_000, deadCount: 0)
        }
        #expect(full.isEmpty)
        let left = Self.problems {
            $0.relations[1] = .init(
                name: "ready_pkey_ccnew", table: "ready", byteCount: 0, liveCount: 0, deadCount: 0, isValid: false)
        }
        #expect(left.map(\.2) == ["DROP INDEX CONCURRENTLY bluebonnet.\"ready_pkey_ccnew\""])
    }

    @Test func otherProblemsAreReported() {
        #expect(Self.problems { $0.clockDifference = -2.5 }.map(\.1) == ["clock"])
        #expect(Self.problems { $0.missingPermissions = ["table ready: DELETE"] }.map(\.1) == ["permissions"])
        #expect(Self.problems { $0.silentWorkers = ["w"] }.map(\.1) == ["workers"])
        #expect(Self.problems { $0.workerVersions = [FleetSchema.version - 1] }.map(\.1) == ["workers"])
        #expect(Self.problems { $0.isReadOnly = true }.map(\.0) == ["error"])
        #expect(Self.problems { $0.isPooled = true }.isEmpty)
    }

    @Test func userWhoMayOnlyLookIsFine() {
        #expect(Self.problems { ($0.missingPermissions, $0.mayChange) = (["table ready: DELETE"], false) }.isEmpty)
    }

    /// What may not be read was not examined: nothing is said about it.
    @Test(arguments: ["schema bluebonnet", "table workers: SELECT"])
    func tablesThatMayNotBeReadAreAnError(missing: String) {
        let found = Self.problems {
            ($0.missingPermissions, $0.tablesVersion, $0.relations) = ([missing], nil, [])
        }
        #expect(found.map(\.0) == ["error"] && found[0].1 == "permissions" && found[0].2.contains("grant"))
    }

    @Test func errorsComeFirst() {
        var facts = Self.healthy
        (facts.clockDifference, facts.settings["fsync"]) = (9, "off")
        #expect(StoreDiagnosis(facts).findings.prefix(3).map(\.level) == [.error, .warning, .fine])
    }
}
