// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension Array {
    /// Returns the elements in order, divided into up to `partCount` arrays whose counts differ by at most one. Each
    /// array has at least `least` elements, unless there is only one array.
    @inlinable
    package func divided(among partCount: Int, least: Int) -> [[Element]] {
        let partCount = Swift.max(1, Swift.min(partCount, count / least))
        return (0..<partCount).map { Array(self[count * $0 / partCount..<count * ($0 + 1) / partCount]) }
    }
}

extension Array {
    /// Calls `body` with every element in order, and releases each element before the next call. Keeps the capacity,
    /// unless the array had more than `keptCount` elements.
    @inlinable
    package mutating func empty(keepingRoomFor keptCount: Int, _ body: (Element) -> Void) {
        let count = count
        reverse()
        while let element = popLast() { body(element) }
        if count > keptCount { self = [] }
    }
}
