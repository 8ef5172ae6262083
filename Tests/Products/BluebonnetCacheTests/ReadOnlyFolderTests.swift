// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import GRDB
import Glibc
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetCache
@testable import BluebonnetHTTP

/// A cache in a folder that must not be changed. The owner's permission counts for the superuser, too, so that these
/// tests hold for every user.
@Suite(.timeLimit(.minutes(1))) struct ReadOnlyFolderTests {
    private let folder: ProtectedFolder

    init() async throws {
        folder = ProtectedFolder()
        try await folder.fill(["/a": "text", "/b": "other"])
    }

    @Test func storedResponsesAnswer() throws {
        try folder.protect()
        let cache = try folder.opened()
        #expect(cache.isReadOnly && cache.count == 2)
        #expect(try cache.bodies("/a") == ["text"] && cache.bodies("/b") == ["other"] && cache.bodies("/c") == [])
        let entry = try #require(cache.entries(for: .of("/a")).first)
        #expect(cache.bodyFile(of: entry)?.byteCount == 4)
    }

    @Test func nothingInTheFolderChanges() throws {
        try folder.protect()
        let before = try folder.snapshot()
        do {
            let cache = try folder.opened()
            let id = try #require(cache.entries(for: .of("/a")).first?.id)
            // As many uses as are written to an index at once.
            for _ in 0..<100 { #expect(try cache.bodies("/b") == ["other"]) }
            try cache.store("/c", "new")
            try cache.store("/a", "newer", replacing: [id])
            cache.removeAll()
            #expect(try cache.bodies("/c") == [])
        }
        #expect(try folder.snapshot() == before)
    }

    /// A change that cannot be stored holds for the process: a response that was replaced or removed is not used.
    @Test(arguments: ["replaced", "removed", "expired", "removedByURL", "removedByGroup"])
    func changedResponseIsNotUsedByTheProcess(_ change: String) async throws {
        let stored = try await folder.fill(["/g": "grouped"], ["Cache-Groups": "\"one\""])
        try folder.protect()
        let cache = try folder.opened()
        let entry = try #require(cache.entries(for: .of("/g")).first)
        switch change {
        case "replaced": try cache.store("/g", "new", replacing: [entry.id])
        case "removed": cache.apply([.remove(entry.id)])
        case "expired": cache.apply([.expire(entry.id)])
        case "removedByURL": cache.apply([.removeURL(entry.url)])
        default: cache.apply([.removeGroup("one", origin: entry.origin)])
        }
        #expect(try cache.bodies("/g") == [] && cache.bodies("/a") == ["text"])
        #expect(try stored == ["grouped"] && folder.opened().bodies("/g") == ["grouped"])
    }

    /// The index of a process that was killed, or that still runs.
    @Test func indexWithALogIsRead() throws {
        let live = try folder.opened()
        try live.store("/c", "in the log")
        let copy = ProtectedFolder()
        try copy.copy(folder)
        try copy.protect()
        #expect(copy.hasFile("index.sqlite-wal"))
        let cache = try copy.opened()
        #expect(try cache.isReadOnly && cache.bodies("/c") == ["in the log"] && cache.bodies("/a") == ["text"])
        #expect(try live.bodies("/c") == ["in the log"])
    }

    @Test func logWithoutSharedMemoryIsRefused() throws {
        let live = try folder.opened()
        try live.store("/c", "in the log")
        let copy = ProtectedFolder()
        try copy.copy(folder, except: ["index.sqlite-shm"])
        try copy.protect()
        let error = #expect(throws: NetworkingError.self) { try copy.opened() }
        #expect(error?.code == .cannotOpenFile && error?.message.contains(copy.url.path) == true)
        #expect(error?.message.contains("open it once where it can be written") == true)
        #expect(try live.bodies("/c") == ["in the log"])
    }

    @Test func indexOfANewerVersionIsRefused() throws {
        let queue = try DatabaseQueue(path: folder.url.appendingPathComponent("index.sqlite").path)
        try queue.write { try $0.execute(sql: "PRAGMA user_version = 99") }
        try queue.close()
        try folder.protect()
        let error = #expect(throws: NetworkingError.self) { try folder.opened() }
        #expect(error?.message.contains("it was made by a newer version of Bluebonnet") == true)
    }

    /// The folder of a cache without an index: nothing can be read from it.
    @Test func incompleteIndexIsRefused() throws {
        let empty = ProtectedFolder()
        try FileManager.default.createDirectory(at: empty.url, withIntermediateDirectories: true)
        try Data().write(to: empty.url.appendingPathComponent("index.sqlite"))
        try empty.protect()
        let error = #expect(throws: NetworkingError.self) { try empty.opened() }
        #expect(error?.code == .cannotOpenFile)
    }

    @Test(arguments: ["index.sqlite", "bodies", "incoming"])
    func partWithoutPermissionMakesTheCacheReadOnly(_ name: String) throws {
        try folder.protect(name)
        #expect(try folder.opened().isReadOnly)
    }

    @Test func folderWithPermissionAgainIsWritten() throws {
        try folder.protect()
        #expect(try folder.opened().isReadOnly)
        try folder.release()
        let cache = try folder.opened()
        try cache.store("/c", "new")
        #expect(try !cache.isReadOnly && cache.bodies("/c") == ["new"])
    }

    @Test func managerAnswersAndSendsTheRest() async throws {
        try folder.protect()
        let server = try await TestServer.start { _ in
            .response(headers: ["Cache-Control": "max-age=60"], body: "from the server")
        }
        var configuration = RequestOperationManager.Configuration()
        configuration.responseCache = try folder.opened()
        let manager = RequestOperationManager(configuration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        let stored = try await manager.call("http://folder.test/a").cachePolicy(.onlyIfCached).response()
        #expect(stored.value == Data("text".utf8) && stored.summary.isFromCache)
        let url = server.url("/new").absoluteString
        for _ in 0..<2 { #expect(try await manager.call(url).response().value == Data("from the server".utf8)) }
        #expect(server.requests.count == 2)
        await server.stop()
    }
}

/// A cache on a file system that is mounted for reading. Mounting takes root's rights.
@Suite(.timeLimit(.minutes(1)), .enabled(if: SmallFileSystem.isAvailable)) struct ReadOnlyFileSystemTests {
    /// Fills a cache, or copies a folder, and makes the file system read-only.
    private func withFileSystem(
        _ prepare: (ProtectedFolder) async throws -> Void, _ test: (ProtectedFolder) throws -> Void
    ) async throws {
        let small = try SmallFileSystem()
        defer { small.remove() }
        let folder = ProtectedFolder(small.folder.url.appendingPathComponent("cache"))
        try await prepare(folder)
        while true {
            do {
                try small.makeReadOnly()
                break
            } catch let error as POSIXError where error.code == .EBUSY {
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        try test(folder)
    }

    @Test func storedResponsesAnswer() async throws {
        try await withFileSystem { folder in
            try await folder.fill(["/a": "text"])
        } _: { folder in
            let cache = try folder.opened()
            #expect(try cache.isReadOnly && cache.bodies("/a") == ["text"] && cache.bodies("/b") == [])
            try cache.store("/b", "new")
            #expect(try cache.bodies("/b") == [])
        }
    }

    @Test func indexOfAKilledProcessIsRead() async throws {
        let source = ProtectedFolder()
        let live = try source.opened()
        try live.store("/a", "in the log")
        try await withFileSystem { folder in
            try folder.copy(source)
        } _: { folder in
            #expect(folder.hasFile("index.sqlite-wal"))
            let stored = try folder.opened().bodies("/a")
            #expect(stored == ["in the log"])
        }
        #expect(try live.bodies("/a") == ["in the log"])
    }

    @Test func folderWithoutIndexIsRefused() async throws {
        try await withFileSystem { folder in
            try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        } _: { folder in
            let error = #expect(throws: NetworkingError.self) { try folder.opened() }
            #expect(error?.code == .cannotOpenFile && error?.message.contains("Read-only file system") == true)
        }
    }
}

/// A folder of a cache whose permissions a test removes. It is deleted with the object.
final class ProtectedFolder: Sendable {
    let url: URL
    private let temporary = TemporaryFolder()

    init(_ url: URL? = nil) { self.url = url ?? temporary.url }

    func opened() throws -> FolderResponseCache { try FolderResponseCache(at: url) }

    /// Stores responses, and waits until the cache is closed: SQLite then removes the log and the shared memory.
    ///
    /// - Returns: the bodies, as a cache has them.
    @discardableResult
    func fill(_ bodies: [String: String], _ headers: HeaderFields = [:]) async throws -> [String] {
        var found: [String] = []
        do {
            let cache = try opened()
            for (path, body) in bodies { try cache.store(path, .data(Data(body.utf8)), headers) }
            for path in bodies.keys { found += try cache.bodies(path) }
        }
        while hasFile("index.sqlite-wal") || hasFile("index.sqlite-shm") {
            try await Task.sleep(for: .milliseconds(1))
        }
        return found
    }

    func hasFile(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: url.appendingPathComponent(name).path)
    }

    /// Copies the files of a cache, as they are now.
    func copy(_ other: ProtectedFolder, except left: Set<String> = []) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: other.url.path) where !left.contains(name) {
            try FileManager.default.copyItem(
                at: other.url.appendingPathComponent(name), to: url.appendingPathComponent(name))
        }
    }

    /// Removes the permission to write to the folder, or to a part of it.
    func protect(_ name: String = "") throws { try setMode(name == "index.sqlite" ? 0o400 : 0o500, name) }

    /// Gives the permission to write to the folder.
    func release() throws { try setMode(0o700, "") }

    private func setMode(_ mode: mode_t, _ name: String) throws {
        guard chmod("\(url.path)/\(name)", mode) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// The files with their modes, sizes and times of change.
    func snapshot() throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: url.path) + ["."]
        return try names.sorted().map { name in
            let values = try FileManager.default.attributesOfItem(atPath: "\(url.path)/\(name)")
            let keys: [FileAttributeKey] = [.posixPermissions, .size, .modificationDate]
            return name + keys.map { " \(values[$0].map { "\($0)" } ?? "")" }.joined()
        }
    }

    deinit { for name in ["", "bodies", "incoming"] { try? setMode(0o700, name) } }
}
