// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import Foundation

/// Creates and migrates the tables of a fleet's store.
///
/// Each change of the tables is a new step at the end of `steps`; earlier steps never change. After a step, programs
/// of the previous version must still work with the tables: workers of two neighbouring versions share a store during
/// an upgrade of the fleet.
enum FleetSchema {
    /// The number of the newest step.
    static var version: Int { steps.count }

    /// The key of the advisory lock that lets one program at a time change the tables ("BBFL").
    private static let lock = 0x4242_464C

    /// Creating an index of a million rows takes longer than the usual time limit of a statement.
    private static let timeout = Duration.seconds(600)
    /// How long statements of a fleet at work may wait for the migration, which itself waits for older transactions.
    private static let lockTimeout = Duration.milliseconds(500)
    /// How often the migration tries to lock the tables, unless the caller tries again. Between two attempts, the fleet
    /// works.
    private static let lockAttemptCount = 20

    /// Creates the tables, or migrates tables of an older version to this version.
    ///
    /// - Parameters:
    ///   - newest: the version to migrate to; for tests.
    ///   - attempts: how often to try while other transactions use the tables. The thread sleeps between two attempts.
    /// - Throws: `newerVersion` if the tables are more than one version newer; a conflict after the last attempt.
    static func prepare(
        _ connection: PostgreSQLConnection, to newest: Int = FleetSchema.version,
        attempts: Int = FleetSchema.lockAttemptCount
    ) throws(FleetError) {
        if try version(connection) < newest { try migrate(connection, to: newest, attempts: attempts) }
        try check(connection)
    }

    private static func migrate(
        _ connection: PostgreSQLConnection, to newest: Int, attempts: Int
    ) throws(FleetError) {
        let patience = connection.timeout
        connection.timeout = timeout
        defer { connection.timeout = patience }
        for attempt in 1... {
            do throws(FleetError) {
                return try connection.transaction(attempts: 1) { () throws(FleetError) in
                    try connection.query("SELECT pg_advisory_xact_lock($1)", [.integer(lock)])
                    let found = try version(connection)
                    if (1..<3).contains(found), newest >= 3 { try lockTables(connection) }
                    for number in found..<max(found, newest) { try apply(number, connection) }
                }
            } catch {
                guard error.isConflict else { throw error }
                guard attempt < attempts else { throw tablesInUse(error) }
            }
            Thread.sleep(forTimeInterval: lockTimeout / .seconds(1))
        }
    }

    /// Locks the tables that claims use, in the order in which claims use them. The server ends what takes longer than
    /// the connection waits for.
    private static func lockTables(_ connection: PostgreSQLConnection) throws(FleetError) {
        try connection.query(
            """
            SET LOCAL lock_timeout = \(Int(lockTimeout / .milliseconds(1)));
            SET LOCAL statement_timeout = \(Int(timeout / .milliseconds(1)) - 5_000);
            LOCK TABLE bluebonnet.batches, bluebonnet.lanes, bluebonnet.ready IN ACCESS EXCLUSIVE MODE
            """)
    }

    private static func tablesInUse(_ error: FleetError) -> FleetError {
        FleetError(
            .failed,
            "the store's tables cannot be brought to version \(version) while other transactions use them: end "
                + "transactions that are open for long", underlying: error.underlying)
    }

    /// Checks that the tables exist and that this program can work with them.
    static func check(_ connection: PostgreSQLConnection) throws(FleetError) {
        let found = try version(connection)
        guard found > 0 else {
            throw FleetError(.noBatch, "the store has no batches: submit one first")
        }
        guard found <= version + 1 else {
            throw FleetError(
                .newerVersion,
                "the store's tables have version \(found), but this program supports versions up to \(version + 1): "
                    + "install a newer version of Bluebonnet")
        }
    }

    static func version(_ connection: PostgreSQLConnection) throws(FleetError) -> Int {
        // Reads the catalog itself: `to_regclass` would answer from the session's knowledge before it got the lock.
        let there = try connection.query(
            "SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE schemaname = $1 AND tablename = 'migrations')",
            [.text("bluebonnet")])
        guard there.bool(0, 0) else { return 0 }
        let number = try connection.query(
            "SELECT coalesce(max(number), 0) FROM bluebonnet.migrations WHERE number > $1", [.integer(0)])
        return number.integer(0, 0)
    }

    private static func apply(_ number: Int, _ connection: PostgreSQLConnection) throws(FleetError) {
        try connection.query(steps[number])
        try connection.query("INSERT INTO bluebonnet.migrations (number) VALUES ($1)", [.integer(number + 1)])
    }

    /// The statements of each version. `FleetLine.Kind` describes the values of `lines.kind`.
    private static let steps = [
        """
        CREATE SCHEMA bluebonnet;
        CREATE TABLE bluebonnet.migrations (
            number integer PRIMARY KEY,
            applied timestamptz NOT NULL DEFAULT now()
        );
        -- A batch. Its lines are in the order of their positions, dependencies first.
        CREATE TABLE bluebonnet.batches (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text NOT NULL UNIQUE,
            digest text NOT NULL,
            settings text NOT NULL,
            state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'paused', 'cancelled')),
            priority smallint NOT NULL DEFAULT 0,
            line_count bigint NOT NULL,
            has_edges boolean NOT NULL,
            key_seed text NOT NULL,
            created timestamptz NOT NULL DEFAULT now()
        );
        CREATE TABLE bluebonnet.lanes (
            batch bigint NOT NULL REFERENCES bluebonnet.batches ON DELETE CASCADE,
            lane integer NOT NULL,
            origin text NOT NULL,
            line_count bigint NOT NULL,
            PRIMARY KEY (batch, lane)
        );
        -- What a line is; it never changes.
        CREATE TABLE bluebonnet.lines (
            batch bigint NOT NULL,
            position integer NOT NULL,
            id text NOT NULL,
            lane integer NOT NULL,
            rank smallint NOT NULL,
            kind smallint NOT NULL,
            is_read boolean NOT NULL,
            line text NOT NULL,
            needs integer[],
            PRIMARY KEY (batch, position)
        );
        -- Where a line stands: in ready, in blocked, in a claim, or in results.
        CREATE TABLE bluebonnet.ready (
            batch bigint NOT NULL,
            lane integer NOT NULL,
            rank smallint NOT NULL,
            position integer NOT NULL,
            PRIMARY KEY (batch, lane, rank, position)
        ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
        CREATE TABLE bluebonnet.blocked (
            batch bigint NOT NULL,
            position integer NOT NULL,
            missing integer NOT NULL,
            PRIMARY KEY (batch, position)
        );
        CREATE TABLE bluebonnet.edges (
            batch bigint NOT NULL,
            dependency integer NOT NULL,
            dependent integer NOT NULL,
            PRIMARY KEY (batch, dependency, dependent)
        );
        -- A worker of which something was heard in its lease. Its number is never used again.
        CREATE TABLE bluebonnet.workers (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text NOT NULL,
            version text NOT NULL,
            slots integer NOT NULL,
            lease double precision NOT NULL,
            beat bigint NOT NULL DEFAULT 0,
            known_worker bigint NOT NULL DEFAULT 0,
            started timestamptz NOT NULL DEFAULT now(),
            seen timestamptz NOT NULL DEFAULT now()
        ) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);
        -- Lines in the hands of a worker. The number is the fencing number: who has no row records nothing.
        CREATE TABLE bluebonnet.claims (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            worker bigint NOT NULL REFERENCES bluebonnet.workers,
            batch bigint NOT NULL,
            positions integer[] NOT NULL,
            marked integer[] NOT NULL DEFAULT '{}'
        ) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
        CREATE INDEX claims_worker ON bluebonnet.claims (worker);
        CREATE INDEX claims_batch ON bluebonnet.claims (batch);
        -- How many workers were lost with a line in their hands.
        CREATE TABLE bluebonnet.losses (
            batch bigint NOT NULL,
            position integer NOT NULL,
            count smallint NOT NULL,
            PRIMARY KEY (batch, position)
        );
        CREATE TABLE bluebonnet.results (
            batch bigint NOT NULL,
            position integer NOT NULL,
            outcome text NOT NULL,
            bytes bigint NOT NULL,
            line text NOT NULL,
            body bytea,
            written xid8 NOT NULL DEFAULT pg_current_xact_id(),
            PRIMARY KEY (batch, position)
        );
        CREATE INDEX results_written ON bluebonnet.results (batch, written, position);
        CREATE TABLE bluebonnet.tallies (
            batch bigint NOT NULL,
            worker bigint NOT NULL,
            outcome text NOT NULL,
            count bigint NOT NULL,
            bytes bigint NOT NULL,
            PRIMARY KEY (batch, worker, outcome)
        ) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
        -- Origins to which nothing is sent for a time.
        CREATE TABLE bluebonnet.holds (
            origin text PRIMARY KEY,
            until timestamptz NOT NULL
        );
        -- Credentials that all workers share; empty until there is one.
        CREATE TABLE bluebonnet.credentials (
            name text PRIMARY KEY,
            credential text NOT NULL
        );
        """,
        """
        -- A batch in which lines have pages or elements. These are lines too, at the positions after the submitted ones.
        CREATE TABLE bluebonnet.expansions (
            batch bigint PRIMARY KEY,
            next_position bigint NOT NULL
        ) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
        -- A page or an element. The request is that of `line`; `parent` is that line, or an element that has pages.
        CREATE TABLE bluebonnet.parts (
            batch bigint NOT NULL,
            position integer NOT NULL,
            parent integer NOT NULL,
            line integer NOT NULL,
            page integer,
            change text,
            element text,
            failure text,
            PRIMARY KEY (batch, position)
        );
        CREATE INDEX parts_parent ON bluebonnet.parts (batch, parent, position);
        -- A line with pages or elements. It is blocked until all of them have ended.
        CREATE TABLE bluebonnet.parents (
            batch bigint NOT NULL,
            position integer NOT NULL,
            state text NOT NULL,
            kind smallint NOT NULL,
            is_read boolean NOT NULL,
            PRIMARY KEY (batch, position)
        ) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
        -- A line that uses the responses of another one as elements: at once, or when all lines that it needs have ended.
        CREATE TABLE bluebonnet.readers (
            batch bigint NOT NULL,
            source integer NOT NULL,
            reader integer NOT NULL,
            is_early boolean NOT NULL,
            PRIMARY KEY (batch, source, reader)
        );
        -- Keys of elements and requests of pages that occurred, as SHA-256.
        CREATE TABLE bluebonnet.keys (
            batch bigint NOT NULL,
            position integer NOT NULL,
            key bytea NOT NULL,
            PRIMARY KEY (batch, position, key)
        );
        -- A polling line. It is blocked until the next request is due.
        CREATE TABLE bluebonnet.polls (
            batch bigint NOT NULL,
            position integer NOT NULL,
            requests integer NOT NULL,
            attempts integer NOT NULL,
            started timestamptz NOT NULL,
            due timestamptz,
            PRIMARY KEY (batch, position)
        ) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
        CREATE INDEX polls_due ON bluebonnet.polls (due) WHERE due IS NOT NULL;
        """,
        """
        -- The order in which lines became ready, as `ClaimMarks` describes it. Programs of version 2 use the primary
        -- key. Rows that are there get 0, which does not rewrite the table: they come first, in the order of the rows.
        ALTER TABLE bluebonnet.ready ADD COLUMN entry bigint NOT NULL DEFAULT 0;
        ALTER TABLE bluebonnet.ready
            ALTER COLUMN entry SET DEFAULT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
        CREATE INDEX ready_entry ON bluebonnet.ready (batch, lane, rank, entry);
        -- The priorities of a lane's lines, a bit for each rank; null if all are possible.
        ALTER TABLE bluebonnet.lanes ADD COLUMN ranks smallint;
        -- When every line had an outcome, as a worker has found out; null if that is not known. Each change of the state
        -- counts `epoch` up, also that of a program of version 2: lines may run again. `keep` is how many seconds a
        -- complete batch is kept.
        ALTER TABLE bluebonnet.batches
            ADD COLUMN completed timestamptz,
            ADD COLUMN epoch bigint NOT NULL DEFAULT 0,
            ADD COLUMN keep double precision;
        -- A key that no other batch has, while the batch runs or is kept.
        ALTER TABLE bluebonnet.batches ADD COLUMN unique_key text UNIQUE;
        CREATE FUNCTION bluebonnet.change_batch() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            NEW.completed := NULL;
            NEW.epoch := OLD.epoch + 1;
            RETURN NEW;
        END
        $$;
        CREATE TRIGGER change_batch BEFORE UPDATE OF state ON bluebonnet.batches
            FOR EACH ROW EXECUTE FUNCTION bluebonnet.change_batch();
        -- Work of the fleet that one worker at a time does.
        CREATE TABLE bluebonnet.turns (
            name text PRIMARY KEY,
            until timestamptz NOT NULL
        );
        -- A schedule: workers make batches of its lines. `backfill` is in seconds.
        CREATE TABLE bluebonnet.schedules (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text NOT NULL UNIQUE,
            expression text NOT NULL,
            zone text NOT NULL,
            backfill double precision,
            skips_while_running boolean NOT NULL,
            settings text NOT NULL,
            is_paused boolean NOT NULL DEFAULT false,
            next_tick timestamptz,
            last_tick timestamptz,
            last_batch bigint,
            last_name text,
            problem text
        ) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);
        -- The request lines of a schedule, as the file has them, in parts.
        CREATE TABLE bluebonnet.schedule_lines (
            schedule bigint NOT NULL REFERENCES bluebonnet.schedules ON DELETE CASCADE,
            part integer NOT NULL,
            text bytea NOT NULL,
            PRIMARY KEY (schedule, part)
        );
        -- A tick that had a batch, or that was skipped: then it has no batch.
        CREATE TABLE bluebonnet.ticks (
            schedule bigint NOT NULL REFERENCES bluebonnet.schedules ON DELETE CASCADE,
            tick timestamptz NOT NULL,
            batch bigint,
            PRIMARY KEY (schedule, tick)
        );
        """,
        """
        -- The key that a line asks for, as `LineKeys` describes it.
        CREATE TABLE bluebonnet.unique_lines (
            batch bigint NOT NULL,
            position integer NOT NULL,
            key text COLLATE "C" NOT NULL,
            PRIMARY KEY (batch, position)
        );
        -- The line that has a key. It may have ended, and its batch may be gone.
        CREATE TABLE bluebonnet.line_keys (
            key text COLLATE "C" PRIMARY KEY,
            batch bigint NOT NULL,
            position integer NOT NULL
        );
        CREATE INDEX line_keys_batch ON bluebonnet.line_keys (batch, key);
        """,
    ]
}
