// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Finds the first free number of `name`, `name (2)`, `name (3)` and so on. The number of steps grows with the
/// logarithm of the number of taken names. A value: it accesses no file system.
///
/// Where numbers in between were freed, the search may find a later free number.
struct FreeNumberSearch {
    /// The number to check next.
    private(set) var number = 1
    private var taken = 0
    private var free: Int?

    /// Numbers up to this one are checked in turn.
    private static let lastInTurn = 8

    /// Whether the number before this one is taken. This number is then the result if it is free.
    var isNext: Bool { number == taken + 1 }

    mutating func numberIsTaken() {
        taken = number
        if let free, free <= taken { self.free = nil }  // taken in the meantime
        guard free == nil else { return halve() }
        number = taken < Self.lastInTurn ? taken + 1 : taken * 2
    }

    mutating func numberIsFree() {
        free = number
        halve()
    }

    private mutating func halve() {
        guard let free else { return }
        number = max(taken + 1, taken + (free - taken) / 2)
    }
}
