// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides which lines of a batch run next: lines whose dependencies have ended, within limits on the number of
/// running lines. A value type that knows positions only, neither lines nor operations.
///
/// Higher priorities go first. Origins with lines of the same priority take turns; within an origin, earlier lines go
/// first. The number of running lines per origin is limited, so that an origin that is slow or backing off leaves
/// capacity to others. The less total capacity is free, the lower the limit per origin. Memory: 16 bytes per line, 8
/// per dependency and 4 per ready line.
package struct LineSchedule: Sendable {
    /// The maximum numbers of running lines. Lines waiting for a slot of their manager count as running: the limits
    /// only make sure that the manager has enough lines to choose from.
    package struct Limits: Sendable {
        let total: Int
        /// The limits of one origin: while at least half of the capacity is free, while less is free, and while hardly
        /// any is free.
        let perLane: [Int]

        /// Makes the limits for a manager with these limits of concurrent transfers.
        package init(concurrency: Int, concurrencyPerOrigin: Int) {
            let (all, ofOne) = (min(concurrency, Self.most), min(concurrencyPerOrigin, Self.most))
            total = max(8_192, 4 * all)
            perLane = [max(256, 4 * ofOne), ofOne, 1]
        }

        /// A number that exceeds the transfers of any machine and whose multiples do not overflow.
        private static let most = 1 << 32

        init(total: Int, perLane: [Int]) { (self.total, self.perLane) = (total, perLane) }
    }

    /// The state of a line. From `success` on, the line has ended.
    fileprivate enum LineState: UInt8 { case waiting, started, success, failure, cancelled, skipped, unknown }

    fileprivate struct Line: Sendable {
        let lane: UInt32
        let priority: UInt8
        var state = LineState.waiting
        /// Whether a dependency failed, was skipped or is unknown.
        var isDoomed = false
        /// Whether other lines refer to the line's response.
        var isReferenced = false
        /// The dependency that may still run when the line starts: the line uses its responses as elements, and has at
        /// least one response.
        var feeder = LineSchedule.none
        /// The number of dependencies that have not ended.
        var blockers: UInt32
        /// The index in `edges` of the first line that depends on this one.
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
    /// The lanes that have ready lines and are below their limit, by priority.
    private var listed: [Fifo<UInt32>]
    /// The lanes that wait for a higher limit.
    private var lanesAtLowerLimit: [UInt32] = []
    /// The index of the limit per lane that applies.
    private var scarcity = 0
    private var openCount = 0
    /// The position before which no line is waiting.
    private var abandonedEnd = 0
    /// The position before which all lines have ended; a later line may be the first one that has not.
    private var endedEnd = 0

    /// The number of ended lines, by outcome.
    package private(set) var counts: [ResultLine.Outcome: Int] = [:]

    package init(_ limits: Limits) {
        self.limits = limits
        listed = Array(repeating: Fifo(), count: RequestLine.Priority.allCases.count)
    }

    /// The number of lines.
    package var count: Int { lines.count }

    /// The number of ended lines.
    package var endedCount: Int { counts.values.reduce(0, +) }

    /// Whether any line has not been started.
    package var isAnyWaiting: Bool { count > openCount + endedCount }

    /// Returns the lane number of an origin, by its name as written in lines.
    package mutating func lane(named name: String) -> Int {
        let lane = laneNames.insert(name)
        if lane == lanes.count { lanes.append(LineLane()) }
        if name.isEmpty { unnamedLane = lane }
        return lane
    }

    /// Adds a line. Its position is the number of lines before it.
    ///
    /// - Parameters:
    ///   - dependencies: the positions of the lines that it depends on, each once and lower than its own.
    ///   - references: the positions among the dependencies to whose responses it refers.
    package mutating func add(
        lane: Int, priority: RequestLine.Priority, dependencies: [Int] = [], references: [Int] = []
    ) {
        for reference in references { lines[reference].isReferenced = true }
        let position = lines.count
        var line = Line(lane: UInt32(lane), priority: priority.rank, blockers: 0)
        for dependency in dependencies {
            let state = lines[dependency].state
            if state.rawValue < LineState.success.rawValue {
                line.blockers += 1
                edges.append((UInt32(position), lines[dependency].firstEdge))
                lines[dependency].firstEdge = UInt32(edges.count - 1)
            } else if state.outcome?.dooms == true {
                line.isDoomed = true
            }
        }
        lines.append(line)
        if line.blockers == 0 { makeReady(position) }
    }

    /// Removes and returns the line to run next; nil if no line is ready or a limit is reached.
    package mutating func next() -> Int? {
        guard openCount < limits.total else { return nil }
        for priority in listed.indices {
            while let lane = listed[priority].popFirst().map({ Int($0) }) {
                lanes[lane].unlist(priority: priority)
                guard checkLimit(lane), let position = popWaiting(lane, priority) else { continue }
                lines[position].state = .started
                lanes[lane].openCount += 1
                openCount += 1
                while scarcity < 2, openCount >= threshold(scarcity) { scarcity += 1 }
                list(lane)
                return position
            }
        }
        return nil
    }

    /// Records the outcome of a line that was started, or that ended in an earlier run.
    ///
    /// - Returns: whether other lines should be started at once: lines became ready, or few lines of the origin are
    ///   running.
    @discardableResult
    package mutating func end(_ position: Int, _ outcome: ResultLine.Outcome) -> Bool {
        let former = lines[position].state
        precondition(former.rawValue < LineState.success.rawValue, "a line ended twice")
        lines[position].state = LineState(outcome)
        counts[outcome, default: 0] += 1
        if former == .started { leave(Int(lines[position].lane)) }
        var isUrgent = lanes[Int(lines[position].lane)].openCount < 2 * limits.perLane[1]
        let dooms = lines[position].state.outcome?.dooms == true
        var edge = lines[position].firstEdge
        while edge != Self.none {
            let (line, next) = edges[Int(edge)]
            if dooms { lines[Int(line)].isDoomed = true }
            lines[Int(line)].blockers -= 1
            if lines[Int(line)].feeder == UInt32(position) { lines[Int(line)].feeder = Self.none }
            if lines[Int(line)].blockers == (lines[Int(line)].feeder == Self.none ? 0 : 1) {
                makeReady(Int(line))
                isUrgent = true
            }
            edge = next
        }
        return isUrgent
    }

    /// Records that the source of a line has a response with elements for it. The line may start before the source
    /// ends.
    ///
    /// - Returns: whether lines became ready.
    package mutating func feed(_ position: Int, by feeder: Int) -> Bool {
        guard lines[position].state == .waiting, lines[position].feeder == Self.none, lines[position].blockers > 0,
            lines[feeder].state == .started
        else { return false }
        lines[position].feeder = UInt32(feeder)
        guard lines[position].blockers == 1 else { return false }
        makeReady(position)
        return true
    }

    /// Returns the outcome of a line; nil if it has not ended.
    package func outcome(of position: Int) -> ResultLine.Outcome? { lines[position].state.outcome }

    /// Returns whether other lines depend on a line.
    package func isNeeded(_ position: Int) -> Bool { lines[position].firstEdge != Self.none }

    /// Returns whether other lines refer to a line's response.
    package func isReferenced(_ position: Int) -> Bool { lines[position].isReferenced }

    /// Ends the first line that was not started. Its outcome is skipped, if a dependency did not succeed, else
    /// cancelled. Returns nil if every line was started.
    package mutating func abandonNext() -> (position: Int, outcome: ResultLine.Outcome)? {
        while abandonedEnd < lines.count, lines[abandonedEnd].state != .waiting { abandonedEnd += 1 }
        guard abandonedEnd < lines.count else { return nil }
        let outcome: ResultLine.Outcome = lines[abandonedEnd].isDoomed ? .skipped : .cancelled
        end(abandonedEnd, outcome)
        return (abandonedEnd, outcome)
    }
}

// MARK: - Waits

extension LineSchedule {
    /// A line that has not ended, with the lines that wait for it.
    package struct Wait: Sendable, Equatable {
        package let position: Int
        package var count = 0
        /// The positions of some of these lines.
        package var samples: [Int] = []
        /// Whether the line waits for other lines itself.
        package let isBlocked: Bool
    }

    /// Returns the lines for which the most other lines wait. Examines a bounded number of lines, the oldest first.
    package mutating func waits(limit: Int, sampleLimit: Int) -> [Wait] {
        while endedEnd < lines.count, lines[endedEnd].state.outcome != nil { endedEnd += 1 }
        var waits: [Wait] = []
        var edgeCount = 0
        for position in lines[endedEnd...].indices.prefix(Self.examinedLimit) where edgeCount < Self.examinedLimit {
            guard lines[position].state.outcome == nil, lines[position].firstEdge != Self.none else { continue }
            var wait = Wait(position: position, isBlocked: lines[position].blockers > 0)
            var edge = lines[position].firstEdge
            while edge != Self.none, edgeCount < Self.examinedLimit {
                let (dependent, next) = (Int(edges[Int(edge)].line), edges[Int(edge)].next)
                if lines[dependent].state == .waiting {
                    wait.count += 1
                    if wait.samples.count < sampleLimit { wait.samples.append(dependent) }
                }
                (edge, edgeCount) = (next, edgeCount + 1)
            }
            if wait.count > 0 { waits.append(wait) }
        }
        return Array(waits.sorted { ($0.count, $1.position) > ($1.count, $0.position) }.prefix(limit))
    }

    private static let examinedLimit = 50_000
}

// MARK: - Lanes

extension LineSchedule {
    private mutating func makeReady(_ position: Int) {
        guard lines[position].state == .waiting else { return }
        let lane = Int(lines[position].lane)
        lanes[lane].insert(position, priority: Int(lines[position].priority))
        list(lane)
    }

    /// Removes and returns the first ready line of a lane. Lines that have ended meanwhile are dropped.
    private mutating func popWaiting(_ lane: Int, _ priority: Int) -> Int? {
        while let position = lanes[lane].popFirst(priority: priority) {
            if lines[position].state == .waiting { return position }
        }
        return nil
    }

    /// Returns whether a line of the lane may be started. If only the lower limit stops it, the lane is recorded for
    /// later.
    private mutating func checkLimit(_ lane: Int) -> Bool {
        let openCount = lanes[lane].openCount
        if openCount < limit(lane, scarcity) { return true }
        if openCount < limit(lane, 0), !lanes[lane].isAtLowerLimit {
            lanes[lane].isAtLowerLimit = true
            lanesAtLowerLimit.append(UInt32(lane))
        }
        return false
    }

    /// Returns the limit of a lane. Lines of the unnamed lane may have different origins, so its limit is higher.
    private func limit(_ lane: Int, _ scarcity: Int) -> Int {
        lane == unnamedLane ? max(limits.total / 2, limits.perLane[0]) : limits.perLane[scarcity]
    }

    /// Returns the number of running lines at which the next lower limit applies.
    private func threshold(_ scarcity: Int) -> Int { limits.total * (2 + scarcity) / 4 }

    /// Records that a started line of a lane has ended.
    private mutating func leave(_ lane: Int) {
        openCount -= 1
        lanes[lane].openCount -= 1
        list(lane)
        // Hysteresis: the limit rises well below the threshold at which it fell, so that lanes are not relisted again
        // and again.
        guard scarcity > 0, openCount < threshold(scarcity - 1) - limits.total / 16 else { return }
        scarcity -= 1
        let relistedLanes = lanesAtLowerLimit
        lanesAtLowerLimit = []
        for lane in relistedLanes {
            lanes[Int(lane)].isAtLowerLimit = false
            list(Int(lane))
        }
    }

    /// Lists a lane for each priority of which it has ready lines.
    private mutating func list(_ lane: Int) {
        for priority in lanes[lane].list() { listed[priority].append(UInt32(lane)) }
    }
}

extension LineSchedule.LineState {
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
    /// The rank of the priority: 0 for the highest.
    fileprivate var rank: UInt8 {
        UInt8(Self.allCases.count - 1 - (Self.allCases.firstIndex(of: self) ?? 0))
    }
}
