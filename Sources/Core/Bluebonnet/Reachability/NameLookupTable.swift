// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Which names are wanted, and what is known of their addresses: one look-up a name at a time. A value that looks
/// nothing up.
struct NameLookupTable {
    private struct Entry {
        /// Nil until the first look-up has ended; empty when the name has none.
        var addresses: [IPAddress]?
        var isLookedUp = false
        /// The network has changed since the look-up under way began.
        var mustLookUpAgain = false
        var userCount = 0
    }

    private var entries: [String: Entry] = [:]

    func addresses(of name: String) -> [IPAddress]? { entries[name]?.addresses }

    /// Somebody wants a name; true when it has to be looked up.
    mutating func add(_ name: String) -> Bool {
        let isFollowed = entries[name]?.userCount ?? 0 > 0
        entries[name, default: Entry()].userCount += 1
        // A look-up under way is as good, unless nobody noted meanwhile whether the network changed.
        if isFollowed, entries[name]?.isLookedUp == true { return false }
        return begin(name)
    }

    /// Somebody does not want it any more.
    mutating func remove(_ name: String) {
        guard var entry = entries[name] else { return }
        entry.userCount -= 1
        entries[name] = entry.userCount > 0 || entry.isLookedUp ? entry : nil
    }

    /// The network has changed, so that names may have other addresses; gives those to look up.
    mutating func networkChanged() -> [String] {
        entries.keys.sorted().filter { begin($0) }
    }

    /// A look-up has ended; true when the name has to be looked up again.
    mutating func lookUpEnded(_ name: String, _ addresses: [IPAddress]) -> Bool {
        guard var entry = entries[name] else { return false }
        entry.isLookedUp = false
        // What was true before the network changed is better than nothing until the next look-up ends.
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
