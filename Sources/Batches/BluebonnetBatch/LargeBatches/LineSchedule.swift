// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides which lines of a batch are run next: those whose dependencies have ended, as long as there is room for
/// operations. A value: it knows neither lines nor operations, only positions.
///
/// A higher priority goes first. Origins with lines of one priority take turns; inside an origin the earlier line goes
/// first. The room of one origin is limited, so that an origin that is slow or held leaves room for others; the more
/// room is taken, the less of it an origin gets. Memory: 16 bytes a line, 8 a dependency and 4 a line that could run.
package struct LineSchedule: Sendable {
    /// How many lines may run at once. Those that wait for a slot of their manager count: they only make sure that it
    /// has enough to choose from.
    package struct Limits: Sendable {
        let total: Int
        /// Of one origin while half of the room is free, while less is free, and when hardly any is.
        let perLane: [Int]

        /// Limits for a manager that has so many transfers on the wire.
        package init(concurrency: Int, concurrencyPerOrigin: Int) {
            let (all, ofOne) = (min(concurrency, Self.most), min(concurrencyPerOrigin, Self.most))
            total = max(8_192, 4 * all)
            perLane = [max(256, 4 * ofOne), ofOne, 1]
        }

        /// More transfers than any machine has at once, whose multiples can be counted.
        private static let most = 1 << 32

        init(total: Int, perLane: [Int]) { (self.total, self.perLane) = (total, perLane) }
    }

    /// How far a line has come; from `success` on it has ended.
    fileprivate enum Standing: UInt8 { case waiting, started, success, failure, cancelled, skipped, unknown }

    fileprivate struct Line: Sendable {
        let lane: UInt32
        let priority: UInt8
        var standing = Standing.waiting
        /// Whether a dependency failed, was skipped or is unknown.
        var isDoomed = false
        /// Whether other lines refer to what it returns.
        var isReferenced = false
        /// The number of dependencies that have not ended.
        var blockers: UInt32
        /// The first of the lines that wait for this one, in `edges`.
        var firstEdge = LineSchedule.none
    }

    private static let none = UInt32.max

    private let limits: Limits
    private var lines: [Line] = []
    private var edges: [(line: UInt32, next: UInt32)] = []
    private var laneNames = TextTable()
    /// The lane of lines whose origin is not known before they start.
    private var unnamedLane: Int?
    private var lanes: [LineLane] = []
    /// The lanes that have lines and room, by priority.
    private var listed: [Fifo<UInt32>]
    /// Lanes that get more room when others need less.
    private var heldBack: [UInt32] = []
    /// Which of the limits of a lane counts.
    private var scarcity = 0
    private var openCount = 0
    /// Everything before it was started or has ended.
    private var abandonedEnd = 0

    /// The number of lines that have ended, by outcome.
    package private(set) var counts: [ResultLine.Outcome: Int] = [:]

    package init(_ limits: Limits) {
        self.limits = limits
        listed = Array(repeating: Fifo(), count: RequestLine.Priority.allCases.count)
    }

    /// The number of lines.
    package var count: Int { lines.count }

    /// The number of lines that have ended.
    package var endedCount: Int { counts.values.reduce(0, +) }

    /// Whether lines are left that were not started.
    package var isAnyWaiting: Bool { count > openCount + endedCount }

    /// The number of an origin, by the name that lines write it with.
    package mutating func lane(named name: String) -> Int {
        let lane = laneNames.insert(name)
        if lane == lanes.count { lanes.append(LineLane()) }
        if name.isEmpty { unnamedLane = lane }
        return lane
    }

    /// Adds a line; its position is the number of lines before it.
    ///
    /// - Parameters:
    ///   - dependencies: the positions of the lines that it waits for, each once and lower than its own.
    ///   - references: those of them to whose responses it refers.
    package mutating func add(
        lane: Int, priority: RequestLine.Priority, dependencies: [Int] = [], references: [Int] = []
    ) {
        for reference in references { lines[reference].isReferenced = true }
        let position = lines.count
        var line = Line(lane: UInt32(lane), priority: priority.rank, blockers: 0)
        for dependency in dependencies {
            let standing = lines[dependency].standing
            if standing.rawValue < Standing.success.rawValue {
                line.blockers += 1
                edges.append((UInt32(position), lines[dependency].firstEdge))
                lines[dependency].firstEdge = UInt32(edges.count - 1)
            } else if standing.outcome?.dooms == true {
                line.isDoomed = true
            }
        }
        lines.append(line)
        if line.blockers == 0 { makeReady(position) }
    }

    /// Takes the line that is to be run next; nil when there is none, or no room.
    package mutating func next() -> Int? {
        guard openCount < limits.total else { return nil }
        for priority in listed.indices {
            while let lane = listed[priority].popFirst().map({ Int($0) }) {
                lanes[lane].unlist(priority: priority)
                guard hasRoom(lane), let position = popWaiting(lane, priority) else { continue }
                lines[position].standing = .started
                lanes[lane].openCount += 1
                openCount += 1
                while scarcity < 2, openCount >= threshold(scarcity) { scarcity += 1 }
                list(lane)
                return position
            }
        }
        return nil
    }

    /// Notes the outcome of a line that was started, or had its outcome before.
    ///
    /// - Returns: whether other lines should be started at once: lines became ready, or few of the origin are left.
    @discardableResult
    package mutating func end(_ position: Int, _ outcome: ResultLine.Outcome) -> Bool {
        let former = lines[position].standing
        precondition(former.rawValue < Standing.success.rawValue, "a line has ended twice")
        lines[position].standing = Standing(outcome)
        counts[outcome, default: 0] += 1
        if former == .started { leave(Int(lines[position].lane)) }
        var isUrgent = lanes[Int(lines[position].lane)].openCount < 2 * limits.perLane[1]
        let dooms = lines[position].standing.outcome?.dooms == true
        var edge = lines[position].firstEdge
        while edge != Self.none {
            let (line, next) = edges[Int(edge)]
            if dooms { lines[Int(line)].isDoomed = true }
            lines[Int(line)].blockers -= 1
            if lines[Int(line)].blockers == 0 {
                makeReady(Int(line))
                isUrgent = true
            }
            edge = next
        }
        return isUrgent
    }

    /// How a line ended; nil when it has not.
    package func outcome(of position: Int) -> ResultLine.Outcome? { lines[position].standing.outcome }

    /// Whether lines wait for a line.
    package func isNeeded(_ position: Int) -> Bool { lines[position].firstEdge != Self.none }

    /// Whether other lines refer to what a line returns.
    package func isReferenced(_ position: Int) -> Bool { lines[position].isReferenced }

    /// Ends the first line that was not started: skipped, when something that it needed did not succeed, or else
    /// cancelled. Nil when there is none.
    package mutating func abandonNext() -> (position: Int, outcome: ResultLine.Outcome)? {
        while abandonedEnd < lines.count, lines[abandonedEnd].standing != .waiting { abandonedEnd += 1 }
        guard abandonedEnd < lines.count else { return nil }
        let outcome: ResultLine.Outcome = lines[abandonedEnd].isDoomed ? .skipped : .cancelled
        end(abandonedEnd, outcome)
        return (abandonedEnd, outcome)
    }
}

// MARK: - Lanes

extension LineSchedule {
    private mutating func makeReady(_ position: Int) {
        guard lines[position].standing == .waiting else { return }
        let lane = Int(lines[position].lane)
        lanes[lane].insert(position, priority: Int(lines[position].priority))
        list(lane)
    }

    /// Takes the first line of a lane; one that has ended meanwhile is passed over.
    private mutating func popWaiting(_ lane: Int, _ priority: Int) -> Int? {
        while let position = lanes[lane].popFirst(priority: priority) {
            if lines[position].standing == .waiting { return position }
        }
        return nil
    }

    /// Whether a line of a lane may be started. A lane that has to wait for others is noted.
    private mutating func hasRoom(_ lane: Int) -> Bool {
        let openCount = lanes[lane].openCount
        if openCount < limit(lane, scarcity) { return true }
        if openCount < limit(lane, 0), !lanes[lane].isHeldBack {
            lanes[lane].isHeldBack = true
            heldBack.append(UInt32(lane))
        }
        return false
    }

    /// Lines whose origin is not known may have different ones.
    private func limit(_ lane: Int, _ scarcity: Int) -> Int {
        lane == unnamedLane ? max(limits.total / 2, limits.perLane[0]) : limits.perLane[scarcity]
    }

    /// The number of running lines at which room gets scarcer.
    private func threshold(_ scarcity: Int) -> Int { limits.total * (2 + scarcity) / 4 }

    /// A line of a lane that ran has ended.
    private mutating func leave(_ lane: Int) {
        openCount -= 1
        lanes[lane].openCount -= 1
        list(lane)
        // Some lines later than it became scarcer, so that lanes are not listed again and again.
        guard scarcity > 0, openCount < threshold(scarcity - 1) - limits.total / 16 else { return }
        scarcity -= 1
        let lanesHeldBack = heldBack
        heldBack = []
        for lane in lanesHeldBack {
            lanes[Int(lane)].isHeldBack = false
            list(Int(lane))
        }
    }

    /// Puts a lane among those that are looked at, if it has lines.
    private mutating func list(_ lane: Int) {
        for priority in lanes[lane].list() { listed[priority].append(UInt32(lane)) }
    }
}

extension LineSchedule.Standing {
    fileprivate init(_ outcome: ResultLine.Outcome) {
        switch outcome {
        case .success: self = .success
        case .failure: self = .failure
        case .cancelled: self = .cancelled
        case .skipped: self = .skipped
        case .unknown: self = .unknown
        }
    }

    fileprivate var outcome: ResultLine.Outcome? {
        switch self {
        case .waiting, .started: nil
        case .success: .success
        case .failure: .failure
        case .cancelled: .cancelled
        case .skipped: .skipped
        case .unknown: .unknown
        }
    }
}

extension RequestLine.Priority {
    /// 0 for the highest.
    fileprivate var rank: UInt8 {
        UInt8(Self.allCases.count - 1 - (Self.allCases.firstIndex(of: self) ?? 0))
    }
}
