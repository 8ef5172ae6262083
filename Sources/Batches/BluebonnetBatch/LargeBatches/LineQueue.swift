// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The ready lines of one origin and priority, by position. The lowest position is removed first. Lines inserted in
/// order take four bytes each.
struct LineQueue: Sendable {
    private var sorted: [UInt32] = []
    private var head = 0
    /// Positions that were inserted after a higher one, as a binary heap.
    private var late: [UInt32] = []

    var isEmpty: Bool { head == sorted.count && late.isEmpty }

    mutating func insert(_ position: UInt32) {
        if sorted.isEmpty || sorted[sorted.count - 1] < position { return sorted.append(position) }
        late.append(position)
        var child = late.count - 1
        while child > 0, late[child] < late[(child - 1) / 2] {
            late.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popFirst() -> UInt32? {
        guard head < sorted.count else { return popLate() }
        if let first = late.first, first < sorted[head] { return popLate() }
        defer {
            head += 1
            if head == sorted.count {
                sorted.removeAll(keepingCapacity: head <= 64)
                head = 0
            } else if head > 1_024, head * 2 > sorted.count {
                sorted.removeFirst(head)
                head = 0
            }
        }
        return sorted[head]
    }

    private mutating func popLate() -> UInt32? {
        guard let first = late.first else { return nil }
        let last = late.removeLast()
        guard !late.isEmpty else { return first }
        late[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < late.count && late[child] < late[least] {
                least = child
            }
            if least == parent { return first }
            late.swapAt(parent, least)
            parent = least
        }
    }
}
