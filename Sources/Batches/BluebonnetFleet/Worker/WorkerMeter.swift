// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
package import BluebonnetBatch
internal import BluebonnetLocks
internal import Foundation

/// Figures about a worker, for a monitoring system. The worker's thread updates them; any thread may read them.
package final class WorkerMeter: Sendable {
    private let state = Mutex(WorkerFigures())

    package init() {}

    /// The figures of this moment.
    package var figures: WorkerFigures { state.withLock { $0 } }

    /// Records a statement that the store has answered.
    func recordStatement(_ duration: Duration) {
        state.withLock { figures in
            figures.statements.record(duration / .seconds(1))
            figures.lastAnswer = .now
        }
    }

    /// Records that the store has settled outcomes.
    ///
    /// - Parameter recordedCount: how many of them the store has from this worker. Other workers had got the other
    ///   lines.
    func recordEndings(_ endings: some Sequence<LineEnding>, recordedCount: Int) {
        state.withLock { figures in
            var count = 0
            for ending in endings where ending.step == .result {
                figures.endedCounts[ending.outcome, default: 0] += 1
                count += 1
            }
            figures.refusedCount += max(0, count - recordedCount)
        }
    }

    /// Records the state after a turn of the worker's loop.
    func update(_ hand: WorkerHand, _ rules: OriginRules, claimedCount: Int, isDraining: Bool) {
        let now = ContinuousClock.now
        let isDue = state.withLock { figures in
            (figures.inFlightCount, figures.lineCount) = (hand.runningCount, hand.openCount + hand.endedCount)
            (figures.unrecordedCount, figures.claimCount) = (hand.endedCount, hand.claimNumbers.count)
            (figures.claimedCount, figures.isDraining) = (claimedCount, isDraining)
            return figures.originsRead.map { now - $0 >= .milliseconds(500) } ?? true
        }
        guard isDue else { return }
        let origins = rules.figures
        state.withLock { ($0.origins, $0.originsRead) = (origins, now) }
    }
}

/// A snapshot of a worker.
package struct WorkerFigures: Sendable {
    /// An origin with limits or a pause.
    package struct LimitedOrigin: Sendable, Equatable {
        package let origin: String
        /// When the pause ends; nil without a pause.
        package var pauseEnd: ContinuousClock.Instant?
        /// The worker's share of the rate, in requests per second; nil without a limit.
        package var rate: Double?
        /// The worker's share of the concurrent transfers; nil without a limit.
        package var transferCount: Int?

        package init(origin: String, pauseEnd: ContinuousClock.Instant?, rate: Double?, transferCount: Int?) {
            (self.origin, self.pauseEnd, self.rate, self.transferCount) = (origin, pauseEnd, rate, transferCount)
        }
    }

    /// The numbers of lines that have ended here, by outcome.
    package var endedCounts: [ResultLine.Outcome: Int] = [:]
    /// The number of lines that have ended here, and whose outcomes the store refused, because other workers have got
    /// the lines.
    package fileprivate(set) var refusedCount = 0
    /// The number of lines that the worker has claimed since it began.
    package fileprivate(set) var claimedCount = 0
    /// The number of claims, and of lines in them.
    package fileprivate(set) var claimCount = 0
    package fileprivate(set) var lineCount = 0
    /// The number of running lines.
    package fileprivate(set) var inFlightCount = 0
    /// The number of outcomes that are not recorded yet.
    package fileprivate(set) var unrecordedCount = 0
    /// Whether the worker has stopped starting lines.
    package fileprivate(set) var isDraining = false
    /// The durations of statements.
    package fileprivate(set) var statements = StatementTimes()
    /// When the store has answered last; nil if it has never answered.
    package fileprivate(set) var lastAnswer: ContinuousClock.Instant?
    /// At most `WorkerFigures.originLimit` origins, paused ones first.
    package var origins: [LimitedOrigin] = []
    fileprivate var originsRead: ContinuousClock.Instant?

    package init(lastAnswer: ContinuousClock.Instant? = nil, isDraining: Bool = false) {
        (self.lastAnswer, self.isDraining) = (lastAnswer, isDraining)
    }

    /// The maximum number of origins in the figures: labels take memory in monitoring systems.
    package static let originLimit = 64
}

/// The distribution of the durations of statements.
package struct StatementTimes: Sendable, Equatable {
    /// The upper bounds of the buckets, in seconds.
    package static let bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// The number of statements in each bucket.
    package private(set) var counts = bounds.map { _ in 0 }
    package private(set) var count = 0
    /// The sum of all durations, in seconds.
    package private(set) var sum = 0.0

    package init() {}

    mutating func record(_ seconds: Double) {
        if let index = Self.bounds.firstIndex(where: { seconds <= $0 }) { counts[index] += 1 }
        count += 1
        sum += seconds
    }
}

extension OriginRules {
    /// The origins with limits or pauses, paused origins first.
    var figures: [WorkerFigures.LimitedOrigin] {
        let (rates, transfers, pauses) = (limits.rates(share), limits.transfers(share), pauseEnds)
        let paused = pauses.keys.sorted()
        let limited = Set(rates.keys).union(transfers.keys).subtracting(pauses.keys).sorted()
        return (paused + limited).prefix(WorkerFigures.originLimit).map { origin in
            WorkerFigures.LimitedOrigin(
                origin: origin, pauseEnd: pauses[origin],
                rate: rates[origin].map { Double($0.count) / ($0.period / .seconds(1)) },
                transferCount: transfers[origin])
        }
    }
}
