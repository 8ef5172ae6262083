// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// Decides which unsafe lines get their durable mark next: as many as can be on the wire, in all and to each origin,
/// and no more, so that few lines are in doubt when the process dies.
///
/// A higher priority goes first. Origins with lines of one priority take turns; inside an origin the older line goes
/// first. A value: it knows neither lines nor journals.
struct SendWindow {
    /// A line that waits.
    struct Ticket: Equatable {
        let position: Int
        /// The origin, as far as it is known before the request is made.
        let lane: String
        let priority: RequestLine.Priority
    }

    private struct Lane {
        var openCount = 0
        var waiting: [RequestLine.Priority: Fifo<Ticket>] = [:]
        /// The priorities for which the lane is among the ready ones.
        var ready: Set<RequestLine.Priority> = []
    }

    private static let order = Array(RequestLine.Priority.allCases.reversed())

    private let limit: Int
    private let limitPerLane: Int
    private var openCount = 0
    private var lanes: [String: Lane] = [:]
    private var ready: [RequestLine.Priority: Fifo<String>] = [:]

    init(limit: Int, limitPerLane: Int) { (self.limit, self.limitPerLane) = (limit, limitPerLane) }

    /// Adds a line that could be sent.
    mutating func enqueue(_ ticket: Ticket) {
        lanes[ticket.lane, default: Lane()].waiting[ticket.priority, default: Fifo()].append(ticket)
        list(ticket.lane, ticket.priority)
    }

    /// Takes the line that may be sent next; nil when none may.
    mutating func next() -> Ticket? {
        guard openCount < limit else { return nil }
        for priority in Self.order {
            while let name = ready[priority]?.popFirst() {
                lanes[name]?.ready.remove(priority)
                guard let lane = lanes[name], lane.openCount < limitPerLane,
                    let ticket = lanes[name]?.waiting[priority]?.popFirst()
                else { continue }
                openCount += 1
                lanes[name]?.openCount += 1
                list(name, priority)
                return ticket
            }
        }
        return nil
    }

    /// A line of a lane that was taken has ended.
    mutating func release(_ name: String) {
        openCount -= 1
        lanes[name]?.openCount -= 1
        for priority in Self.order { list(name, priority) }
        if let lane = lanes[name], lane.openCount == 0, lane.waiting.values.allSatisfy(\.isEmpty) { lanes[name] = nil }
    }

    /// Puts a lane among the ready ones, if a line of it may be taken.
    private mutating func list(_ name: String, _ priority: RequestLine.Priority) {
        guard let lane = lanes[name], lane.openCount < limitPerLane, lane.waiting[priority]?.isEmpty == false,
            !lane.ready.contains(priority)
        else { return }
        lanes[name]?.ready.insert(priority)
        ready[priority, default: Fifo()].append(name)
    }
}

/// A queue that is taken from in constant time.
struct Fifo<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        defer {
            elements[head] = nil
            head += 1
            if head > 64, head * 2 > elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }
}
