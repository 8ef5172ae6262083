// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Foundation

/// The results of the requests, counted.
final class SoakTally: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        var faults: [String] = []
        /// The current task of each worker, and when it began.
        var busy: [Int: (name: String, since: ContinuousClock.Instant)] = [:]
    }

    private let state = Mutex(State())

    func count(_ name: String) { state.withLock { $0.counts[name, default: 0] += 1 } }

    /// Records a fault and prints it.
    func fault(_ text: String) {
        let number = state.withLock { state in
            state.faults.append(text)
            return state.faults.count
        }
        if number <= 50 { say("WRONG: \(text)") }
    }

    func begin(_ name: String, worker: Int) { state.withLock { $0.busy[worker] = (name, .now) } }

    func end(worker: Int) { state.withLock { $0.busy[worker] = nil } }

    /// The tasks that have been running longer than the limit.
    func hanging(longerThan limit: Duration) -> [String] {
        state.withLock { state in
            let now = ContinuousClock.now
            return state.busy.filter { now - $0.value.since > limit }.map { "worker \($0.key): \($0.value.name)" }
        }
    }

    var faultCount: Int { state.withLock { $0.faults.count } }

    /// The counts on one line.
    var text: String {
        state.withLock { state in
            state.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }
    }
}
