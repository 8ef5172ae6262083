// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import BluebonnetStreams
internal import Foundation

/// Runs a line whose response is a stream of items. Each item has a result, and then the line has its own. Retained by
/// its request.
final class StreamRun: Sendable {
    private struct State {
        var itemCount = 0
        var failureCount = 0
        /// The error of the first item that failed.
        var firstFailure: ResultLine.Failure?
        /// Why an item could not be read.
        var error: NetworkingError?
        /// Whether the stream was ended after the permitted number of items.
        var isComplete = false
        /// Whether the stream was ended because the run was stopped.
        var isStopped = false
    }

    private let pipelines: PipelineRunner
    private let part: PipelineRunner.Part
    private let form: RequestLine.StreamForm
    private let bodyForm: RequestLineRunner.BodyForm
    private let maximumCount: Int?
    private let onEnd: @Sendable (RequestLineRunner.End) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - bodyForm: the form of the items in their results.
    ///   - maximumCount: the number of items after which the stream is ended; nil means no limit.
    init(
        _ pipelines: PipelineRunner, _ part: PipelineRunner.Part, _ form: RequestLine.StreamForm,
        bodyForm: RequestLineRunner.BodyForm, maximumCount: Int?,
        onEnd: @escaping @Sendable (RequestLineRunner.End) -> Void
    ) {
        (self.pipelines, self.part, self.form) = (pipelines, part, form)
        (self.bodyForm, self.maximumCount, self.onEnd) = (bodyForm, maximumCount, onEnd)
    }

    func begin() {
        pipelines.runner.add(part.instance, needs: part.needs, isReferenced: part.isReferenced) { [self] operation in
            do throws(NetworkingError) {
                try await consume(operation)
            } catch {
                state.withLock { $0.error = error }
            }
        } onEnd: { [self] end in
            finish(end)
        }
    }

    private func consume(_ operation: StreamedOperation) async throws(NetworkingError) {
        let response = try await operation.response()
        switch form {
        case .lines:
            for try await line in response.lineBytes {
                guard await deliver(Data(line), event: nil, in: response, operation) else { return }
            }
        case .events:
            for try await event in response.events {
                guard await deliver(Data(event.data.utf8), event: event, in: response, operation) else { return }
            }
        }
    }

    /// Delivers an item. Returns false if the stream needs no further items.
    private func deliver(
        _ item: Data, event: ServerSentEvent?, in response: StreamResponse, _ operation: StreamedOperation
    ) async -> Bool {
        let number = state.withLock { state in
            state.itemCount += 1
            return state.itemCount
        }
        var result = ResultLine(id: part.instance.part("\(number)").id, outcome: .success)
        result.item = number
        let body = bodyForm.text(of: item)
        if let event {
            result.event = ResultLine.Event(id: event.id, event: event.event, data: body ?? "")
            result.event?.hasData = body != nil
        } else {
            result.body = body
        }
        do throws(NetworkingError) {
            // Values and assertions are of text: bytes that are not UTF-8 are replaced, as in `StreamResponse.lines`.
            let text = Data(String(decoding: item, as: UTF8.self).utf8)
            result.values = try operation.values(ofItem: text, in: response)
        } catch {
            result.outcome = .failure
            result.error = ResultLine.Failure(error)
        }
        let delivered = await deliver(result, number)
        if delivered.outcome == .failure { record(delivered) }
        let isComplete = number == maximumCount
        guard isComplete || pipelines.endsStreams else { return true }
        state.withLock { state in (state.isComplete, state.isStopped) = (isComplete, !isComplete) }
        return false
    }

    /// Returns the delivered result, which is the recorded one if an earlier run has recorded the item.
    private func deliver(_ result: ResultLine, _ number: Int) async -> ResultLine {
        await withCheckedContinuation { waiter in
            let item = part.part("\(number)") { _ in }
            pipelines.deliverItem(RequestLineRunner.End(result: result, source: nil), item) {
                waiter.resume(returning: $0)
            }
        }
    }

    private func record(_ result: ResultLine) {
        state.withLock { state in
            state.failureCount += 1
            guard state.firstFailure == nil else { return }
            let message = "\(result.id): \(result.error?.message ?? "")"
            state.firstFailure = ResultLine.Failure(code: result.error?.code ?? .streamFailed, message: message)
        }
    }

    private func finish(_ end: RequestLineRunner.End) {
        var result = end.result
        let state = state.withLock { $0 }
        result.items = state.itemCount
        if result.outcome != .success, !state.isComplete {
            // An earlier run may have read more of the stream.
            let count = pipelines.restoreItems(
                of: part.instance.id, from: state.itemCount + 1, count: maximumCount)
            result.items = state.itemCount + count
        }
        if let (outcome, failure) = Self.outcome(of: result, state) {
            (result.outcome, result.error) = (outcome, failure)
        }
        onEnd(RequestLineRunner.End(result: result, source: end.source, findings: end.findings))
    }

    /// The outcome of the line, if it is not the operation's.
    private static func outcome(
        of result: ResultLine, _ state: State
    ) -> (ResultLine.Outcome, ResultLine.Failure?)? {
        if let first = state.firstFailure {
            let message = "\(state.failureCount) of \(state.itemCount) items failed, at first \(first.message)"
            return (.failure, ResultLine.Failure(code: first.code, message: message))
        }
        if state.isComplete { return (.success, nil) }
        // The whole response has arrived, but the rest of the items was not read.
        if state.isStopped, result.outcome == .success { return (.cancelled, PipelineRunner.stopped) }
        if let error = state.error, error.code == .cannotParseResponse {
            return (.failure, ResultLine.Failure(code: .streamFailed, message: error.message))
        }
        guard state.itemCount > 0, result.outcome == .failure, let failure = result.error else { return nil }
        let message = "the stream was cut after \(state.itemCount) items: \(failure.message)"
        let cause = failure.underlying.map { "\(failure.code.rawValue): \($0)" } ?? failure.code.rawValue
        return (.failure, ResultLine.Failure(code: .streamFailed, message: message, underlying: cause))
    }
}
