// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The entries that a process has decoded, up to a number, and what the index does not know: uses that are not written
/// yet, and responses that could not be removed. A value, protected by the cache's lock.
struct KnownEntries: Sendable {
    private struct Known: Sendable {
        let entry: CacheEntry
        let place: FolderIndex.Place
        /// Whether the digest of the body was compared.
        var isChecked = false
    }

    private static let limit = 2_000
    /// The uses after which they are written to the index.
    private static let useLimit = 64

    private var entries: [Int64: Known] = [:]
    private var uses: Set<Int64> = []
    /// The responses that are no longer used, although the index has them.
    private var dropped: Set<Int64> = []

    func entry(at place: FolderIndex.Place) -> CacheEntry? {
        entries[place.id].flatMap { $0.place == place ? $0.entry : nil }
    }

    func place(of id: Int64) -> FolderIndex.Place? { entries[id]?.place }

    mutating func insert(_ entry: CacheEntry, at place: FolderIndex.Place) {
        if entries.count >= Self.limit { entries.removeAll(keepingCapacity: true) }
        entries[place.id] = Known(entry: entry, place: place)
    }

    mutating func forget(_ id: Int64) { entries[id] = nil }

    mutating func drop(_ places: [FolderIndex.Place]) {
        for place in places {
            forget(place.id)
            dropped.insert(place.id)
        }
    }

    /// Returns the places without dropped responses.
    func present(_ places: [FolderIndex.Place]) -> [FolderIndex.Place] {
        dropped.isEmpty ? places : places.filter { !dropped.contains($0.id) }
    }

    func isChecked(_ id: Int64, _ place: FolderIndex.Place) -> Bool {
        entries[id].map { $0.isChecked && $0.place == place } ?? false
    }

    mutating func setChecked(_ id: Int64, _ place: FolderIndex.Place) {
        if entries[id]?.place == place { entries[id]?.isChecked = true }
    }

    /// Returns the uses to write to the index; mostly none.
    mutating func recordUse(of id: Int64) -> Set<Int64> {
        uses.insert(id)
        return uses.count >= Self.useLimit ? consumeUses() : []
    }

    mutating func consumeUses() -> Set<Int64> {
        defer { uses = [] }
        return uses
    }
}
