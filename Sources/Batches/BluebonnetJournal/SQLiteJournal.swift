// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetLocks
internal import GRDB

/// A journal in an SQLite file, for one machine.
///
/// While a run has the journal open, SQLite keeps its own files `-wal` and `-shm` in the same folder. If the process
/// was killed, these files remain, and belong to the journal: do not remove them. The file contains parts of
/// responses, as result lines do, and is readable by its owner only. All members may be used from any thread.
public final class SQLiteJournal: JournalStore {
    private struct Opened {
        let queue: DatabaseQueue
        let lock: JournalLock
    }

    /// The file's path.
    public let path: String
    private let opened = Mutex<Opened?>(nil)

    /// Creates a store. Nothing is opened yet.
    public init(path: String) { self.path = path }

    /// The file, and SQLite's files in the folder of the file; for a symbolic link, in the folder of the target.
    public var paths: [String] {
        [path] + ["", "-wal", "-shm", "-journal"].map { (JournalLock.resolved(path) ?? path) + $0 }
    }

    public func open(_ batch: JournalBatch, isRestarted: Bool) throws(JournalError) -> JournalBatch {
        let lock = try JournalLock(journal: path)
        let queue = try SQLiteError.mapped(path) {
            try SQLiteFile.check(lock)
            lock.restrictToOwner()
            return try SQLiteFile.writer(lock.path)
        }
        let kept = try begin(batch, isRestarted: isRestarted, Opened(queue: queue, lock: lock))
        opened.withLock { $0 = Opened(queue: queue, lock: lock) }
        return kept
    }

    private func begin(
        _ batch: JournalBatch, isRestarted: Bool, _ opened: Opened
    ) throws(JournalError) -> JournalBatch {
        var isKept = false
        defer {
            if !isKept {
                try? opened.queue.close()
                opened.lock.release()
            }
        }
        let kept = try SQLiteError.mapped(path) {
            try opened.queue.write { database in
                try SQLiteSchema.prepare(database, path)
                if !isRestarted, let kept = try SQLiteSchema.batch(database) {
                    guard kept.digest == batch.digest else { throw anotherBatch }
                    return kept
                }
                try SQLiteSchema.begin(batch, database)
                return batch
            }
        }
        isKept = true
        return kept
    }

    public func records(from position: Int, limit: Int) throws(JournalError) -> [JournalRecord] {
        let queue = queue
        return try SQLiteError.mapped(path) {
            try queue.read { try SQLiteRecords.read($0, from: position, limit: limit) }
        }
    }

    public func partRecord(of id: String) throws(JournalError) -> JournalRecord? {
        let queue = queue
        return try SQLiteError.mapped(path) { try queue.read { try SQLiteRecords.part(id, $0) } }
    }

    public func hasRecord(of fingerprint: String, after position: Int) throws(JournalError) -> Bool {
        let queue = queue
        return try SQLiteError.mapped(path) {
            try queue.read { try SQLiteRecords.hasRecord(of: fingerprint, after: position, $0) }
        }
    }

    public func hasRecords() throws(JournalError) -> Bool {
        let queue = queue
        return try SQLiteError.mapped(path) { try queue.read { try SQLiteRecords.hasRecords($0) } }
    }

    public func hasFailure() throws(JournalError) -> Bool {
        let queue = queue
        return try SQLiteError.mapped(path) { try queue.read { try SQLiteRecords.hasFailure($0) } }
    }

    public func record(_ records: [JournalRecord]) throws(JournalError) {
        let queue = queue
        try SQLiteError.mapped(path) {
            try queue.write { database in
                for record in records { try SQLiteRecords.write(record, database) }
            }
        }
    }

    public func close() throws(JournalError) {
        let opened = opened.withLock { opened in
            defer { opened = nil }
            return opened
        }
        guard let opened else { return }
        defer { opened.lock.release() }
        try SQLiteError.mapped(path) { try opened.queue.close() }
    }

    /// Returns the state of the journal's batch, also while a run has the journal open. This store need not be open.
    ///
    /// - Throws: why the file cannot be read, or `notAJournal`.
    public func summary() throws(JournalError) -> JournalSummary {
        try SQLiteError.mapped(path) {
            guard let file = JournalLock.resolved(path) else {
                throw JournalError(.unavailable, "there is no journal \(path)")
            }
            let reader = try SQLiteFile.reader(file)
            defer { try? reader.close() }
            return try reader.read { database in
                guard try SQLiteSchema.isThere(database, path), let summary = try SQLiteRecords.summary(database) else {
                    throw JournalError(.notAJournal, "\(path) is not a journal")
                }
                return summary
            }
        }
    }

    /// Whether a run has the journal open, in this process or in another process.
    public var isInUse: Bool { JournalLock.isLocked(journal: path) }

    private var queue: DatabaseQueue {
        guard let queue = opened.withLock({ $0?.queue }) else { preconditionFailure("the journal \(path) is not open") }
        return queue
    }

    private var anotherBatch: JournalError {
        JournalError(.anotherBatch, "the journal \(path) is of another batch: its lines or options differ")
    }
}
