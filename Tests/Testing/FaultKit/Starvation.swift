// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Dispatch
import Foundation
import Glibc

/// Measures on a separate thread how late this process's threads wake up, and so how much delay the machine causes.
final class Starvation: Sendable {
    private struct Delay {
        let end: ContinuousClock.Instant
        let duration: Duration
    }

    private struct State {
        var delays: [Delay] = []
        var isStopped = false
    }

    private static let pause = Duration.milliseconds(2)
    private let state = Mutex(State())
    private let hasEnded = DispatchSemaphore(value: 0)

    init() {
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isStopped }) {
                let begin = ContinuousClock.now
                usleep(2000)
                let end = ContinuousClock.now
                let late = end - begin - Self.pause
                if late > .milliseconds(3) { record(Delay(end: end, duration: late)) }
            }
            hasEnded.signal()
        }
    }

    /// The longest wake-up delay that overlaps an interval.
    func longestDelay(from begin: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Duration {
        state.withLock { state in
            let delays = state.delays.filter { $0.end >= begin && $0.end - $0.duration <= end }
            return delays.map(\.duration).max() ?? .zero
        }
    }

    /// Ends the thread, and waits until it has ended.
    func stop() {
        state.withLock { $0.isStopped = true }
        hasEnded.wait()
    }

    private func record(_ delay: Delay) {
        state.withLock { state in
            state.delays.append(delay)
            if state.delays.count > 2000 { state.delays.removeFirst(1000) }
        }
    }
}
