// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import Foundation

/// Sends the request of a polling line until its condition is met. Retained by its requests and its timer. Between two
/// requests it has no operation, and so no slot.
final class PollRun: Sendable {
    private struct State {
        var requestCount = 0
        var attemptCount = 0
        /// The result of the latest request, while the run waits; nil while a request runs.
        var latest: RequestLineRunner.End?
    }

    private let pipelines: PipelineRunner
    private let part: PipelineRunner.Part
    private let condition: RequestLine.Condition
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    private let onEnd: @Sendable (RequestLineRunner.End) -> Void

    init(
        _ pipelines: PipelineRunner, _ part: PipelineRunner.Part, _ condition: RequestLine.Condition,
        onEnd: @escaping @Sendable (RequestLineRunner.End) -> Void
    ) {
        (self.pipelines, self.part, self.condition, self.onEnd) = (pipelines, part, condition, onEnd)
    }

    func begin() { send() }

    private func send() {
        pipelines.runner.add(part.instance, needs: part.needs, isReferenced: part.isReferenced) { [self] in ended($0) }
    }

    private func ended(_ end: RequestLineRunner.End) {
        let requestCount = state.withLock { state in
            state.requestCount += 1
            state.attemptCount += end.result.attempts
            return state.requestCount
        }
        guard end.result.outcome == .success, let reason = end.findings?.unmetCondition else { return finish(end) }
        let elapsed = (.now - start) / .seconds(1)
        let isLast = condition.max.map { requestCount >= $0 } ?? false
        if isLast || condition.timeout.map({ elapsed + condition.every > $0 }) ?? false {
            let limit = isLast ? "\(requestCount) requests" : "\(condition.timeout.map { "\($0)" } ?? "") seconds"
            return fail(end, "the condition was not met within \(limit): \(reason)")
        }
        state.withLock { $0.latest = end }
        pipelines.wait(condition.every) { [self] isStopped in
            guard let end = state.withLock({ $0.latest.take() }) else { return }
            if isStopped { stop(end) } else { send() }
        }
    }

    private func fail(_ end: RequestLineRunner.End, _ message: String) {
        var result = end.result
        result.outcome = .failure
        result.error = ResultLine.Failure(code: .conditionNotMet, message: message)
        finish(RequestLineRunner.End(result: result, source: nil))
    }

    private func stop(_ end: RequestLineRunner.End) {
        var result = end.result
        (result.outcome, result.error) = (.cancelled, PipelineRunner.stopped)
        finish(RequestLineRunner.End(result: result, source: nil))
    }

    private func finish(_ end: RequestLineRunner.End) {
        var result = end.result
        result.attempts = state.withLock { $0.attemptCount }
        onEnd(RequestLineRunner.End(result: result, source: end.source, findings: end.findings))
    }
}
