// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension Array {
    /// The elements in their order, in up to `partCount` parts whose counts differ by one at most: so many that each has
    /// at least `least`, or else one.
    func divided(among partCount: Int, least: Int) -> [[Element]] {
        let partCount = Swift.max(1, Swift.min(partCount, count / least))
        return (0..<partCount).map { Array(self[count * $0 / partCount..<count * ($0 + 1) / partCount]) }
    }
}

extension Array {
    /// Gives every element to `body`, the first one first; each is let go before the next one's turn. The room stays
    /// for those to come, unless there were more than `keptCount`.
    mutating func empty(keepingRoomFor keptCount: Int, _ body: (Element) -> Void) {
        let count = count
        reverse()
        while let element = popLast() { body(element) }
        if count > keptCount { self = [] }
    }
}
