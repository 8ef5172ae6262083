// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import Foundation
internal import GRDB

/// Reads and writes the rows of a journal: one row for each line that has ended or may have been sent.
enum SQLiteRecords {
    /// Replaces the record at a position. Must run in a transaction.
    static func write(_ record: JournalRecord, _ database: Database) throws {
        if record.isPart { return try write(part: record, database) }
        if case .waiting = record.state {
            let delete = try database.cachedStatement(sql: "DELETE FROM operation WHERE position = ?")
            return try delete.execute(arguments: [record.position])
        }
        let insert = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO operation
                    (position, id, outcome, byteCount, fingerprint, line, referencedBody, findings)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """)
        var ending: JournalRecord.Ending?
        if case .ended(let known) = record.state { ending = known }
        try insert.execute(arguments: [
            record.position, record.id, ending?.outcome.rawValue, ending?.byteCount ?? 0, record.fingerprint,
            ending?.line, ending?.referencedBody, ending?.findings,
        ])
    }

    private static func write(part record: JournalRecord, _ database: Database) throws {
        if case .waiting = record.state {
            let delete = try database.cachedStatement(sql: "DELETE FROM part WHERE id = ?")
            return try delete.execute(arguments: [record.id])
        }
        let insert = try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO part (id, position, outcome, byteCount, line, referencedBody, findings)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
        var ending: JournalRecord.Ending?
        if case .ended(let known) = record.state { ending = known }
        try insert.execute(arguments: [
            record.id, record.position, ending?.outcome.rawValue, ending?.byteCount ?? 0, ending?.line,
            ending?.referencedBody, ending?.findings,
        ])
    }

    /// Returns the record of a page or an element; nil without a record.
    static func part(_ id: String, _ database: Database) throws -> JournalRecord? {
        let select = try database.cachedStatement(
            sql: """
                SELECT position, id, outcome, byteCount, NULL, line, referencedBody, findings FROM part WHERE id = ?
                """)
        guard let row = try Row.fetchOne(select, arguments: [id]) else { return nil }
        return JournalRecord(position: try row.decode(atIndex: 0), id: id, state: try state(of: row), isPart: true)
    }

    /// A page ends with the record that reaches this number of bytes of result lines and bodies.
    private static let pageByteCount = 4 << 20

    static func read(_ database: Database, from position: Int, limit: Int) throws -> [JournalRecord] {
        let select = try database.cachedStatement(
            sql: """
                SELECT position, id, outcome, byteCount, fingerprint, line, referencedBody, findings
                FROM operation WHERE position >= ? ORDER BY position LIMIT ?
                """)
        var records: [JournalRecord] = []
        var byteCount = 0
        let rows = try Row.fetchCursor(select, arguments: [position, limit])
        while byteCount < pageByteCount, let row = try rows.next() {
            let state = try state(of: row)
            if case .ended(let ending) = state { byteCount += ending.retainedByteCount }
            records.append(
                JournalRecord(
                    position: try row.decode(atIndex: 0), id: try row.decode(atIndex: 1), state: state,
                    fingerprint: try row.decode(atIndex: 4)))
        }
        return records
    }

    static func hasRecord(of fingerprint: String, after position: Int, _ database: Database) throws -> Bool {
        let select = try database.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM operation WHERE fingerprint = ? AND position > ?)")
        return try Bool.fetchOne(select, arguments: [fingerprint, position]) ?? false
    }

    static func hasRecords(_ database: Database) throws -> Bool { try exists(database, "true") }

    static func hasFailure(_ database: Database) throws -> Bool { try exists(database, "outcome = 'failure'") }

    /// Whether a line, a page or an element meets a condition.
    private static func exists(_ database: Database, _ condition: String) throws -> Bool {
        try ["operation", "part"].contains { table in
            let sql = "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(condition))"
            return try Bool.fetchOne(database, sql: sql) ?? false
        }
    }

    private static func state(of row: Row) throws -> JournalRecord.State {
        guard let name = try row.decode(String?.self, atIndex: 2) else { return .mayHaveBeenSent }
        guard let outcome = ResultLine.Outcome(rawValue: name), let line = try row.decode(Data?.self, atIndex: 5) else {
            throw JournalError(.damaged, "the journal has an unknown outcome: \(name)")
        }
        return .ended(
            .init(
                outcome: outcome, byteCount: try row.decode(atIndex: 3), line: line,
                referencedBody: try row.decode(atIndex: 6), findings: try row.decode(atIndex: 7)))
    }

    /// Counts the rows; nil if no batch was begun.
    static func summary(_ database: Database) throws -> JournalSummary? {
        guard let batch = try SQLiteSchema.batch(database) else { return nil }
        var summary = JournalSummary(batch: batch)
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT outcome, count(*), sum(byteCount), 0 FROM operation GROUP BY outcome
                UNION ALL SELECT outcome, count(*), sum(byteCount), 1 FROM part GROUP BY outcome
                """)
        while let row = try rows.next() {
            let (count, byteCount) = (try row.decode(Int.self, atIndex: 1), try row.decode(Int.self, atIndex: 2))
            let (sum, overflow) = summary.byteCount.addingReportingOverflow(byteCount)
            guard !overflow else { throw JournalError(.damaged, "the journal has invalid body sizes") }
            summary.byteCount = sum
            let outcome = try row.decode(String?.self, atIndex: 0).flatMap { ResultLine.Outcome(rawValue: $0) }
            summary.add(count, outcome, areParts: try row.decode(Int.self, atIndex: 3) == 1)
        }
        return summary
    }
}

extension JournalSummary {
    /// Adds lines, or parts of lines, with an outcome. Records without an outcome, and records whose outcome is not
    /// known, may have been sent.
    fileprivate mutating func add(_ count: Int, _ outcome: ResultLine.Outcome?, areParts: Bool) {
        switch (outcome, areParts) {
        case (nil, false), (.unknown?, false): mayHaveBeenSentCount += count
        case (nil, true), (.unknown?, true): partsMayHaveBeenSentCount += count
        case (let outcome?, false): counts[outcome] = count
        case (let outcome?, true): partCounts[outcome] = count
        }
    }
}
