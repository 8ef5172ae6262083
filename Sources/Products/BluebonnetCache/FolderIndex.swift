// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation
internal import GRDB

/// The index of a cache in a folder: which responses are stored, and which body each has. Any thread; calls may block.
final class FolderIndex: Sendable {
    /// The place of a response.
    struct Place: Sendable, Equatable {
        let id: Int64
        /// Changes when the record of the response changes.
        let version: Int64
        /// SHA-256 of the body, in hexadecimal.
        let digest: String
        /// The length of the body.
        let byteCount: Int64
    }

    /// The index was made by a newer version of the library.
    struct NewerVersion: Error {}
    /// The index can only be used after a process has completed it, but it must not be changed.
    struct IncompleteIndex: Error {}

    private let queue: DatabaseQueue
    private let isReadOnly: Bool

    /// Grows with every change that an older version of the library could not read or would damage.
    private static let version = 1

    init(in folder: CacheFolder) throws {
        isReadOnly = folder.isReadOnly
        var configuration = Configuration()
        configuration.label = "org.bluebonnet.cache"
        configuration.busyMode = .timeout(5)
        guard !folder.isReadOnly else {
            configuration.readonly = true
            queue = try Self.reader(folder, configuration)
            let found = try read(Self.storedVersion)
            guard found == Self.version else { throw found > Self.version ? NewerVersion() : IncompleteIndex() }
            return
        }
        configuration.journalMode = .wal
        queue = try DatabaseQueue(path: folder.index, configuration: configuration)
        if try read(Self.storedVersion) != Self.version { try queue.write(Self.prepare) }
        for path in [folder.index, folder.indexLog, folder.sharedIndexMemory] {
            try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
    }

    /// Opens an index that must not be changed. Without a log the file is complete, and is read without locks and
    /// without further files. A log is read with the shared memory that its writer has made.
    private static func reader(_ folder: CacheFolder, _ configuration: Configuration) throws -> DatabaseQueue {
        if FileManager.default.fileExists(atPath: folder.sharedIndexMemory) {
            do {
                return try DatabaseQueue(path: folder.index, configuration: configuration)
            } catch {
                // Without a log, the writer has closed the index in the meantime.
                if hasLog(folder) { throw error }
            }
        }
        guard !hasLog(folder), let path = folder.index.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
        else { throw IncompleteIndex() }
        return try DatabaseQueue(path: "file:\(path)?immutable=1", configuration: configuration)
    }

    private static func hasLog(_ folder: CacheFolder) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.indexLog)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0 > 0
    }

    private static func storedVersion(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    }

    /// Makes the tables, unless another process has made them in the meantime.
    private static func prepare(_ database: Database) throws {
        guard try storedVersion(database) <= version else { throw NewerVersion() }
        try database.execute(sql: schema)
        try database.execute(sql: "PRAGMA user_version = \(version)")
    }

    private static let schema = """
        CREATE TABLE IF NOT EXISTS responses (
            id INTEGER PRIMARY KEY AUTOINCREMENT, partition TEXT NOT NULL, url TEXT NOT NULL, path TEXT,
            digest TEXT NOT NULL, bodyByteCount INTEGER NOT NULL, byteCount INTEGER NOT NULL,
            version INTEGER NOT NULL DEFAULT 1, used INTEGER NOT NULL, record BLOB NOT NULL);
        CREATE INDEX IF NOT EXISTS responsesByURL ON responses (url);
        CREATE INDEX IF NOT EXISTS responsesByPath ON responses (path) WHERE path IS NOT NULL;
        CREATE INDEX IF NOT EXISTS responsesByUse ON responses (used);
        CREATE INDEX IF NOT EXISTS responsesByDigest ON responses (digest);
        CREATE TABLE IF NOT EXISTS groups (
            origin TEXT NOT NULL, name TEXT NOT NULL,
            response INTEGER NOT NULL REFERENCES responses (id) ON DELETE CASCADE,
            PRIMARY KEY (origin, name, response)) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS groupsByResponse ON groups (response);
        CREATE TABLE IF NOT EXISTS totals (byteCount INTEGER NOT NULL);
        INSERT INTO totals SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM totals);
        CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON responses BEGIN
            UPDATE totals SET byteCount = byteCount + NEW.byteCount; END;
        CREATE TRIGGER IF NOT EXISTS removed AFTER DELETE ON responses BEGIN
            UPDATE totals SET byteCount = byteCount - OLD.byteCount; END;
        CREATE TRIGGER IF NOT EXISTS changed AFTER UPDATE OF byteCount ON responses BEGIN
            UPDATE totals SET byteCount = byteCount + NEW.byteCount - OLD.byteCount; END;
        """

    private static let columns = "id, version, digest, bodyByteCount"

    /// Reads without a transaction: each question is one statement.
    private func read<Value>(_ question: (Database) throws -> Value) throws -> Value {
        try queue.unsafeRead(question)
    }

    private static func place(_ row: Row) -> Place {
        Place(id: row[0], version: row[1], digest: row[2], byteCount: row[3])
    }

    // MARK: Questions

    func places(for key: CacheKeyPair) throws -> [Place] {
        try read { database in
            let statement = try database.cachedStatement(
                sql: """
                    SELECT \(Self.columns) FROM responses WHERE url = ?1 AND partition = ?2
                    UNION SELECT \(Self.columns) FROM responses WHERE path = ?3 AND partition = ?2
                    """)
            return try Row.fetchAll(statement, arguments: [key.url, key.partition, key.urlWithoutQuery]).map(Self.place)
        }
    }

    func place(of id: Int64) throws -> Place? {
        try read { database in
            let statement = try database.cachedStatement(sql: "SELECT \(Self.columns) FROM responses WHERE id = ?")
            return try Row.fetchOne(statement, arguments: [id]).map(Self.place)
        }
    }

    func record(of id: Int64) throws -> Data? {
        try read { database in
            let statement = try database.cachedStatement(sql: "SELECT record FROM responses WHERE id = ?")
            return try Data.fetchOne(statement, arguments: [id])
        }
    }

    func hasBody(_ digest: String) throws -> Bool {
        try read { database in
            try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM responses WHERE digest = ?)", arguments: [digest]) ?? false
        }
    }

    /// Returns the responses that a change removes or expires, without the change.
    func places(affectedBy change: CacheChange) throws -> [Place] {
        switch change {
        case .store(_, _, let replaced): try replaced.compactMap { try place(of: $0) }
        case .expire(let id), .remove(let id): try place(of: id).map { [$0] } ?? []
        case .removeURL(let url): try places(where: "url = ?", [url])
        case .removeGroup(let name, let origin):
            try places(where: "id IN (SELECT response FROM groups WHERE origin = ? AND name = ?)", [origin, name])
        case .update: []
        }
    }

    private func places(where condition: String, _ arguments: StatementArguments) throws -> [Place] {
        try read { database in
            try Row.fetchAll(
                database, sql: "SELECT \(Self.columns) FROM responses WHERE \(condition)", arguments: arguments
            ).map(Self.place)
        }
    }

    func byteCount() throws -> Int { try read { try Int.fetchOne($0, sql: "SELECT byteCount FROM totals") ?? 0 } }

    func count() throws -> Int { try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM responses") ?? 0 } }

    // MARK: Changes

    /// Inserts a response, and removes others: those that it replaces, and the least recently used ones if there are
    /// too many bytes.
    ///
    /// - Returns: the digests of the bodies of removed responses.
    func insert(
        _ entry: CacheEntry, record: Data, body: BodyFiles.Stored, replacing replaced: [Int64], capacity: Int
    ) throws -> [String] {
        try queue.write { database in
            var digests = try Self.remove(replaced, database)
            try database.execute(
                sql: """
                    INSERT INTO responses (partition, url, path, digest, bodyByteCount, byteCount, used, record)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    entry.partition, entry.url, entry.ignoresQuery ? entry.urlWithoutQuery : nil, body.digest,
                    body.byteCount, Self.byteCount(entry, record, body.byteCount), Self.now, record,
                ])
            try Self.insertGroups(entry, database.lastInsertedRowID, database)
            digests += try Self.removeLeastUsed(downTo: capacity, database)
            return digests
        }
    }

    private static func byteCount(_ entry: CacheEntry, _ record: Data, _ bodyByteCount: Int64) -> Int64 {
        Int64(record.count + entry.url.utf8.count + 512) + bodyByteCount
    }

    private static func insertGroups(_ entry: CacheEntry, _ id: Int64, _ database: Database) throws {
        for name in entry.groups {
            try database.execute(
                sql: "INSERT OR IGNORE INTO groups VALUES (?, ?, ?)", arguments: [entry.origin, name, id])
        }
    }

    /// Replaces the record of a response.
    func update(_ entry: CacheEntry, record: Data) throws {
        try queue.write { database in
            try database.execute(
                sql: """
                    UPDATE responses SET version = version + 1, used = ?, record = ?, path = ?,
                        byteCount = ? + bodyByteCount WHERE id = ?
                    """,
                arguments: [
                    Self.now, record, entry.ignoresQuery ? entry.urlWithoutQuery : nil,
                    Self.byteCount(entry, record, 0), entry.id,
                ])
            guard database.changesCount > 0 else { return }
            try database.execute(sql: "DELETE FROM groups WHERE response = ?", arguments: [entry.id])
            try Self.insertGroups(entry, entry.id, database)
        }
    }

    func remove(_ ids: [Int64]) throws -> [String] {
        ids.isEmpty ? [] : try queue.write { try Self.remove(ids, $0) }
    }

    func remove(url: String) throws -> [String] {
        try queue.write { database in
            try Self.remove(
                try Int64.fetchAll(database, sql: "SELECT id FROM responses WHERE url = ?", arguments: [url]), database)
        }
    }

    func remove(group: String, origin: String) throws -> [String] {
        try queue.write { database in
            let ids = try Int64.fetchAll(
                database, sql: "SELECT response FROM groups WHERE origin = ? AND name = ?", arguments: [origin, group])
            return try Self.remove(ids, database)
        }
    }

    func removeAll() throws -> [String] {
        try queue.write { database in
            let digests = try String.fetchAll(database, sql: "SELECT DISTINCT digest FROM responses")
            try database.execute(sql: "DELETE FROM responses")
            return digests
        }
    }

    func recordUses(of ids: Set<Int64>) throws {
        guard !isReadOnly else { return }
        try queue.write { database in
            for id in ids {
                try database.execute(sql: "UPDATE responses SET used = ? WHERE id = ?", arguments: [Self.now, id])
            }
        }
    }

    private static func remove(_ ids: [Int64], _ database: Database) throws -> [String] {
        try ids.compactMap { id in
            let digest = try String.fetchOne(
                database, sql: "SELECT digest FROM responses WHERE id = ?", arguments: [id])
            if digest != nil { try database.execute(sql: "DELETE FROM responses WHERE id = ?", arguments: [id]) }
            return digest
        }
    }

    private static func removeLeastUsed(downTo capacity: Int, _ database: Database) throws -> [String] {
        var digests: [String] = []
        while try Int.fetchOne(database, sql: "SELECT byteCount FROM totals") ?? 0 > capacity {
            let ids = try Int64.fetchAll(database, sql: "SELECT id FROM responses ORDER BY used, id LIMIT 1")
            guard !ids.isEmpty else { break }
            digests += try remove(ids, database)
        }
        return digests
    }

    /// In milliseconds.
    private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
