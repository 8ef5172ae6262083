// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// Runs the lines of a batch of any length: a line becomes an operation only when the schedule's limits allow it. Each
/// line has exactly one result. All members can be used from any thread.
package final class WindowedRun: Sendable {
    private let settings: RequestLineRunner.Settings
    private let runner: RequestLineRunner
    private let pump: LinePump
    private let pipelines: PipelineRunner
    private let onResult: @Sendable (ResultLine) -> Void

    /// Makes a run.
    ///
    /// - Parameters:
    ///   - schedule: the schedule of all lines; nil if lines are added later.
    ///   - onResult: called once for each line, on several threads.
    package init(
        settings: RequestLineRunner.Settings, lines: any LineSource, schedule: LineSchedule?,
        onResult: @escaping @Sendable (ResultLine) -> Void
    ) {
        (self.settings, self.onResult) = (settings, onResult)
        runner = RequestLineRunner(settings: settings) { _ in }
        let pump = LinePump(lines, schedule: schedule, limits: settings.scheduleLimits)
        self.pump = pump
        pipelines = PipelineRunner(
            runner, pump: pump, settings: settings, recorder: UnrecordedParts(onResult: onResult))
    }

    /// Begins to run lines. Call this once.
    package func begin() {
        pump.begin { [self] line in
            pipelines.start(line) { [self] end in ended(line.position, end) }
        } abandon: { [self] position, result in
            pipelines.abandon(position, result)
            onResult(result)
        }
    }

    /// Adds a line to a stream.
    package func add(_ line: StreamedLines.Added) { pump.add(line) }

    /// Cancels all unfinished lines. Each line still gets its result.
    package func cancel() {
        pump.stop()
        pipelines.stop()
        runner.cancel()
    }

    /// Starts no further lines, waits for running operations for at most `Settings.drainTimeout`, then cancels the
    /// rest.
    package func drain() async {
        pump.close()
        pipelines.close()
        await runner.drain()
        pump.stop()
    }

    /// Suspends the calling task until the results of all lines have been delivered. Call this once, after the last
    /// line.
    ///
    /// - Throws: the error of a line that could not be read again. The remaining lines were cancelled.
    package func finish() async throws(LineSourceError) {
        pump.complete()
        var failure: LineSourceError?
        do throws(LineSourceError) {
            try await pump.finish()
        } catch {
            failure = error
        }
        await pipelines.waitUntilFinished()
        await runner.waitUntilFinished()
        await runner.finishValidations()
        if let failure { throw failure }
    }

    /// Returns the state of the run; see `RequestLineRunner.snapshot(largest:)`.
    package func snapshot(largest count: Int) -> RequestLineRunner.Snapshot {
        runner.snapshot(largest: count).of(pump, pipelines)
    }

    /// Returns the lines for which the most other lines wait.
    package func waits(limit: Int, sampleLimit: Int) -> [LineWait] {
        pump.waits(limit: limit, sampleLimit: sampleLimit)
    }

    /// Returns whether other lines depend on the line with an id, or may depend on it.
    package func isNeeded(_ id: String) -> Bool { pump.isNeeded(id) }

    private func ended(_ position: Int, _ end: RequestLineRunner.End) {
        onResult(end.result)
        let isFirstFailure = end.result.outcome == .failure && settings.cancelsAtFirstFailure
        pump.end(position, end.result.outcome, end.source, reason: end.result.skipReason, isLast: isFirstFailure)
        if isFirstFailure { cancel() }
    }
}

extension RequestLineRunner.Settings {
    /// The schedule's limits, which bound the number of lines that are operations at once.
    package var scheduleLimits: LineSchedule.Limits {
        LineSchedule.Limits(concurrency: concurrency, concurrencyPerOrigin: concurrencyPerOrigin)
    }
}

extension RequestLineRunner.Snapshot {
    /// Returns the state of a run whose lines a pump starts.
    ///
    /// - Parameter restoredByteCount: the bytes received for lines that ended in an earlier run.
    package func of(
        _ pump: LinePump, _ pipelines: PipelineRunner? = nil, restoredByteCount: Int64 = 0
    ) -> Self {
        var snapshot = self
        (snapshot.totalCount, snapshot.counts) = pump.progress
        for (outcome, count) in pipelines?.partCounts ?? [:] {
            snapshot.counts[outcome, default: 0] += count
            snapshot.totalCount += count
        }
        snapshot.receivedByteCount += restoredByteCount
        return snapshot
    }
}
