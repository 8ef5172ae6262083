// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetFleet
import BluebonnetLocks
import Foundation
import Glibc

/// The state of a run for a status page, in the form of a fleet with one batch and one worker.
final class RunStatus: StatusSource {
    /// The maximum number of origins that are counted.
    private static let originLimit = 64
    private static let shownOriginCount = 16
    /// The maximum number of lines shown for which others wait.
    static let waitLimit = 12

    private struct State {
        var failures = FailureGroups()
        var examinedCount = 0
        var endedCounts: [String: Int] = [:]
        var rate = RateEstimate(memory: 10)
        var progress: (@Sendable () -> RunProgress)?
    }

    /// The state of the run at one moment.
    struct RunProgress: Sendable {
        var snapshot: RequestLineRunner.Snapshot
        var isTotalKnown: Bool
        var tally: RunTally
        var waits: [LineWait]
    }

    private let name: String
    private let concurrency: Int
    /// The limits of origins, as text.
    private let limits: String
    private let state = Mutex(State())
    private let (start, startDate) = (ContinuousClock.now, Date())

    /// - Parameters:
    ///   - name: the name of the request lines.
    ///   - limits: the limits of origins, as text.
    init(name: String, concurrency: Int, limits: String) {
        (self.name, self.concurrency, self.limits) = (name, concurrency, limits)
    }

    /// Sets the source of the run's numbers.
    func begin(_ progress: @escaping @Sendable () -> RunProgress) { state.withLock { $0.progress = progress } }

    /// Records the result of a line.
    func receive(_ delivery: LineRunner.Delivery) {
        let result = delivery.result
        let origin = result?.url.map { RequestLine.lane(of: $0) } ?? ""
        state.withLock { state in
            state.examinedCount += 1
            if !origin.isEmpty, state.endedCounts[origin] != nil || state.endedCounts.count < Self.originLimit {
                state.endedCounts[origin, default: 0] += 1
            }
            guard let result, result.outcome == .failure || result.outcome == .unknown else { return }
            state.failures.add(
                .shown(code: result.error?.code.rawValue, status: result.status),
                samples: [FailureGroup.Sample(id: result.id, message: result.error?.message ?? "")])
        }
    }

    func read(details names: [String]) async -> StatusDocument {
        let elapsed = (.now - start) / .seconds(1)
        guard let progress = state.withLock({ $0.progress }) else { return StatusDocument(kind: "run") }
        let run = progress()
        let counts = run.tally.operationCounts
        let endedCount = counts.values.reduce(0, +)
        let (failures, examinedCount, origins, rate) = state.withLock { state in
            state.rate.record(Double(endedCount), at: elapsed)
            return (state.failures, state.examinedCount, state.endedCounts, state.rate.perSecond)
        }
        var document = StatusDocument(kind: "run")
        // Lines that have ended without a request are counted when their results are delivered.
        let isComplete = run.isTotalKnown && endedCount == run.snapshot.totalCount
        let runningCount = min(concurrency, max(0, run.snapshot.totalCount - run.snapshot.finishedCount))
        document.batches = [
            StatusDocument.ShownBatch(
                name: name, state: isComplete ? "complete" : "open", lineCount: run.snapshot.totalCount,
                isGrowing: !run.isTotalKnown, counts: counts, claimedCount: 0,
                byteCount: Int(run.tally.byteCount), created: startDate, rate: rate)
        ]
        document.batchCount = 1
        document.workers = [
            StatusDocument.Worker(
                name: "bluebonnet run, process \(getpid())", version: nil, slotCount: concurrency,
                claimedCount: runningCount, endedCount: endedCount, secondsSilent: 0, started: startDate)
        ]
        var details = StatusDocument.Details(name: name)
        (details.failures, details.examinedCount, details.waits) = (failures.groups, examinedCount, run.waits)
        details.origins = self.origins(origins, run.snapshot.heldOrigins)
        document.details = [details]
        return document
    }

    /// The origins: paused ones first, then those with the most ended lines.
    private func origins(
        _ counts: [String: Int], _ pauses: [RequestLineRunner.Snapshot.HeldOrigin]
    ) -> [StatusDocument.Origin] {
        let paused = Set(pauses.map(\.origin))
        let others = counts.filter { !paused.contains($0.key) }.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        let first = pauses.map { origin in
            StatusDocument.Origin(
                name: origin.origin, endedCount: counts[origin.origin] ?? 0, secondsHeld: origin.secondsLeft,
                limits: limits)
        }
        let rest = others.map { StatusDocument.Origin(name: $0.key, endedCount: $0.value, limits: limits) }
        return Array((first + rest).prefix(Self.shownOriginCount))
    }
}
