// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import GRDB
internal import Glibc

/// Opens the files of journals.
enum SQLiteFile {
    /// Makes sure that a file that is there is a journal, before anything is written to it. An empty file will become
    /// one; a file that is not there is made, for its owner only.
    ///
    /// - Throws: `notAJournal` or `newerVersion`, or why it cannot be read.
    static func check(_ path: String) throws {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
            close(file)
            return
        }
        guard errno == EEXIST else { return }  // opening says why
        let queue = try reader(path)
        defer { try? queue.close() }
        _ = try queue.read { try SQLiteSchema.isThere($0, path) }
    }

    /// Opens a journal to be written. Each transaction is on the disk when it is committed.
    static func writer(_ path: String) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.journalMode = .wal
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        // After it was opened: GRDB sets it to NORMAL then, which syncs at checkpoints only.
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        return queue
    }

    /// Opens a journal to be read, also while another process writes it.
    static func reader(_ path: String) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "org.bluebonnet.journal"
        configuration.busyMode = .timeout(5)
        return configuration
    }
}
