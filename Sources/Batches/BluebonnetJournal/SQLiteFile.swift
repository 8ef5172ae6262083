// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import GRDB

/// Opens the files of journals.
enum SQLiteFile {
    /// Checks that a locked file is a journal or empty, before anything is written to it.
    ///
    /// - Throws: `notAJournal` or `newerVersion`, or why the file cannot be read.
    static func check(_ lock: JournalLock) throws {
        switch SQLiteSchema.Header(lock.header) {
        case .empty, .journal: return
        case .newer(let found): throw SQLiteSchema.newerVersion(found, lock.path)
        case .other: throw notAJournal(lock.path)
        case .emptyDatabase:
            // A process may have died while it created the journal. If the file is opened for writing, but not
            // changed, SQLite rolls back the incomplete transaction.
            let queue = try DatabaseQueue(path: lock.path, configuration: configuration)
            defer { try? queue.close() }
            _ = try queue.read { try SQLiteSchema.isThere($0, lock.path) }
        }
    }

    static func notAJournal(_ path: String) -> JournalError { JournalError(.notAJournal, "\(path) is not a journal") }

    /// The number of pages after which SQLite moves its log into the file: 32 MB. Rarely, because each checkpoint
    /// waits for the disk.
    private static let checkpointPageCount = 8_000

    /// Opens a journal for writing. Each transaction is on the disk when it is committed.
    static func writer(_ path: String) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        // Set after opening, because GRDB sets `synchronous` to NORMAL then, which syncs only at checkpoints.
        try queue.writeWithoutTransaction { database in
            try database.execute(
                sql: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = \(checkpointPageCount)")
        }
        return queue
    }

    /// Opens a journal for reading, also while another process writes to it. If no run has the journal, and it was
    /// closed properly, only the file itself is read: no other files are created, and the folder need not be writable.
    ///
    /// - Parameter path: the path without symbolic links.
    static func reader(_ path: String) throws -> DatabaseQueue {
        if let header = JournalLock.header(ofUnlocked: path) {
            guard byteCount(path + "-wal") == 0 else { return try open(path) }
            switch SQLiteSchema.Header(header) {
            case .newer(let found): throw SQLiteSchema.newerVersion(found, path)
            case .empty, .journal, .emptyDatabase, .other: break
            }
            guard byteCount(path + "-journal") == 0 else {
                throw JournalError(
                    .unavailable,
                    "the journal \(path) is incomplete: a run is creating it or was interrupted; "
                        + "the next run creates it again")
            }
            guard case .journal = SQLiteSchema.Header(header) else { throw notAJournal(path) }
            if let escaped = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed),
                let queue = try? open("file:\(escaped)?immutable=1")
            {
                return queue
            }
        }
        return try open(path)
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private static func byteCount(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "org.bluebonnet.journal"
        configuration.busyMode = .timeout(5)
        return configuration
    }
}
