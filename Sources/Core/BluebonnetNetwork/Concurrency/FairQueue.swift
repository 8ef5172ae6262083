// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Start-time fair queueing: assigns virtual times, so that a flow of a hundred thousand operations does not delay a
/// flow of one. A pure value, independent of operations and queues.
///
/// The operations of one flow have consecutive virtual times. A flow that was idle starts at the latest served virtual
/// time, so a new operation waits for at most one operation of each other flow. Each priority has its own virtual
/// clock, because a higher priority is always served first.
package struct FairQueue: Sendable {
    /// The virtual clock of one priority.
    fileprivate struct Clock {
        let priority: Int
        var now: UInt64 = 0
        /// The flow that received the last virtual time. Usually the same flow receives the next one.
        var recent: (flow: Int, virtualTime: UInt64)?
        /// The latest virtual time of each other flow. Times before `now` no longer count.
        var latest: [Int: UInt64] = [:]
        var tidyCount = 64
    }

    /// One clock for each priority in use.
    private var clocks: [Clock] = []

    package init() {}

    /// Assigns the next virtual time of a flow.
    package mutating func assignTime(flow: Int, priority: Int) -> UInt64 {
        if let index = index(of: priority) { return clocks[index].assignTime(to: flow) }
        clocks.append(Clock(priority: priority))
        return clocks[clocks.count - 1].assignTime(to: flow)
    }

    /// Advances the clock of a priority to the virtual time of a served operation.
    package mutating func serve(_ virtualTime: UInt64, priority: Int) {
        if let index = index(of: priority) {
            clocks[index].now = max(clocks[index].now, virtualTime)
        } else {
            clocks.append(Clock(priority: priority, now: virtualTime))
        }
    }

    /// Returns the virtual time of a priority, which is the latest served virtual time; 0 initially.
    package func now(priority: Int) -> UInt64 { index(of: priority).map { clocks[$0].now } ?? 0 }

    private func index(of priority: Int) -> Int? { clocks.firstIndex { $0.priority == priority } }
}

extension FairQueue.Clock {
    fileprivate mutating func assignTime(to flow: Int) -> UInt64 {
        if let recent, recent.flow == flow {
            let virtualTime = max(recent.virtualTime + 1, now)
            self.recent = (flow, virtualTime)
            return virtualTime
        }
        if let recent { latest[recent.flow] = recent.virtualTime }
        let virtualTime = latest.removeValue(forKey: flow).map { max($0 + 1, now) } ?? now
        recent = (flow, virtualTime)
        if latest.count > tidyCount { tidy() }
        return virtualTime
    }

    private mutating func tidy() {
        latest = latest.filter { $0.value >= now }
        tidyCount = max(64, 2 * latest.count)
    }
}

extension FairQueue {
    /// The number of flows that are stored.
    var flowCount: Int { clocks.reduce(0) { $0 + $1.latest.count + ($1.recent == nil ? 0 : 1) } }
}
