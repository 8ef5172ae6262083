// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// Finds the chain of lines that determined the time of a batch: the line that ended last, the dependency of it that
/// ended last, and so on. A value without a clock.
///
/// It keeps the lines that others depend on, and the last line.
struct CriticalPath: Sendable {
    /// A line of the chain.
    struct Step: Sendable, Equatable {
        let id: String
        /// When its operation was queued and finished: instants of the monotonic clock in nanoseconds.
        let begin, end: UInt64
        /// The names of the waits and phases of the operation, with their seconds; the longest first.
        var shares: [Share] = []

        struct Share: Sendable, Equatable {
            let name: String
            let seconds: Double
        }

        var seconds: Double { Double(end - min(begin, end)) / 1e9 }
    }

    private struct Record {
        var step: Step
        /// The index of the dependency that ended last; nil for a line that waited for none.
        let previous: Int?
    }

    /// The number of shares kept of each line.
    private static let shareCount = 3

    private var open: [Int: (begin: UInt64, previous: Int?)] = [:]
    private var records: [Record] = []
    private var indexes: [ByteString: Int] = [:]
    private var last: Record?
    /// Whether any line depends on another.
    private(set) var hasDependencies = false

    mutating func receive(_ event: RequestEvent, of line: ObservedLine?) {
        guard let number = event.operation, let line else { return }
        switch event.kind {
        case .queued:
            if !line.dependencies.isEmpty { hasDependencies = true }
            let previous = line.dependencies.compactMap { indexes[ByteString($0)] }
                .max { records[$0].step.end < records[$1].step.end }
            open[number] = (event.instant, previous)
        case .finished(let end):
            guard let begun = open.removeValue(forKey: number) else { return }
            let shares = Self.shares(end.summary.timings)
            let step = Step(id: line.id, begin: begun.begin, end: event.instant, shares: shares)
            let record = Record(step: step, previous: begun.previous)
            if last.map({ $0.step.end <= event.instant }) ?? true { last = record }
            guard line.isNeeded else { return }
            indexes[ByteString(line.id)] = records.count
            records.append(record)
        default: break
        }
    }

    /// The chain, first line first; empty if no line has ended.
    var steps: [Step] {
        var (steps, next): ([Step], Record?) = ([], last)
        while let record = next {
            steps.append(record.step)
            next = record.previous.map { records[$0] }
        }
        return steps.reversed()
    }

    private static func shares(_ timings: TransferTimings) -> [Step.Share] {
        let waits = timings.waits.map { Step.Share(name: $0.key.rawValue, seconds: $0.value.inSeconds) }
        // Phases and waits may have similar names: "waiting" is the server's time.
        let phases = timings.phases.map { Step.Share(name: $0.key.rawValue, seconds: $0.value.inSeconds) }
        let all = (waits + phases).filter { $0.seconds > 0 }
        return Array(all.sorted { ($1.seconds, $0.name) < ($0.seconds, $1.name) }.prefix(shareCount))
    }
}
