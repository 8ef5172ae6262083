// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import BluebonnetLocks
public import Foundation

/// A response cache in a folder: an index in SQLite, and bodies in files that are named by their SHA-256. Any number of
/// processes may use the folder at the same time. All members may be used from any thread.
///
/// The folder has the mode 0700 and the files 0600. The values of request fields that select responses (`Vary`) are
/// stored as digests; response fields and bodies are stored as they are. After a crash and on a full disk the cache
/// has fewer responses, never wrong ones.
public final class FolderResponseCache: ResponseCache {
    /// The folder.
    public let folder: URL
    /// The maximum number of bytes of bodies and index entries, approximately.
    public let byteCapacity: Int
    public let storesForReplay: Bool
    /// Whether the folder cannot be written: the file system is read-only, or permission is missing. Stored responses
    /// are used, and nothing is stored or removed.
    public let isReadOnly: Bool
    private let index: FolderIndex
    private let bodies: BodyFiles
    /// Entries that were decoded, and bodies that were checked.
    private let known = Mutex(KnownEntries())
    private let firstFailure = Mutex(FirstFailure())

    /// Opens a cache, and creates its folder if there is none. A folder with files of others is refused, and stays as
    /// it is.
    ///
    /// A folder that cannot be written, or whose mode forbids its owner to write, is opened for reading, see
    /// `isReadOnly`. If no process had the index open at that time, none may change it through another mount until the
    /// cache is released.
    ///
    /// - Parameters:
    ///   - folder: the folder. Its parent must exist. An empty folder gets the mode 0700.
    ///   - byteCapacity: the maximum number of bytes, counting bodies and index entries. When it is exceeded, the least
    ///     recently used responses are removed. Default 1 GiB.
    ///   - storesForReplay: whether responses are stored, too, that only `onlyIfCached` and `forceCache` can use.
    ///     Default false.
    /// - Throws: `cannotOpenFile` if the folder cannot be used. If the disk is full or fails, `underlying` is a
    ///   `POSIXError` with the code `ENOSPC` or `EIO`: a program may then continue without the cache. A folder that
    ///   cannot be written needs an index. An index that a killed process has left needs its files `index.sqlite-wal`
    ///   and `index.sqlite-shm`.
    public init(
        at folder: URL, byteCapacity: Int = 1 << 30, storesForReplay: Bool = false
    ) throws(NetworkingError) {
        precondition(byteCapacity >= 0, "a cache's capacity cannot be negative")
        (self.folder, self.byteCapacity, self.storesForReplay) = (folder, byteCapacity, storesForReplay)
        do {
            let place = try CacheFolder(folder)
            isReadOnly = place.isReadOnly
            bodies = BodyFiles(in: place)
            index = try FolderIndex(in: place)
        } catch {
            throw FolderFailure(error, opening: folder.path).error
        }
        if !isReadOnly { sweep() }
    }

    /// The approximate number of stored bytes.
    public var byteCount: Int { (try? index.byteCount()) ?? 0 }

    /// The number of stored responses.
    public var count: Int { (try? index.count()) ?? 0 }

    /// A quarter of the capacity.
    public var maximumBodyByteCount: Int { byteCapacity / 4 }

    /// Called when a change cannot be stored, for the first time: the disk is full or fails, or the folder can no
    /// longer be written.
    ///
    /// The error has the code `cannotWriteFile`. If the disk is the reason, `underlying` is a `POSIXError` with the
    /// code `ENOSPC` or `EIO`. Requests are not affected, and later changes are stored when that is possible. Called on
    /// a queue of the library. Default nil.
    public var onFirstFailure: (@Sendable (NetworkingError) -> Void)? {
        get { firstFailure.withLock { $0.action } }
        // The old action is released outside of the lock.
        set { _ = firstFailure.withLock { $0.replaceAction(newValue) } }
    }

    /// Reports the first failure.
    private func report(_ reason: any Error) {
        guard let failure = FolderFailure(reason, writing: folder.path) else { return }
        firstFailure.withLock { $0.consumeAction() }?(failure.error)
    }

    public func entries(for key: CacheKeyPair) -> [CacheEntry] {
        guard let places = try? index.places(for: key) else { return [] }
        return known.withLock { $0.present(places) }.compactMap { place in
            if let entry = known.withLock({ $0.entry(at: place) }) { return entry }
            guard let record = try? index.record(of: place.id),
                var entry = try? JSONDecoder().decode(CacheEntry.self, from: record)
            else { return nil }
            entry.id = place.id
            known.withLock { [entry] in $0.insert(entry, at: place) }
            return entry
        }
    }

    public func body(of entry: CacheEntry) -> Data? {
        read(entry) { place, checks in bodies.read(place, checks: checks) }
    }

    public func bodyFile(of entry: CacheEntry) -> CacheBodyFile? {
        read(entry) { place, checks in bodies.file(place, checks: checks) }
    }

    /// Reads the body of a response, and records that it was used.
    private func read<Body>(_ entry: CacheEntry, _ read: (FolderIndex.Place, _ checks: Bool) -> Body?) -> Body? {
        let id = entry.id
        guard let place = known.withLock({ $0.place(of: id) }) ?? (try? index.place(of: id)) else { return nil }
        let isChecked = known.withLock { $0.isChecked(id, place) }
        guard let body = read(place, !isChecked) else { return nil }
        let uses = known.withLock { known in
            known.setChecked(id, place)
            return known.recordUse(of: id)
        }
        if !uses.isEmpty { try? index.recordUses(of: uses) }
        return body
    }

    public func apply(_ changes: [CacheChange]) {
        for change in changes {
            guard !isReadOnly else {
                drop(change)
                continue
            }
            do {
                try apply(change)
            } catch {
                drop(change)
                report(error)
            }
        }
    }

    /// Makes the responses that a change removes or expires answer no request although the index cannot be changed, for
    /// instance on a full disk: this process no longer uses them, and no process uses a response without its body.
    private func drop(_ change: CacheChange) {
        guard let places = try? index.places(affectedBy: change), !places.isEmpty else { return }
        known.withLock { $0.drop(places) }
        if !isReadOnly { for place in places { bodies.remove(place.digest) } }
    }

    private func apply(_ change: CacheChange) throws {
        var removed: [String] = []
        switch change {
        case .store(let entry, let body, let replaced): removed = try store(entry, body, replacing: replaced)
        case .update(let entry):
            try index.update(entry, record: Self.record(entry))
            known.withLock { $0.forget(entry.id) }
        case .expire(let id):
            guard let record = try index.record(of: id) else { return }
            var entry = try JSONDecoder().decode(CacheEntry.self, from: record)
            (entry.id, entry.isExpired) = (id, true)
            try index.update(entry, record: Self.record(entry))
            known.withLock { $0.forget(id) }
        case .remove(let id): removed = try index.remove([id])
        case .removeURL(let url): removed = try index.remove(url: url)
        case .removeGroup(let name, let origin): removed = try index.remove(group: name, origin: origin)
        }
        try removeBodies(removed)
    }

    /// Stores a response. The body has its name before the index names it.
    ///
    /// - Returns: the digests of the bodies of responses that were removed.
    private func store(_ entry: CacheEntry, _ body: CacheBody, replacing replaced: [Int64]) throws -> [String] {
        guard let stored = try stored(body) else { return try index.remove(replaced) }
        do {
            return try index.insert(
                entry, record: Self.record(entry), body: stored, replacing: replaced, capacity: byteCapacity)
        } catch {
            try? removeBodies([stored.digest])
            throw error
        }
    }

    /// Stores a body, or finds the stored one; nil if it is too large, is not as announced, or cannot be written.
    private func stored(_ body: CacheBody) throws -> BodyFiles.Stored? {
        do {
            switch body {
            case .data(let data): return data.count <= maximumBodyByteCount ? try bodies.store(data) : nil
            case .file(let url, let sha256):
                return try bodies.store(copyOf: url, digest: sha256, limit: maximumBodyByteCount)
            case .stored(let id):
                return try index.place(of: id).map { BodyFiles.Stored(digest: $0.digest, byteCount: $0.byteCount) }
            }
        } catch let error as POSIXError {
            report(error)
            return nil
        }
    }

    private static func record(_ entry: CacheEntry) throws -> Data {
        var entry = entry
        entry.response = entry.response.hashed
        return try JSONEncoder().encode(entry)
    }

    private func removeBodies(_ digests: [String]) throws {
        guard !digests.isEmpty else { return }
        for digest in Set(digests) where try !index.hasBody(digest) { bodies.remove(digest) }
    }

    /// Removes all responses. Does nothing if the cache is read-only.
    public func removeAll() {
        guard !isReadOnly, let removed = try? index.removeAll() else { return }
        known.withLock { $0 = KnownEntries() }
        try? removeBodies(removed)
    }

    /// Removes files that no response names: of processes that have died. On another thread.
    private func sweep() {
        DispatchQueue.global(qos: .utility).async { [weak self] in
            guard let self else { return }
            for digest in bodies.oldFiles() where (try? index.hasBody(digest)) == false { bodies.remove(digest) }
        }
    }

    deinit {
        let uses = known.withLock { $0.consumeUses() }
        if !uses.isEmpty { try? index.recordUses(of: uses) }
    }
}
