// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The responses of a cache in memory, in the order of their last use. A value, protected by the cache's lock.
struct MemoryIndex: Sendable {
    /// A stored response with its approximate size.
    private struct Slot: Sendable {
        var entry: CacheEntry
        let data: Data
        let byteCount: Int
        var use = 0
    }

    /// One use of a stored response.
    private struct Use: Comparable {
        let number: Int
        let id: Int64

        static func < (first: Use, second: Use) -> Bool { first.number < second.number }
    }

    /// A group of an origin.
    private struct Group: Hashable {
        let origin: ByteString
        let name: ByteString

        init(_ name: String, _ origin: String) { (self.origin, self.name) = (ByteString(origin), ByteString(name)) }
    }

    private var slots: [Int64: Slot] = [:]
    private var byURL: [ByteString: [Int64]] = [:]
    /// The responses with `ignoresQuery`.
    private var byPath: [ByteString: [Int64]] = [:]
    private var byGroup: [Group: [Int64]] = [:]
    /// All uses, the oldest first; stale uses are skipped.
    private var uses = Heap<Use>()
    private var useCount = 0
    private var lastUse = 0
    private var lastID: Int64 = 0
    private(set) var byteCount = 0

    var count: Int { slots.count }

    func entries(for key: CacheKeyPair) -> [CacheEntry] {
        guard !slots.isEmpty else { return [] }
        let ids = byURL[ByteString(key.url)] ?? []
        let others = byPath.isEmpty ? [] : (byPath[ByteString(key.urlWithoutQuery)] ?? []).filter { !ids.contains($0) }
        return (ids + others).compactMap { id in
            slots[id].flatMap { FieldSyntax.isSameText($0.entry.partition, key.partition) ? $0.entry : nil }
        }
    }

    mutating func use(_ id: Int64) -> Data? {
        guard let data = slots[id]?.data else { return nil }
        recordUse(id)
        return data
    }

    /// - Parameter data: the body of a response that is stored, if it is not stored yet; nil if it cannot be read.
    mutating func apply(_ change: CacheChange, _ data: Data?, capacity: Int) {
        switch change {
        case .store(let entry, let body, let replaced):
            var data = data
            if case .stored(let id) = body { data = slots[id]?.data }
            for id in replaced { remove(id) }
            if let data { insert(entry, data, capacity: capacity) }
        case .update(let entry): update(entry)
        case .expire(let id): slots[id]?.entry.isExpired = true
        case .remove(let id): remove(id)
        case .removeURL(let url): for id in byURL[ByteString(url)] ?? [] { remove(id) }
        case .removeGroup(let name, let origin): for id in byGroup[Group(name, origin)] ?? [] { remove(id) }
        }
    }

    mutating func removeAll() {
        let last = lastID
        self = MemoryIndex()
        lastID = last
    }
}

// MARK: - Changes

extension MemoryIndex {
    private mutating func insert(_ entry: CacheEntry, _ data: Data, capacity: Int) {
        let size = entry.byteCount + data.count
        guard size <= capacity / 4 else { return }
        lastID += 1
        var entry = entry
        entry.id = lastID
        add(Slot(entry: entry, data: data, byteCount: size))
        while byteCount > capacity, let use = uses.popFirst() {
            useCount -= 1
            if slots[use.id]?.use == use.number { remove(use.id) }
        }
    }

    private mutating func update(_ entry: CacheEntry) {
        guard let slot = remove(entry.id) else { return }
        add(Slot(entry: entry, data: slot.data, byteCount: entry.byteCount + slot.data.count))
    }

    private mutating func add(_ slot: Slot) {
        let (entry, id) = (slot.entry, slot.entry.id)
        slots[id] = slot
        byURL[ByteString(entry.url), default: []].append(id)
        if entry.ignoresQuery { byPath[ByteString(entry.urlWithoutQuery), default: []].append(id) }
        for name in entry.groups { byGroup[Group(name, entry.origin), default: []].append(id) }
        byteCount += slot.byteCount
        recordUse(id)
    }

    @discardableResult
    private mutating func remove(_ id: Int64) -> Slot? {
        guard let slot = slots.removeValue(forKey: id) else { return nil }
        let entry = slot.entry
        byteCount -= slot.byteCount
        byURL.removeID(id, at: ByteString(entry.url))
        if entry.ignoresQuery { byPath.removeID(id, at: ByteString(entry.urlWithoutQuery)) }
        for name in entry.groups { byGroup.removeID(id, at: Group(name, entry.origin)) }
        return slot
    }

    private mutating func recordUse(_ id: Int64) {
        lastUse += 1
        slots[id]?.use = lastUse
        uses.insert(Use(number: lastUse, id: id))
        useCount += 1
        if useCount > 2 * slots.count + 64 { forgetOvertakenUses() }
    }

    private mutating func forgetOvertakenUses() {
        uses = Heap()
        for (id, slot) in slots { uses.insert(Use(number: slot.use, id: id)) }
        useCount = slots.count
    }
}

extension Dictionary where Value == [Int64] {
    fileprivate mutating func removeID(_ id: Int64, at key: Key) {
        guard let left = self[key]?.filter({ $0 != id }) else { return }
        self[key] = left.isEmpty ? nil : left
    }
}
