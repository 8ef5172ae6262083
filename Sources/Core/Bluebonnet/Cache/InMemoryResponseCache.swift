// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation
public import FoundationNetworking

/// A response cache in memory with a limited byte count. It drops the least recently used responses first. All members
/// may be used from any thread.
public final class InMemoryResponseCache: ResponseCache {
    private let byteCapacity: Int
    private let shared = Mutex(LRUIndex())

    /// Makes an empty cache.
    ///
    /// - Parameter byteCapacity: the most bytes, counting bodies, URLs and, approximately, header fields. A response
    ///   larger than a quarter of the capacity is not stored. Default 20 MiB.
    public init(byteCapacity: Int = 20 * 1024 * 1024) {
        precondition(byteCapacity >= 0, "a cache's capacity cannot be negative")
        self.byteCapacity = byteCapacity
    }

    /// The approximate number of stored bytes.
    public var byteCount: Int { shared.withLock { $0.byteCount } }

    public func cachedResponse(for request: URLRequest) -> CachedResponse? {
        guard let key = Self.key(request) else { return nil }
        return shared.withLock { $0.use(key) }
    }

    public func store(_ response: CachedResponse, for request: URLRequest) {
        guard let key = Self.key(request) else { return }
        let entry = Entry(response, key: key)
        let dropped = shared.withLock { index in
            entry.byteCount <= byteCapacity / 4
                ? index.insert(entry, key, capacity: byteCapacity) : index.remove(key)
        }
        withExtendedLifetime(dropped) {}  // outside the lock: releasing a `userInfo` may run code
    }

    public func removeCachedResponse(for request: URLRequest) {
        guard let key = Self.key(request) else { return }
        let dropped = shared.withLock { $0.remove(key) }
        withExtendedLifetime(dropped) {}
    }

    /// Removes all responses.
    public func removeAll() {
        let dropped = shared.withLock { index in
            defer { index = LRUIndex() }
            return index
        }
        withExtendedLifetime(dropped) {}
    }

    private static func key(_ request: URLRequest) -> String? {
        request.url.map { String($0.absoluteString.prefix { $0 != "#" }) }
    }
}

/// A stored response with its approximate size.
private struct Entry: Sendable {
    let response: CachedResponse
    let byteCount: Int
    var use = 0

    init(_ response: CachedResponse, key: String) {
        self.response = response
        let fields = response.response.allHeaderFields.reduce(0) { sum, field in
            sum + "\(field.key)".utf8.count + "\(field.value)".utf8.count + Self.fieldByteCount
        }
        byteCount = response.data.count + key.utf8.count + fields + 1024
    }

    /// The approximate size of a field in addition to its name and its value, in bytes.
    private static let fieldByteCount = 64
}

/// The stored responses in the order of their last use. A value type, protected by the cache's lock.
private struct LRUIndex: Sendable {
    /// One use of a stored response.
    private struct Use: Comparable {
        let number: Int
        let key: String

        static func < (a: Use, b: Use) -> Bool { a.number < b.number }
    }

    private var entries: [String: Entry] = [:]
    /// All uses, the oldest first; stale uses are skipped.
    private var uses = Heap<Use>()
    private var useCount = 0
    private var lastUse = 0
    private(set) var byteCount = 0

    mutating func use(_ key: String) -> CachedResponse? {
        guard let response = entries[key]?.response else { return nil }
        recordUse(key)
        return response
    }

    mutating func insert(_ entry: Entry, _ key: String, capacity: Int) -> [Entry] {
        var dropped = remove(key)
        entries[key] = entry
        byteCount += entry.byteCount
        recordUse(key)
        while byteCount > capacity, let use = uses.popFirst() {
            useCount -= 1
            if entries[use.key]?.use == use.number { dropped += remove(use.key) }
        }
        return dropped
    }

    mutating func remove(_ key: String) -> [Entry] {
        guard let entry = entries.removeValue(forKey: key) else { return [] }
        byteCount -= entry.byteCount
        return [entry]
    }

    private mutating func recordUse(_ key: String) {
        lastUse += 1
        entries[key]?.use = lastUse
        uses.insert(Use(number: lastUse, key: key))
        useCount += 1
        if useCount > 2 * entries.count + 64 { forgetOvertakenUses() }
    }

    private mutating func forgetOvertakenUses() {
        uses = Heap()
        for (key, entry) in entries { uses.insert(Use(number: entry.use, key: key)) }
        useCount = entries.count
    }
}
