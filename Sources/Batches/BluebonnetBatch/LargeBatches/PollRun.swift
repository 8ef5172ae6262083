// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import Foundation

/// Sends the request of a polling line until its condition is met. Retained by its requests and its timer. Between two
/// requests it has no operation, and so no slot.
final class PollRun: Sendable {
    private struct State {
        var course = PollCourse()
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
        var part = part
        if part.instance.line.idempotencyKey == .automatic {  // one key for all requests of the line
            part.instance = part.instance.with(idempotencyKey: .random)
        }
        (self.pipelines, self.part, self.condition, self.onEnd) = (pipelines, part, condition, onEnd)
    }

    func begin() { send() }

    private func send() {
        pipelines.runner.add(part.instance, needs: part.needs, isReferenced: part.isReferenced) { [self] in ended($0) }
    }

    private func ended(_ end: RequestLineRunner.End) {
        let reason = end.result.outcome == .success ? end.findings?.unmetCondition : nil
        let step = state.withLock { state in
            state.course.record(attempts: end.result.attempts)
            return state.course.step(condition, unmet: reason, elapsed: (.now - start) / .seconds(1))
        }
        switch step {
        case .end: return finish(end)
        case .fail(let failure): return fail(end, failure)
        case .again: break
        }
        state.withLock { $0.latest = end }
        pipelines.wait(condition.every) { [self] isStopped in
            guard let end = state.withLock({ $0.latest.take() }) else { return }
            if isStopped { stop(end) } else { send() }
        }
    }

    private func fail(_ end: RequestLineRunner.End, _ failure: ResultLine.Failure) {
        var result = end.result
        (result.outcome, result.error) = (.failure, failure)
        finish(RequestLineRunner.End(result: result, source: nil))
    }

    private func stop(_ end: RequestLineRunner.End) {
        var result = end.result
        (result.outcome, result.error) = (.cancelled, PipelineRunner.stopped)
        finish(RequestLineRunner.End(result: result, source: nil))
    }

    private func finish(_ end: RequestLineRunner.End) {
        var result = end.result
        state.withLock { $0.course }.complete(&result)
        onEnd(RequestLineRunner.End(result: result, source: end.source, findings: end.findings))
    }
}
