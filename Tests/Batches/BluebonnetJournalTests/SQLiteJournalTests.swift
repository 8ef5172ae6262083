// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import GRDB
import Glibc
import Testing

@testable import BluebonnetJournal

/// A journal in its own folder.
struct JournalFolder {
    let folder: TemporaryFolder
    var path: String { folder.path("batch.journal") }
    var journal: SQLiteJournal { SQLiteJournal(path: path) }
    static let batch = JournalBatch(digest: "digest", lineCount: 100)

    init() throws { folder = try TemporaryFolder() }

    func remove() { folder.remove() }

    /// The files in the folder.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []).sorted() }

    static func record(
        _ position: Int, _ state: JournalRecord.State = .mayHaveBeenSent, fingerprint: String? = nil
    ) -> JournalRecord {
        JournalRecord(position: position, id: "id \(position)", state: state, fingerprint: fingerprint)
    }

    static func ended(_ outcome: ResultLine.Outcome, _ byteCount: Int = 3, body: Data? = nil) -> JournalRecord.State {
        let line = ResultLine(id: "i", outcome: outcome).encodedLine()
        return .ended(.init(outcome: outcome, byteCount: byteCount, line: line, referencedBody: body))
    }
}

@Suite(.timeLimit(.minutes(1))) struct SQLiteJournalTests {
    private static func code(_ work: () throws -> Void) -> JournalError.Code? {
        do {
            try work()
            return nil
        } catch {
            return (error as? JournalError)?.code
        }
    }

    @Test func recordsPersistInOrder() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let records = [
            JournalFolder.record(70, JournalFolder.ended(.success, body: Data([0, 255]))), JournalFolder.record(2),
            JournalFolder.record(5, JournalFolder.ended(.failure), fingerprint: "f"),
        ]
        let journal = place.journal
        #expect(try journal.open(JournalFolder.batch, isRestarted: false) == JournalFolder.batch)
        try journal.record(records)
        try journal.close()
        #expect(place.names == ["batch.journal"])
        let again = place.journal
        var same = JournalBatch(digest: "digest", lineCount: 100)
        #expect(same != JournalFolder.batch)
        same = try again.open(same, isRestarted: false)
        #expect(same == JournalFolder.batch)
        let sorted = records.sorted { $0.position < $1.position }
        #expect(try again.records(from: 0, limit: 10) == sorted)
        #expect(try again.records(from: 3, limit: 1) == [sorted[1]])
        #expect(try again.records(from: 71, limit: 10) == [])
        try again.close()
    }

    @Test func recordReplacesItsPositionAndWaitingDeletesIt() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        try journal.record([JournalFolder.record(1), JournalFolder.record(2)])
        try journal.record([JournalFolder.record(1, JournalFolder.ended(.success)), JournalFolder.record(2, .waiting)])
        #expect(try journal.records(from: 0, limit: 9) == [JournalFolder.record(1, JournalFolder.ended(.success))])
        try journal.close()
    }

    @Test func journalOfAnotherBatchIsUnchangedUntilRestarted() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        try journal.record([JournalFolder.record(1)])
        try journal.close()
        let other = JournalBatch(digest: "other", lineCount: 1)
        #expect(Self.code { _ = try place.journal.open(other, isRestarted: false) } == .anotherBatch)
        #expect(try place.journal.summary().mayHaveBeenSentCount == 1)
        let restarted = place.journal
        #expect(try restarted.open(other, isRestarted: true) == other)
        #expect(try restarted.records(from: 0, limit: 9) == [])
        try restarted.close()
        #expect(try place.journal.summary().batch == other)
    }

    @Test func secondRunIsRefusedWhileTheFirstHasTheJournal() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let first = place.journal
        #expect(!first.isInUse)
        _ = try first.open(JournalFolder.batch, isRestarted: false)
        #expect(place.journal.isInUse)
        let second = place.journal
        let error = try #require(throws: JournalError.self) { try second.open(JournalFolder.batch, isRestarted: true) }
        #expect(error.code == .inUse)
        #expect(error.message == "the journal \(place.path) is in use by process \(getpid())")
        try first.record([JournalFolder.record(1)])
        #expect(try place.journal.summary().mayHaveBeenSentCount == 1)
        try first.close()
        #expect(!first.isInUse)
        _ = try second.open(JournalFolder.batch, isRestarted: false)
        try second.close()
    }

    @Test func summaryCountsOutcomes() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        let outcomes: [ResultLine.Outcome] = [.success, .success, .failure, .skipped]
        try journal.record(
            outcomes.enumerated().map { JournalFolder.record($0, JournalFolder.ended($1)) }
                + [JournalFolder.record(50), JournalFolder.record(51)])
        let summary = try place.journal.summary()
        #expect(summary.counts == [.success: 2, .failure: 1, .skipped: 1])
        #expect(summary.mayHaveBeenSentCount == 2)
        #expect(summary.byteCount == 12)
        #expect(summary.waitingCount == 94)
        try journal.close()
    }

    @Test func summaryCountsPartsSeparately() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        let states: [JournalRecord.State] = [
            JournalFolder.ended(.success), JournalFolder.ended(.success), JournalFolder.ended(.failure),
            JournalFolder.ended(.unknown), .mayHaveBeenSent,
        ]
        try journal.record([JournalFolder.record(0, JournalFolder.ended(.success))])
        try journal.record(
            states.enumerated().map { number, state in
                JournalRecord(position: 1, id: "id 1/\(number)", state: state, isPart: true)
            })
        let summary = try place.journal.summary()
        #expect(summary.counts == [.success: 1] && summary.mayHaveBeenSentCount == 0)
        #expect(summary.endedCount == 1 && summary.waitingCount == 99)
        #expect(summary.partCounts == [.success: 2, .failure: 1] && summary.partsMayHaveBeenSentCount == 2)
        #expect(summary.endedPartCount == 3 && summary.byteCount == 15)
        try journal.close()
    }

    @Test func writerUsesFullySynchronousWAL() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let writer = try SQLiteFile.writer(place.path)
        let modes = try writer.read { database in
            (
                try Int.fetchOne(database, sql: "PRAGMA synchronous"),
                try String.fetchOne(database, sql: "PRAGMA journal_mode")
            )
        }
        #expect(modes.0 == 2)
        #expect(modes.1 == "wal")
        try writer.close()
    }

    @Test func fileIsForItsOwnerOnly() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        for name in place.names {
            let attributes = try FileManager.default.attributesOfItem(atPath: place.folder.path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        #expect(place.names == ["batch.journal", "batch.journal-shm", "batch.journal-wal"])
        try journal.close()
    }
}

// MARK: - Files that are no journal, and damaged journals

extension SQLiteJournalTests {
    @Test func fileThatIsNoJournalIsUnchanged() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let text = Data(#"{"url":"a"}"#.utf8) + Data(repeating: UInt8(ascii: "\n"), count: 5_000)
        try text.write(to: URL(fileURLWithPath: place.path))
        #expect(Self.code { _ = try place.journal.open(JournalFolder.batch, isRestarted: true) } == .notAJournal)
        #expect(Self.code { _ = try place.journal.summary() } == .notAJournal)
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.path)) == text)
        #expect(place.names == ["batch.journal"])
    }

    @Test func databaseOfAnotherProgramIsUnchanged() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let other = try DatabaseQueue(path: place.path)
        try other.write { try $0.execute(sql: "CREATE TABLE batch (x); INSERT INTO batch VALUES (7)") }
        try other.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: place.path))
        #expect(Self.code { _ = try place.journal.open(JournalFolder.batch, isRestarted: true) } == .notAJournal)
        #expect(Self.code { _ = try place.journal.summary() } == .notAJournal)
        #expect(try Data(contentsOf: URL(fileURLWithPath: place.path)) == bytes)
    }

    @Test func journalOfANewerVersionIsRefused() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        try journal.close()
        let database = try DatabaseQueue(path: place.path)
        try database.write { try $0.execute(sql: "PRAGMA user_version = \(SQLiteSchema.version + 1)") }
        try database.close()
        #expect(Self.code { _ = try place.journal.open(JournalFolder.batch, isRestarted: false) } == .newerVersion)
        #expect(Self.code { _ = try place.journal.summary() } == .newerVersion)
    }

    @Test func emptyFileBecomesAJournal() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        try Data().write(to: URL(fileURLWithPath: place.path))
        #expect(Self.code { _ = try place.journal.summary() } == .notAJournal)
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        try journal.close()
        #expect(try place.journal.summary().batch == JournalFolder.batch)
    }

    @Test func missingFolderAndMissingFileAreReported() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let error = try #require(throws: JournalError.self) { try place.journal.summary() }
        #expect(error.code == .unavailable && error.message == "there is no journal \(place.path)")
        let lost = SQLiteJournal(path: place.folder.path("no/such/folder"))
        #expect(Self.code { _ = try lost.open(JournalFolder.batch, isRestarted: false) } == .unavailable)
    }

    @Test func damagedJournalIsNeverTakenForAnEmptyOne() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        try journal.record((0..<2_000).map { JournalFolder.record($0, JournalFolder.ended(.success)) })
        try journal.close()
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: place.path))
        try file.seek(toOffset: 8_192)
        try file.write(contentsOf: Data(repeating: 0xEE, count: 40_000))
        try file.close()
        let again = place.journal
        #expect(
            Self.code {
                _ = try again.open(JournalFolder.batch, isRestarted: false)
                var position = 0
                while let last = try again.records(from: position, limit: 500).last { position = last.position + 1 }
            } == .damaged)
        try again.close()
    }

    @Test func lockHoldsForAnyNameOfTheFile() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let link = place.folder.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.path)
        let journal = SQLiteJournal(path: link)
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        #expect(place.names == ["batch.journal", "batch.journal-shm", "batch.journal-wal", "link"])
        #expect(place.journal.isInUse && journal.isInUse)
        #expect(Self.code { _ = try place.journal.open(JournalFolder.batch, isRestarted: false) } == .inUse)
        try journal.close()
        #expect(!place.journal.isInUse)
        try FileManager.default.linkItem(atPath: place.path, toPath: place.folder.path("hard"))
        let error = #expect(throws: JournalError.self) {
            try place.journal.open(JournalFolder.batch, isRestarted: false)
        }
        #expect(error?.message.contains("hard links") == true)
    }

    @Test func fileNextToTheJournalIsUnchanged() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let other = URL(fileURLWithPath: place.path + "-lock")
        try Data("mine".utf8).write(to: other)
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        try journal.close()
        #expect(try Data(contentsOf: other) == Data("mine".utf8))
    }

    @Test func readingAClosedJournalCreatesNoFiles() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        try journal.record([JournalFolder.record(1)])
        try journal.close()
        let path = place.folder.url.path
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: path)
        #expect(try place.journal.summary().mayHaveBeenSentCount == 1)
        #expect(!place.journal.isInUse)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        #expect(place.names == ["batch.journal"])
    }

    @Test func halfCreatedJournalIsBegunByTheNextRun() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let rollback = URL(fileURLWithPath: place.path + "-journal")
        var bytes = Data()
        let database = try DatabaseQueue(path: place.path)
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        try database.write { database in
            try SQLiteSchema.prepare(database, place.path)
            try SQLiteSchema.begin(JournalBatch(digest: "lost", lineCount: 7), database)
            bytes = try Data(contentsOf: rollback)
        }
        try database.close()
        // As if the process had died after it wrote the file and before the transaction was complete.
        #expect(bytes.count >= 512)
        try bytes.write(to: rollback)
        let error = #expect(throws: JournalError.self) { try place.journal.summary() }
        #expect(error?.message.contains("is incomplete") == true)
        let journal = place.journal
        #expect(try journal.open(JournalFolder.batch, isRestarted: false) == JournalFolder.batch)
        try journal.close()
        #expect(try place.journal.summary().batch == JournalFolder.batch)
        #expect(place.names == ["batch.journal"])
    }

    @Test(arguments: [
        "UPDATE operation SET byteCount = NULL", "UPDATE operation SET id = NULL",
        "UPDATE operation SET outcome = 'odd'", "UPDATE operation SET line = NULL", "UPDATE batch SET digest = NULL",
        "UPDATE operation SET byteCount = 9223372036854775807",
    ])
    func invalidRowMakesTheJournalDamaged(statement: String) throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        try journal.record([JournalFolder.record(0, JournalFolder.ended(.success)), JournalFolder.record(1)])
        try journal.close()
        let database = try DatabaseQueue(path: place.path)
        try database.writeWithoutTransaction {
            // Damages the row as a disk would. The schema's own rules do not see it.
            try $0.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_schema SET sql = replace(replace(sql, 'NOT NULL', ''), 'STRICT', '')
                        WHERE type = 'table';
                    PRAGMA writable_schema = RESET;
                    \(statement);
                    """)
        }
        try database.close()
        let again = place.journal
        #expect(
            Self.code {
                _ = try again.summary()
                _ = try again.open(JournalFolder.batch, isRestarted: false)
                defer { try? again.close() }
                _ = try again.records(from: 0, limit: 10)
            } == .damaged)
    }

    @Test func journalOfTheFirstVersionIsContinued() throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let journal = place.journal
        _ = try journal.open(JournalFolder.batch, isRestarted: false)
        try journal.record([JournalFolder.record(3, JournalFolder.ended(.failure), fingerprint: "f")])
        try journal.close()
        let database = try DatabaseQueue(path: place.path)
        try database.write {
            try $0.execute(
                sql: """
                    DROP INDEX fingerprints; DROP INDEX failures; DROP TABLE part;
                    ALTER TABLE operation DROP COLUMN findings; PRAGMA user_version = 1
                    """)
        }
        try database.close()
        let again = place.journal
        #expect(try again.open(JournalFolder.batch, isRestarted: false) == JournalFolder.batch)
        #expect(try again.hasFailure())
        #expect(try again.hasRecord(of: "f", after: 2))
        #expect(try !again.hasRecord(of: "f", after: 3))
        #expect(try !again.hasRecord(of: "g", after: 0))
        var ending = JournalRecord.Ending(outcome: .success, byteCount: 1, line: Data("{}".utf8))
        ending.findings = Data("found".utf8)
        let records = [
            JournalRecord(position: 4, id: "l", state: .ended(ending)),
            JournalRecord(position: 4, id: "l/1", state: .ended(ending), isPart: true),
        ]
        try again.record(records)
        #expect(try again.records(from: 4, limit: 1) == [records[0]])
        #expect(try again.partRecord(of: "l/1") == records[1])
        try again.close()
    }
}
