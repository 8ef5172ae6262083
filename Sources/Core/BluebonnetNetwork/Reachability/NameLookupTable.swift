// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The names that are in use, and their known addresses. Each name has at most one lookup at a time. A value that
/// performs no lookups.
struct NameLookupTable {
    /// A name's addresses and the state of its lookup.
    private struct Entry {
        /// Nil until the first lookup has ended; empty if the name has no addresses.
        var addresses: [IPAddress]?
        var isLookedUp = false
        /// Whether the network has changed since the current lookup began.
        var mustLookUpAgain = false
        var userCount = 0
    }

    private var entries: [String: Entry] = [:]

    func addresses(of name: String) -> [IPAddress]? { entries[name]?.addresses }

    /// Adds a user of a name. Returns whether the name has to be looked up.
    mutating func add(_ name: String) -> Bool {
        let isFollowed = entries[name]?.userCount ?? 0 > 0
        entries[name, default: Entry()].userCount += 1
        // A running lookup is sufficient, unless the name had no users meanwhile, so that network changes were not
        // recorded.
        if isFollowed, entries[name]?.isLookedUp == true { return false }
        return begin(name)
    }

    /// Removes a user of a name.
    mutating func remove(_ name: String) {
        guard var entry = entries[name] else { return }
        entry.userCount -= 1
        entries[name] = entry.userCount > 0 || entry.isLookedUp ? entry : nil
    }

    /// Records that the network has changed, so that names may have other addresses. Returns the names to look up.
    mutating func networkChanged() -> [String] {
        entries.keys.sorted().filter { begin($0) }
    }

    /// Records that a lookup has ended. Returns whether the name has to be looked up again.
    mutating func lookUpEnded(_ name: String, _ addresses: [IPAddress]) -> Bool {
        guard var entry = entries[name] else { return false }
        entry.isLookedUp = false
        // Addresses from before the network changed are better than none until the next lookup ends.
        entry.addresses = addresses
        entries[name] = entry.userCount > 0 ? entry : nil
        return entry.userCount > 0 && entry.mustLookUpAgain && begin(name)
    }

    private mutating func begin(_ name: String) -> Bool {
        guard var entry = entries[name] else { return false }
        let begins = !entry.isLookedUp
        entry.mustLookUpAgain = !begins
        entry.isLookedUp = true
        entries[name] = entry
        return begins
    }
}
