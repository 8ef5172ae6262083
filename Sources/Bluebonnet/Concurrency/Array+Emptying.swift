// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

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
