// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import BluebonnetBatch

/// Decides which unsafe lines get their durable marks next: as many lines as can be on the wire, in all and for each
/// origin, and not more, so that few lines are in doubt if the process dies.
///
/// Higher priorities go first. Origins with lines of the same priority take turns; within an origin, older lines go
/// first. A value type that uses neither lines nor journals.
package struct SendWindow {
    /// A waiting line.
    package struct Ticket: Equatable, Sendable {
        package let position: Int
        /// The origin, as far as it is known before the request is made.
        package let lane: String
        package let priority: RequestLine.Priority

        package init(position: Int, lane: String, priority: RequestLine.Priority) {
            (self.position, self.lane, self.priority) = (position, lane, priority)
        }
    }

    private struct Lane {
        var openCount = 0
        var waitingCount = 0
        var waiting: [RequestLine.Priority: Fifo<Ticket>] = [:]
        /// The priorities for which the lane is in the list of ready lanes.
        var ready: Set<RequestLine.Priority> = []
    }

    private static let order = Array(RequestLine.Priority.allCases.reversed())

    private let limit: Int
    private let limitPerLane: Int
    private var openCount = 0
    private var lanes: [String: Lane] = [:]
    private var ready: [RequestLine.Priority: Fifo<String>] = [:]
    /// The limits of lanes that differ from `limitPerLane`.
    private var laneLimits: [String: Int] = [:]
    /// Paused lanes: their waiting lines are not taken, and their taken lines do not count towards `limit`.
    private var pausedLanes: Set<String> = []

    package init(limit: Int, limitPerLane: Int) { (self.limit, self.limitPerLane) = (limit, limitPerLane) }

    /// Adds a line that could be sent.
    package mutating func enqueue(_ ticket: Ticket) {
        lanes[ticket.lane, default: Lane()].waitingCount += 1
        lanes[ticket.lane, default: Lane()].waiting[ticket.priority, default: Fifo()].append(ticket)
        list(ticket.lane, ticket.priority)
    }

    /// Takes the next line that may be sent; nil if no line may be sent.
    package mutating func next() -> Ticket? {
        guard openCount < limit else { return nil }
        for priority in Self.order {
            while let name = ready[priority]?.popFirst() {
                lanes[name]?.ready.remove(priority)
                guard let lane = lanes[name], lane.openCount < limit(of: name),
                    let ticket = lanes[name]?.waiting[priority]?.popFirst()
                else { continue }
                openCount += 1  // a paused lane never gets here
                lanes[name]?.openCount += 1
                lanes[name]?.waitingCount -= 1
                list(name, priority)
                return ticket
            }
        }
        return nil
    }

    /// Frees the slot of a taken line that has ended.
    package mutating func release(_ name: String) {
        if !pausedLanes.contains(name) { openCount -= 1 }
        lanes[name]?.openCount -= 1
        for priority in Self.order { list(name, priority) }
        if let lane = lanes[name], lane.openCount == 0, lane.waiting.values.allSatisfy(\.isEmpty) { lanes[name] = nil }
    }

    /// Gives a line that continues a slot again, even if no slot is free.
    package mutating func retake(_ name: String) {
        if !pausedLanes.contains(name) { openCount += 1 }
        lanes[name, default: Lane()].openCount += 1
    }

    /// Returns how many lines of a lane may be taken at once.
    package func limit(of name: String) -> Int {
        pausedLanes.contains(name) ? 0 : min(limitPerLane, laneLimits[name] ?? limitPerLane)
    }

    /// Sets the paused lanes. Lines that were taken from a paused lane do not count towards the limit of all lanes.
    package mutating func setPausedLanes(_ paused: Set<String>) {
        for name in paused.subtracting(pausedLanes) { openCount -= lanes[name]?.openCount ?? 0 }
        for name in pausedLanes.subtracting(paused) { openCount += lanes[name]?.openCount ?? 0 }
        pausedLanes = paused
        for name in lanes.keys { for priority in Self.order { list(name, priority) } }
    }

    /// Sets how many lines of some lanes may be taken at once; all other lanes have the limit of every lane. Lines
    /// that are already taken stay taken.
    package mutating func setLimits(_ limits: [String: Int]) {
        guard limits != laneLimits else { return }
        laneLimits = limits
        for name in lanes.keys { for priority in Self.order { list(name, priority) } }
    }

    /// Returns how many lines of a lane wait, or were taken and have not ended.
    package func count(of name: String) -> Int {
        lanes[name].map { $0.openCount + $0.waitingCount } ?? 0
    }

    /// The number of lines in paused lanes.
    package var pausedCount: Int { pausedLanes.reduce(0) { $0 + count(of: $1) } }

    /// The lanes with lines that wait or were taken.
    package var lanesInUse: Set<String> { Set(lanes.keys) }

    /// Adds a lane to the ready lanes if one of its lines may be taken.
    private mutating func list(_ name: String, _ priority: RequestLine.Priority) {
        guard let lane = lanes[name], lane.openCount < limit(of: name), lane.waiting[priority]?.isEmpty == false,
            !lane.ready.contains(priority)
        else { return }
        lanes[name]?.ready.insert(priority)
        ready[priority, default: Fifo()].append(name)
    }
}
