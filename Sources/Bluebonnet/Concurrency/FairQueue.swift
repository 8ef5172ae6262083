// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Gives out turns so that one who brings a hundred thousand things does not hold up another who brings one: a pure
/// value that knows neither what waits nor who brings it.
///
/// The things of one share have turns one after the other. A share that had nothing waiting joins in at the turn that
/// was served last; so what comes later waits for at most one thing of each other share. Each priority has turns of its
/// own, because a higher one is served first whatever the turns are.
struct FairQueue: Sendable {
    fileprivate struct Clock {
        let priority: Int
        var now: UInt64 = 0
        /// The share that took a turn last, and its turn: most often it takes the next one too.
        var recent: (flow: Int, virtualTime: UInt64)?
        /// The latest turn of each other share; one that has passed counts no more.
        var latest: [Int: UInt64] = [:]
        var tidyCount = 64
    }

    /// As few as there are priorities.
    private var clocks: [Clock] = []

    /// The next turn of a share.
    mutating func take(flow: Int, priority: Int) -> UInt64 {
        if let index = index(of: priority) { return clocks[index].take(flow) }
        clocks.append(Clock(priority: priority))
        return clocks[clocks.count - 1].take(flow)
    }

    /// Notes whose turn it was.
    mutating func serve(_ virtualTime: UInt64, priority: Int) {
        guard let index = index(of: priority), clocks[index].now < virtualTime else { return }
        clocks[index].now = virtualTime
    }

    private func index(of priority: Int) -> Int? { clocks.firstIndex { $0.priority == priority } }
}

extension FairQueue.Clock {
    fileprivate mutating func take(_ flow: Int) -> UInt64 {
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
    /// How many shares are remembered.
    var flowCount: Int { clocks.reduce(0) { $0 + $1.latest.count + ($1.recent == nil ? 0 : 1) } }
}
