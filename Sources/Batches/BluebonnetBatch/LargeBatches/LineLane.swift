// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The lines of one origin in a schedule: the number of running lines, and the ready lines by priority. A value type
/// without knowledge of other lanes.
struct LineLane: Sendable {
    private struct Queue: Sendable {
        let priority: UInt8
        var lines = LineQueue()
        /// Whether the schedule lists the lane for this priority.
        var isListed = false
    }

    /// The number of running lines.
    var openCount = 0
    /// Whether the lane waits for a higher limit of running lines.
    var isAtLowerLimit = false
    /// One queue for each priority; most lanes have one.
    private var queues: [Queue] = []

    mutating func insert(_ position: Int, priority: Int) {
        if let index = index(priority) { return queues[index].lines.insert(UInt32(position)) }
        queues.append(Queue(priority: UInt8(priority)))
        queues[queues.count - 1].lines.insert(UInt32(position))
    }

    mutating func popFirst(priority: Int) -> Int? {
        guard let index = index(priority) else { return nil }
        return queues[index].lines.popFirst().map { Int($0) }
    }

    /// Marks the lane as listed. Returns the priorities that have ready lines and were not listed before.
    mutating func list() -> [Int] {
        var priorities: [Int] = []
        for index in queues.indices where !queues[index].isListed && !queues[index].lines.isEmpty {
            queues[index].isListed = true
            priorities.append(Int(queues[index].priority))
        }
        return priorities
    }

    /// Marks the lane as no longer listed for a priority.
    mutating func unlist(priority: Int) {
        if let index = index(priority) { queues[index].isListed = false }
    }

    private func index(_ priority: Int) -> Int? { queues.firstIndex { $0.priority == priority } }
}
