// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetJournal
internal import Foundation

/// The result of a line's operation.
struct LineReport: Sendable {
    let outcome: ResultLine.Outcome
    let byteCount: Int
    /// The result line without its line break.
    let line: Data
    /// The body, if other lines refer to it and `line` does not contain it as text.
    let body: Data?
    /// How many times the request was sent.
    let attemptCount: Int
}

extension LineEnding {
    /// Creates the record of an operation that has ended.
    init(_ line: ClaimedLine, _ report: LineReport) {
        self.init(
            claim: line.claim, batch: line.batch, position: line.position, outcome: report.outcome,
            byteCount: report.byteCount, line: report.line, body: report.body)
    }

    /// Creates the record of an unsafe request that may have been sent, and that the worker cancelled because the
    /// worker ends.
    init(cancelledInDoubt line: ClaimedLine) {
        var result = ResultLine(id: line.id, outcome: .unknown)
        result.error = .cancelledInDoubt
        self.init(
            claim: line.claim, batch: line.batch, position: line.position, outcome: .unknown, byteCount: 0,
            line: result.encodedLine().dropLast(), body: nil)
    }
}

/// Runs the lines of one batch. May be used from any thread.
final class BatchExecutor: Sendable {
    /// A line keeps its slot if it waits at most this long for its next attempt.
    private static let shortWait = Duration.milliseconds(100)

    private let executor: LineExecutor
    private let batch: OpenBatch
    private let keys: JournalBatch
    /// Whether lines without their own retry rule are retried.
    private let triesAgain: Bool
    /// The worker's name.
    private let worker: String

    init(_ batch: OpenBatch, settings: RequestLineRunner.Settings, worker: String) {
        (self.batch, self.worker) = (batch, worker)
        triesAgain = settings.transferOptions.retryPolicy != nil
        executor = LineExecutor(settings: settings)
        keys = JournalBatch(digest: "", lineCount: nil, keySeed: batch.keySeed, created: Date(timeIntervalSince1970: 0))
    }

    /// Starts a line.
    ///
    /// - Parameters:
    ///   - sources: the responses of the lines that the line needs, by id.
    ///   - onWait: called on any thread when the operation waits for its next attempt, with the length of the delay.
    ///     Delays up to 100 ms are not reported.
    ///   - onEnd: called once, on the executor's queue; on the calling thread if the line cannot be read.
    /// - Returns: the operation; nil if the line cannot be read, after `onEnd` was called.
    func start(
        _ claimed: ClaimedLine, sources: [ByteString: ReferenceSource], onWait: @escaping @Sendable (Duration) -> Void,
        onEnd: @escaping @Sendable (LineReport) -> Void
    ) -> HTTPRequestOperation? {
        let number = claimed.position + 1
        var numbered: NumberedLine
        do throws(RequestLineError) {
            guard let parsed = try RequestLineParser().parse(line: claimed.text, number: number) else {
                throw RequestLineError(line: number, message: "the line is empty")
            }
            numbered = parsed
        } catch {
            onEnd(unreadable(claimed, error))
            return nil
        }
        if numbered.line.idempotencyKey == .automatic {
            numbered.line.idempotencyKey = .value(keys.key(at: claimed.position))
        }
        let line = numbered.line
        let started = executor.started(line, name: "\(batch.name)/\(claimed.id)", dependencies: [])
        let instance = LineInstance(numbered)
        let findings = LineFindings(of: instance.node)
        let operation = executor.operation(
            for: instance, findings: findings, started, mayWait: !sources.isEmpty
        ) { sources }
        if triesAgain || line.retry != nil {
            operation.onRetry = { _, proposal in
                if let wait = proposal.wait, wait > Self.shortWait { onWait(wait) }
                return .performDefault
            }
        }
        let (hasOutput, id, isRead) = (line.output != nil, claimed.id, claimed.isRead)
        let hidden = executor.hiddenVariables(of: line)
        operation.addCompletionHandler { [executor, batch, worker] _ in
            let outcome: ResultLine.Outcome =
                switch operation.error?.code {
                case nil: .success
                case .cancelled?: .cancelled
                case .some: .failure
                }
            var result = executor.result(id, outcome, operation, hasOutput: hasOutput, hidden, findings?.facts)
            if hasOutput, result.attempts > 0 { result.worker = worker }
            let hasText = batch.settings.bodyForm == .text && result.body != nil
            onEnd(
                LineReport(
                    outcome: outcome, byteCount: result.bytes ?? 0, line: result.encodedLine().dropLast(),
                    body: isRead && !hasText && outcome == .success ? operation.responseData : nil,
                    attemptCount: result.attempts))
        }
        executor.start(operation)
        return operation
    }

    private func unreadable(_ claimed: ClaimedLine, _ error: RequestLineError) -> LineReport {
        var result = ResultLine(id: claimed.id, outcome: .failure)
        result.error = ResultLine.Failure(
            code: .invalidRequest,
            message: "this worker cannot read the line, perhaps submitted by a newer "
                + "version: \(error.description)")
        return LineReport(
            outcome: .failure, byteCount: 0, line: result.encodedLine().dropLast(), body: nil, attemptCount: 0)
    }
}

extension ReferenceSource {
    /// Creates the source of references from a line's stored response; nil if the result cannot be read.
    init?(_ row: WorkerStore.SourceRow) {
        guard let result = try? JSONDecoder().decode(ResultLine.self, from: row.line) else { return nil }
        self.init(
            status: result.status, headers: result.headers ?? [:], body: row.body ?? result.body.map { Data($0.utf8) },
            values: result.values)
    }
}

extension FleetSettings {
    /// Returns the settings with which a worker runs the lines of the batch.
    func runnerSettings(_ own: FleetWorker.Configuration) -> RequestLineRunner.Settings {
        var settings = RequestLineRunner.Settings()
        (settings.baseURL, settings.headers, settings.bodyForm) = (baseURL, headers, bodyForm)
        settings.transferOptions = own.transferOptions
        settings.onLineStart = own.onLineStart
        settings.transferOptions.timeouts = timeouts
        settings.transferOptions.retryPolicy = retryPolicy
        settings.transferOptions.securityPolicy = securityPolicy
        settings.transferOptions.maximumBodyByteCount = maximumBodyByteCount
        settings.transferOptions.keepsDotSegments = keepsDotSegments
        settings.concurrency = own.concurrency
        settings.concurrencyPerOrigin = own.concurrency  // the worker enforces its limit itself
        return settings
    }
}
