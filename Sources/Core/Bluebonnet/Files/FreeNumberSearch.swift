// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Searches the first free number of `name`, `name (2)`, `name (3)` and so on, in steps that grow with the logarithm of
/// what is taken. A value: it asks no file system.
///
/// Where numbers were freed in between, one behind them may be found.
struct FreeNumberSearch {
    /// The number to look at next.
    private(set) var number = 1
    private var taken = 0
    private var free: Int?

    /// Numbers up to this one are tried in turn.
    private static let lastInTurn = 8

    /// Whether the number before this one is taken, so that this one is the answer if it is free.
    var isNext: Bool { number == taken + 1 }

    mutating func numberIsTaken() {
        taken = number
        if let free, free <= taken { self.free = nil }  // somebody took it meanwhile
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
