// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The lines of one origin in a schedule: how many run, and those that could, by priority. A value that knows no other
/// lane.
struct LineLane: Sendable {
    private struct Queue: Sendable {
        let priority: UInt8
        var lines = LineQueue()
        /// Whether the lane is among those that the schedule looks at for this priority.
        var isListed = false
    }

    /// The number of lines that run.
    var openCount = 0
    /// Whether the lane waits until more lines may run.
    var isHeldBack = false
    /// Most lanes have one.
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

    /// Notes that the lane is listed; the priorities that it was not listed for and has lines of.
    mutating func list() -> [Int] {
        var priorities: [Int] = []
        for index in queues.indices where !queues[index].isListed && !queues[index].lines.isEmpty {
            queues[index].isListed = true
            priorities.append(Int(queues[index].priority))
        }
        return priorities
    }

    /// Notes that the lane is not listed for a priority any more.
    mutating func unlist(priority: Int) {
        if let index = index(priority) { queues[index].isListed = false }
    }

    private func index(_ priority: Int) -> Int? { queues.firstIndex { $0.priority == priority } }
}
