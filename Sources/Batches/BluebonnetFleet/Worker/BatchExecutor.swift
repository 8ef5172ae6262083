// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetJournal
internal import BluebonnetPipelines
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
    var step = LineStep.result
    var yield: LineYield?

    /// The report of a line that pages or elements replace.
    static let expanded: LineReport = {
        var report = LineReport(outcome: .success, byteCount: 0, line: Data(), body: nil, attemptCount: 0)
        report.step = .expand
        return report
    }()
}

extension LineEnding {
    /// Creates the record of an operation that has ended.
    init(_ line: ClaimedLine, _ report: LineReport) {
        self.init(
            claim: line.claim, batch: line.batch, position: line.position, outcome: report.outcome,
            byteCount: report.byteCount, line: report.line, body: report.body, step: report.step, yield: report.yield)
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
        let number = claimed.linePosition + 1
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
        guard !claimed.isExpanded(numbered.line) else {
            onEnd(.expanded)
            return nil
        }
        if numbered.line.idempotencyKey == .automatic { numbered.line.idempotencyKey = .value(key(of: claimed)) }
        let line = numbered.line
        let started = executor.started(line, name: "\(batch.name)/\(claimed.id)", dependencies: [])
        let instance = claimed.instance(numbered)
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
        let hasOutput = line.output != nil
        let hidden = executor.hiddenVariables(of: line)
        let poll = claimed.poll ?? StoredPoll()
        operation.addCompletionHandler { [executor, batch, worker] _ in
            let outcome: ResultLine.Outcome =
                switch operation.error?.code {
                case nil: .success
                case .cancelled?: .cancelled
                case .some: .failure
                }
            let facts = findings?.facts
            var result = executor.result(claimed.id, outcome, operation, hasOutput: hasOutput, hidden, facts)
            if hasOutput, result.attempts > 0 { result.worker = worker }
            result.page = claimed.part?.page
            let attemptCount = result.attempts
            let step = line.pipeline?.until.map { $0.step(poll, &result, facts?.unmetCondition) } ?? .result
            let hasText = batch.settings.bodyForm == .text && result.body != nil
            let isSuccess = result.outcome == .success && step == .result
            var report = LineReport(
                outcome: result.outcome, byteCount: result.bytes ?? 0, line: result.encodedLine().dropLast(),
                body: claimed.isRead && !hasText && isSuccess ? operation.responseData : nil,
                attemptCount: attemptCount)
            report.step = step
            if isSuccess { report.yield = claimed.yield(operation, facts?.page) }
            onEnd(report)
        }
        executor.start(operation)
        return operation
    }

    /// The automatic idempotency key of a line, a page or an element.
    private func key(of line: ClaimedLine) -> String {
        line.part.map { keys.key(ofPart: line.id, of: $0.line) } ?? keys.key(at: line.position)
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

extension RequestLine.Condition {
    /// Decides what follows a request of a polling line, and completes its result.
    fileprivate func step(_ poll: StoredPoll, _ result: inout ResultLine, _ reason: String?) -> LineStep {
        var course = poll.course
        course.record(attempts: result.attempts)
        course.complete(&result)
        let elapsed = (.now - poll.start) / .seconds(1)
        switch course.step(self, unmet: result.outcome == .success ? reason : nil, elapsed: elapsed) {
        case .end: return .result
        case .again: return .polled(course, every: every, elapsed: elapsed)
        case .fail(let failure):
            (result.outcome, result.error) = (.failure, failure)
            return .result
        }
    }
}

extension ClaimedLine {
    /// Returns the facts for the next page, and the response for lines that use its elements; nil if neither is needed.
    fileprivate func yield(_ operation: HTTPRequestOperation, _ page: PageCandidate?) -> LineYield? {
        guard hasReaders || page != nil else { return nil }
        var yield = LineYield(page: page)
        if hasReaders {
            let head = operation.responseHead
            yield.source = ReferenceSource(
                status: head?.statusCode, headers: head?.headers ?? [:], body: operation.responseData)
        }
        return yield
    }
}

extension ReferenceSource {
    /// Creates the source of references from a line's stored response; nil if the result cannot be read.
    init?(_ row: WorkerStore.SourceRow) {
        guard let result = try? JSONDecoder().decode(ResultLine.self, from: row.line) else { return nil }
        self.init(
            status: result.status, headers: result.headers ?? [:], body: row.body ?? result.body.map { Data($0.utf8) },
            values: result.values)
        if let pages = result.pages { pageCounts = PageCounts(pages: pages, items: result.items ?? 0) }
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
