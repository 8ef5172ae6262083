// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import GRDB

/// Creates, migrates and recognizes the tables of a journal.
enum SQLiteSchema {
    /// The application id that marks the file as a journal ("BBJL").
    private static let applicationID = 0x4242_4A4C
    /// The version of the tables. A change of the tables needs a new number and a step in `prepare`.
    static let version = 4

    /// The indexes of version 2: for failures, and for lines of a stream by fingerprint.
    private static let indexes = """
        CREATE INDEX fingerprints ON operation (fingerprint, position) WHERE fingerprint IS NOT NULL;
        CREATE INDEX failures ON operation (position) WHERE outcome = 'failure';
        """

    /// The table of version 3: pages and elements, which have no position.
    private static let parts = """
        CREATE TABLE part (
            id TEXT PRIMARY KEY, position INTEGER NOT NULL, outcome TEXT, byteCount INTEGER NOT NULL, line BLOB,
            referencedBody BLOB, page BLOB
        ) STRICT;
        CREATE INDEX partFailures ON part (position) WHERE outcome = 'failure';
        """

    /// The columns of version 4: findings of lines, not of pages only.
    private static let findings = """
        ALTER TABLE part RENAME COLUMN page TO findings;
        ALTER TABLE operation ADD COLUMN findings BLOB;
        """

    /// Whether the tables exist; false for an empty database.
    ///
    /// - Throws: `notAJournal` or `newerVersion`.
    static func isThere(_ database: Database, _ path: String) throws -> Bool {
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        if application == 0, found == 0, try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") == 0 {
            return false
        }
        guard application == applicationID else { throw JournalError(.notAJournal, "\(path) is not a journal") }
        guard found <= version else { throw newerVersion(found, path) }
        return true
    }

    /// The kind of a file according to its first bytes. Changes that are only in SQLite's log are not seen.
    enum Header {
        case empty, journal, emptyDatabase, other
        case newer(Int)

        /// - Parameter bytes: the first 100 bytes of the file.
        init(_ bytes: [UInt8]) {
            func number(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
            guard !bytes.isEmpty else {
                self = .empty
                return
            }
            guard bytes.count == 100, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
                self = .other
                return
            }
            switch (number(at: 68), number(at: 60)) {
            case (0, 0): self = .emptyDatabase
            case (applicationID, let found): self = found > version ? .newer(found) : .journal
            default: self = .other
            }
        }
    }

    static func newerVersion(_ found: Int, _ path: String) -> JournalError {
        JournalError(.newerVersion, "the journal \(path) was made by a newer version of Bluebonnet (format \(found))")
    }

    /// Creates the tables if they are missing, or migrates an older version. Must run in a transaction.
    static func prepare(_ database: Database, _ path: String) throws {
        if try isThere(database, path) {
            let found = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
            if found < 2 { try database.execute(sql: indexes) }
            if found < 3 { try database.execute(sql: parts) }
            if found < 4 { try database.execute(sql: findings + "PRAGMA user_version = \(version);") }
            return
        }
        try database.execute(
            sql: """
                CREATE TABLE batch (
                    number INTEGER PRIMARY KEY CHECK (number = 1), digest TEXT NOT NULL, lineCount INTEGER,
                    keySeed TEXT NOT NULL, created INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE operation (
                    position INTEGER PRIMARY KEY, id TEXT NOT NULL, outcome TEXT, byteCount INTEGER NOT NULL,
                    fingerprint TEXT, line BLOB, referencedBody BLOB
                ) STRICT;
                \(indexes)
                \(parts)
                \(findings)
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(version);
                """)
    }

    /// Returns the batch of the journal; nil if no batch was begun.
    static func batch(_ database: Database) throws -> JournalBatch? {
        let row = try Row.fetchOne(database, sql: "SELECT digest, lineCount, keySeed, created FROM batch")
        return try row.map {
            JournalBatch(
                digest: try $0.decode(atIndex: 0), lineCount: try $0.decode(atIndex: 1),
                keySeed: try $0.decode(atIndex: 2),
                created: Date(timeIntervalSince1970: TimeInterval(try $0.decode(Int.self, atIndex: 3))))
        }
    }

    /// Begins a batch anew, without records.
    static func begin(_ batch: JournalBatch, _ database: Database) throws {
        try database.execute(sql: "DELETE FROM operation; DELETE FROM part")
        try database.execute(
            sql: "INSERT OR REPLACE INTO batch (number, digest, lineCount, keySeed, created) VALUES (1, ?, ?, ?, ?)",
            arguments: [
                batch.digest, batch.lineCount, batch.keySeed, Int(batch.created.timeIntervalSince1970),
            ])
    }
}
