// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The state of a store, as the store reports it. A value type.
struct StoreFacts: Equatable {
    /// A transaction that keeps PostgreSQL from removing dead rows.
    struct Holder: Equatable {
        /// The kind: `session`, `prepared transaction`, `replication slot` or `standby`.
        let kind: String
        /// The number of the session's process, or the name.
        let name: String
        /// The application, or nothing.
        let application: String
        /// How old it is in seconds, if that is known.
        let age: Double?
        /// How many transactions began since then.
        let transactionCount: Int

        /// Whether it is a session of another user, of which this user does not see the times.
        var isOfUnknownAge: Bool { kind == "session" && age == nil }
    }

    /// A table, or an index, of the fleet.
    struct Relation: Equatable {
        let name: String
        /// The name of the table of an index; nil for a table.
        let table: String?
        /// The size, with the large values of a table's rows (TOAST).
        let byteCount: Int
        let liveCount: Int
        let deadCount: Int
        /// Whether an index can be used.
        var isValid = true
    }

    /// The version as PostgreSQL numbers it: 150007 for 15.7.
    var serverVersion = 0
    /// The version of the tables; nil without tables.
    var tablesVersion: Int?
    /// The versions of tables that this program and the workers know.
    var programVersion = FleetSchema.version
    var workerVersions: Set<Int> = []
    var workerCount = 0
    /// The workers that were silent for longer than their lease.
    var silentWorkers: [String] = []
    var settings: [String: String] = [:]
    var isReadOnly = false
    var isStandby = false
    var isPooled = false
    /// The number of connections to the server, and the most that are allowed.
    var connectionCount = 0
    var connectionLimit = 0
    var holders: [Holder] = []
    /// Whether the user sees the times of other users' transactions.
    var seesAllSessions = true
    var relations: [Relation] = []
    /// The tables, or the schema, that the user may not use as a worker does.
    var missingPermissions: [String] = []
    /// Whether the user may change a table.
    var mayChange = true
    /// Whether the user may read all tables.
    var isReadable: Bool { !missingPermissions.contains { $0.hasPrefix("schema ") || $0.hasSuffix(": SELECT") } }
    /// The clock of the store minus the clock of this machine, in seconds.
    var clockDifference = 0.0
    /// The age of the oldest transaction number of the database.
    var transactionAge = 0
}

extension StoreFacts {
    /// The settings that are read.
    private static let settingNames = [
        "fsync", "synchronous_commit", "full_page_writes", "autovacuum", "statement_timeout", "lock_timeout",
        "idle_in_transaction_session_timeout", "server_encoding",
    ]

    /// Reads the facts.
    ///
    /// - Parameter shortestAge: younger transactions are normal, in seconds. Default 60.
    static func read(
        _ connection: PostgreSQLConnection, heldFor shortestAge: Double = 60
    ) throws(FleetError) -> StoreFacts {
        var facts = StoreFacts()
        try facts.readServer(connection)
        try facts.readHolders(connection, shortestAge)
        let exists = try connection.query(
            "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'migrations')",
            [.text("bluebonnet")])
        guard exists.bool(0, 0) else { return facts }
        try facts.readPermissions(connection)
        guard facts.isReadable else { return facts }
        facts.tablesVersion = try FleetSchema.version(connection)
        try facts.readWorkers(connection)
        try facts.readRelations(connection)
        return facts
    }

    private mutating func readServer(_ connection: PostgreSQLConnection) throws(FleetError) {
        let before = Date()
        let row = try connection.query(
            """
            SELECT current_setting('server_version_num')::integer, pg_is_in_recovery(),
                   current_setting('transaction_read_only') = 'on', current_setting('max_connections')::integer,
                   (SELECT coalesce(sum(numbackends), 0)::bigint FROM pg_stat_database),
                   extract(epoch FROM clock_timestamp())::double precision,
                   (SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database()),
                   pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
            WHERE $1
            """, [.bool(true)])
        let middle = (before.timeIntervalSince1970 + Date().timeIntervalSince1970) / 2
        serverVersion = row.integer(0, 0)
        (isStandby, isReadOnly) = (row.bool(0, 1), row.bool(0, 2))
        (connectionLimit, connectionCount) = (row.integer(0, 3), row.integer(0, 4))
        clockDifference = row.double(0, 5) - middle
        (transactionAge, seesAllSessions) = (row.integer(0, 6), row.bool(0, 7))
        isPooled = connection.isPooled
        let found = try connection.query(
            "SELECT name, current_setting(name) FROM unnest($1::text[]) AS u (name)", [.texts(Self.settingNames)])
        for row in 0..<found.count { settings[found.text(row, 0)] = found.text(row, 1) }
    }

    private mutating func readHolders(
        _ connection: PostgreSQLConnection, _ shortestAge: Double
    ) throws(FleetError) {
        let rows = try connection.query(
            """
            SELECT 'session' AS kind, pid::text AS name, coalesce(application_name, '') AS application,
                   extract(epoch FROM now() - coalesce(xact_start, backend_start))::double precision AS age,
                   greatest(age(backend_xmin), age(backend_xid))::bigint AS count
            FROM pg_stat_activity
            WHERE (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) AND pid <> pg_backend_pid()
              AND coalesce(backend_type, '') NOT IN ('autovacuum worker', 'walsender')
            UNION ALL
            SELECT 'prepared transaction', gid, '', extract(epoch FROM now() - prepared)::double precision,
                   age(transaction)::bigint
            FROM pg_prepared_xacts
            UNION ALL
            SELECT 'replication slot', slot_name, coalesce(plugin, ''), NULL, age(xmin)::bigint
            FROM pg_replication_slots WHERE xmin IS NOT NULL
            UNION ALL
            SELECT 'standby', coalesce(host(client_addr), pid::text), coalesce(application_name, ''), NULL,
                   age(backend_xmin)::bigint
            FROM pg_stat_replication WHERE backend_xmin IS NOT NULL
            ORDER BY count DESC LIMIT $1
            """, [.integer(1_000)])
        for row in 0..<rows.count {
            let age = rows.optionalDouble(row, 3)
            guard age.map({ $0 >= shortestAge }) ?? true else { continue }
            holders.append(
                Holder(
                    kind: rows.text(row, 0), name: rows.text(row, 1), application: rows.text(row, 2), age: age,
                    transactionCount: rows.isNull(row, 4) ? 0 : rows.integer(row, 4)))
        }
    }

    /// Reads which tables the user may not use.
    private mutating func readPermissions(_ connection: PostgreSQLConnection) throws(FleetError) {
        let rows = try connection.query(
            """
            SELECT 'schema ' || $1 WHERE NOT has_schema_privilege($1, 'USAGE')
            UNION ALL
            SELECT 'table ' || c.relname || ': ' || p.name
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p (name)
            WHERE n.nspname = $1 AND c.relkind = 'r' AND NOT has_table_privilege(c.oid, p.name)
              AND has_schema_privilege($1, 'USAGE')
            ORDER BY 1
            """, [.text("bluebonnet")])
        missingPermissions = (0..<rows.count).map { rows.text($0, 0) }
        mayChange = try connection.query(
            """
            SELECT EXISTS (
                SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = $1 AND c.relkind = 'r' AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE'))
            """, [.text("bluebonnet")]
        ).bool(0, 0)
    }

    private mutating func readWorkers(_ connection: PostgreSQLConnection) throws(FleetError) {
        let rows = try connection.query(
            """
            SELECT name, version, extract(epoch FROM now() - seen)::double precision > lease
            FROM bluebonnet.workers WHERE number > $1 ORDER BY number
            """, [.integer(0)])
        workerCount = rows.count
        for row in 0..<rows.count {
            if let version = Int(rows.text(row, 1)) { workerVersions.insert(version) }
            if rows.bool(row, 2) { silentWorkers.append(rows.text(row, 0)) }
        }
    }

    private mutating func readRelations(_ connection: PostgreSQLConnection) throws(FleetError) {
        let rows = try connection.query(
            """
            SELECT c.relname, t.relname,
                   CASE c.relkind WHEN 'r' THEN pg_table_size(c.oid) ELSE pg_relation_size(c.oid) END,
                   greatest(s.n_live_tup, 0), greatest(s.n_dead_tup, 0), coalesce(i.indisvalid, true)
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            LEFT JOIN pg_index i ON i.indexrelid = c.oid
            LEFT JOIN pg_class t ON t.oid = i.indrelid
            JOIN pg_stat_all_tables s ON s.relid = coalesce(t.oid, c.oid)
            WHERE n.nspname = $1 AND c.relkind IN ('r', 'i') ORDER BY c.relname
            """, [.text("bluebonnet")])
        relations = (0..<rows.count).map { row in
            Relation(
                name: rows.text(row, 0), table: rows.optionalText(row, 1), byteCount: rows.integer(row, 2),
                liveCount: rows.integer(row, 3), deadCount: rows.integer(row, 4), isValid: rows.bool(row, 5))
        }
    }
}
