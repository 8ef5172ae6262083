// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Decides what the facts about a store mean. A value type.
struct StoreDiagnosis {
    /// The oldest version of PostgreSQL that the statements work with.
    private static let oldestServer = 130_000
    /// A clock that differs by less is normal.
    private static let largestDifference = 2.0
    /// Fewer dead rows need no attention.
    private static let deadLimit = 100_000
    /// Smaller relations need no attention.
    private static let smallByteCount = 64 << 20
    /// The bytes of a row in an index, with its share of pages that are not full, on the safe side.
    private static let indexRowByteCount = 64
    /// PostgreSQL stops at 2,000 million transactions without a freeze.
    private static let oldestTransaction = 1_000_000_000

    private let facts: StoreFacts
    private var found: [StoreFinding] = []

    init(_ facts: StoreFacts) {
        self.facts = facts
        judgeVersions()
        judgeSettings()
        judgeHolders()
        judgeSpace()
        judgeRest()
    }

    /// The findings, problems first.
    var findings: [StoreFinding] {
        found.enumerated().sorted { ($0.element.level, $0.offset) < ($1.element.level, $1.offset) }.map(\.element)
    }

    private mutating func add(
        _ level: StoreFinding.Level, _ subject: String, _ message: String, _ advice: String? = nil
    ) {
        found.append(StoreFinding(level: level, subject: subject, message: message, advice: advice))
    }

    private mutating func judgeVersions() {
        let version = "\(facts.serverVersion / 10_000).\(facts.serverVersion % 10_000)"
        if facts.serverVersion < Self.oldestServer {
            add(.error, "version", "the server is PostgreSQL \(version)", "use PostgreSQL 13 or later")
        } else {
            add(.fine, "version", "the server is PostgreSQL \(version)")
        }
        guard facts.isReadable else { return }
        guard let tables = facts.tablesVersion else {
            return add(.error, "tables", "the store has no tables", "submit a batch as the owner of the database")
        }
        if tables > facts.programVersion + 1 {
            add(
                .error, "tables", "the tables have version \(tables), this program knows \(facts.programVersion)",
                "install a newer version of Bluebonnet here")
        } else if tables < facts.programVersion {
            add(
                .warning, "tables", "the tables have version \(tables), this program brings \(facts.programVersion)",
                "submit a batch as the owner of the tables, to bring them up to date")
        } else {
            add(.fine, "tables", "the tables have version \(tables)")
        }
        if let oldest = facts.workerVersions.min(), oldest < tables {
            add(
                .warning, "workers", "a worker knows only version \(oldest) of the tables",
                "update the workers, one after another")
        }
    }

    private mutating func judgeSettings() {
        let count = found.count
        for name in ["fsync", "full_page_writes"] where facts.settings[name] == "off" {
            add(
                .error, "settings", "\(name) is off: a crash of the machine can damage the store or lose marks",
                "set \(name) = on")
        }
        if ["off", "local"].contains(facts.settings["synchronous_commit"]) {
            add(
                .error, "settings",
                "synchronous_commit is \(facts.settings["synchronous_commit"] ?? ""): a mark that is "
                    + "lost lets a request be sent twice",
                "set synchronous_commit = on for the fleet's roles")
        }
        if facts.settings["autovacuum"] == "off" {
            add(.warning, "settings", "autovacuum is off: the tables grow", "set autovacuum = on")
        }
        for name in ["statement_timeout", "lock_timeout"] where !["0", nil].contains(facts.settings[name]) {
            add(
                .warning, "settings", "\(name) is \(facts.settings[name] ?? ""): long statements of the fleet fail",
                "ALTER ROLE … SET \(name) = 0 for the fleet's roles")
        }
        if let encoding = facts.settings["server_encoding"], encoding != "UTF8" {
            add(
                .warning, "settings", "the database's encoding is \(encoding), which lacks characters",
                "use a database with ENCODING 'UTF8'")
        }
        if facts.isStandby || facts.isReadOnly {
            add(
                .error, "settings", facts.isStandby ? "the server is a standby" : "transactions are read-only",
                "connect to the primary server: with several hosts, target_session_attrs=read-write")
        }
        if found.count == count { add(.fine, "settings", "the settings that matter have good values") }
    }

    private mutating func judgeHolders() {
        let unknown = facts.holders.first { $0.isOfUnknownAge }
        for holder in facts.holders where !holder.isOfUnknownAge {
            let name = holder.application.isEmpty ? holder.name : "\(holder.name) (\(holder.application))"
            let age = holder.age.map { "for \(Int($0)) s" } ?? "\(holder.transactionCount) transactions old"
            let advice =
                switch holder.kind {
                case "session":
                    "end it, or SELECT pg_terminate_backend(\(holder.name)); set idle_in_transaction_session_timeout"
                case "prepared transaction": "COMMIT PREPARED or ROLLBACK PREPARED '\(holder.name)'"
                case "replication slot":
                    "start its consumer, or SELECT pg_drop_replication_slot('\(holder.name)')"
                default: "end long queries on the standby, or switch hot_standby_feedback off there"
                }
            add(
                .warning, "transactions",
                "the \(holder.kind) \(name) is open, \(age): no dead row of the server can be removed meanwhile, and "
                    + "results wait if it has written", advice)
        }
        guard facts.seesAllSessions else {
            let oldest = unknown.map { ", of which session \($0.name) is \($0.transactionCount) transactions old" }
            return add(
                .warning, "transactions",
                "this user cannot see how long the transactions of other users are open" + (oldest ?? ""),
                "GRANT pg_read_all_stats TO the user")
        }
        if facts.holders.isEmpty { add(.fine, "transactions", "no transaction is open for long") }
    }

    private mutating func judgeSpace() {
        let count = found.count
        let names = Set(facts.relations.compactMap { $0.table == nil ? $0.name : nil })
        for relation in facts.relations {
            if let table = relation.table {
                judgeIndex(relation, of: table)
            } else if relation.deadCount > max(Self.deadLimit, relation.liveCount) {
                let way =
                    facts.holders.isEmpty ? "VACUUM bluebonnet.\(relation.name)" : "end the open transactions first"
                add(
                    .warning, "space",
                    "the table \(relation.name) has \(relation.deadCount) dead rows and \(relation.liveCount) others",
                    way)
            }
        }
        if found.count == count, !names.isEmpty {
            let bytes = facts.relations.reduce(0) { $0 + $1.byteCount }
            add(.fine, "space", "tables and indexes take \(bytes >> 20) MiB, and none is much larger than its rows")
        }
        if facts.transactionAge > Self.oldestTransaction {
            add(
                .warning, "space", "the oldest transaction number is \(facts.transactionAge) transactions old",
                "VACUUM FREEZE the database: PostgreSQL stops at 2000 million")
        }
    }

    private mutating func judgeIndex(_ index: StoreFacts.Relation, of table: String) {
        guard index.isValid else {
            return add(
                .warning, "space", "the index \(index.name) is left over from a REINDEX that failed",
                "DROP INDEX CONCURRENTLY bluebonnet.\"\(index.name)\"")
        }
        let expected = index.liveCount * Self.indexRowByteCount
        guard index.byteCount > max(Self.smallByteCount, 2 * expected) else { return }
        add(
            .warning, "space",
            "the index \(index.name) takes \(index.byteCount >> 20) MiB for \(index.liveCount) rows of \(table)",
            "REINDEX INDEX CONCURRENTLY bluebonnet.\(index.name)")
    }

    private mutating func judgePermissions() {
        let count = facts.missingPermissions.count
        let first = facts.missingPermissions.prefix(3).joined(separator: ", ")
        if !facts.isReadable {
            add(
                .error, "permissions", "this user may not read all tables, which were not examined: \(first)",
                "grant what the page \"A fleet\" says")
        } else if count > 0, !facts.mayChange {
            add(.fine, "permissions", "this user may only look")
        } else if count > 0 {
            add(
                .warning, "permissions",
                "this user may change tables, but lacks \(count) privileges of a worker: \(first)",
                "grant them as the page \"A fleet\" says, or revoke the others: a viewer needs SELECT only")
        } else if facts.tablesVersion != nil {
            add(.fine, "permissions", "this user may do what a worker does")
        }
    }

    private mutating func judgeRest() {
        if abs(facts.clockDifference) > Self.largestDifference {
            add(
                .warning, "clock",
                String(format: "the clock of the store differs from this machine's by %.1f s", facts.clockDifference),
                "synchronize the clocks: the fleet works, but times in reports differ")
        } else {
            add(.fine, "clock", "the clocks of the store and of this machine agree")
        }
        judgePermissions()
        let free = facts.connectionLimit - facts.connectionCount
        if free < max(5, facts.connectionLimit / 10) {
            add(
                .warning, "connections",
                "the server has \(facts.connectionCount) of \(facts.connectionLimit) connections",
                "raise max_connections, or use a pooler")
        } else {
            add(.fine, "connections", "the server has \(facts.connectionCount) of \(facts.connectionLimit) connections")
        }
        if facts.isPooled {
            add(
                .fine, "connections",
                "a pooler is between: workers poll the store instead of waiting for notifications; if it pools sessions, "
                    + "write ?pooler=session into the store's URL")
        }
        if !facts.silentWorkers.isEmpty {
            add(
                .warning, "workers",
                "silent for longer than their leases: \(facts.silentWorkers.joined(separator: ", "))",
                "start a worker: it takes over the lines of lost ones")
        } else if facts.tablesVersion != nil {
            add(.fine, "workers", "\(facts.workerCount) workers, none silent for longer than its lease")
        }
    }
}
