// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

/// Makes and runs the operations for the elements of one line. Its own thread reads the elements; a window limits the
/// number of operations that have not ended.
final class EachRun: Sendable {
    private struct State {
        var keys = TextTable()
        var elementCount = 0
        var count = 0
        var duplicates = 0
        var ended: [ResultLine.Outcome: Int] = [:]
        /// The error of the first element that failed.
        var firstFailure: ResultLine.Failure?
        var hasReadAll = false
        var hasEnded = false
        var failure: ResultLine.Failure?
        var isStopped = false

        var endedCount: Int { ended.values.reduce(0, +) }
    }

    private enum Step {
        case start(String)
        case fail(String, String)
        case skip, stop
    }

    /// The number of operations that have not ended.
    static let windowCount = 1_024

    private let pipelines: PipelineRunner
    private let part: PipelineRunner.Part
    private let rule: RequestLine.FanOut
    private let feed: ElementFeed
    private let window = DispatchSemaphore(value: EachRun.windowCount)
    private let state = Mutex(State())

    init(
        _ pipelines: PipelineRunner, _ part: PipelineRunner.Part, _ rule: RequestLine.FanOut, _ feed: ElementFeed
    ) {
        (self.pipelines, self.part, self.rule, self.feed) = (pipelines, part, rule, feed)
    }

    func begin() {
        feed.open()
        Thread.detachNewThread { [self] in
            readAll()
            finishIfDone { $0.hasReadAll = true }
        }
    }

    private func readAll() {
        do throws(ElementReader.Failure) {
            if case .file(let path) = rule.source { return try ElementReader.read(file: path, start) }
            while let response = feed.next() {
                try ElementReader.read(response, at: rule.items ?? response.items, start)
                if state.withLock({ $0.isStopped || $0.failure != nil }) { break }
            }
        } catch {
            state.withLock { state in
                state.failure = state.failure ?? ResultLine.Failure(code: error.code, message: error.message)
            }
        }
        feed.abandon()
    }

    /// Starts the operation of an element. Returns false if the line uses no further elements.
    private func start(_ value: JSONValue) -> Bool {
        switch state.withLock({ step(value, &$0) }) {
        case .stop: return false
        case .skip: return true
        case .fail(let name, let message):
            var result = ResultLine(id: part.instance.part(name).id, outcome: .failure)
            result.error = ResultLine.Failure(code: .unresolvedReference, message: message)
            let end = RequestLineRunner.End(result: result, source: nil)
            pipelines.deliver(end, part.part(name) { _ in }, nil) { [self] in ended(end.result) }
            return true
        case .start(let key):
            window.wait()
            var element = part.part(key) { [self] end in
                window.signal()
                ended(end.result)
            }
            element.instance.variables = element.instance.variables.with(value, as: rule.name)
            element.isReferenced = part.hasReaders
            pipelines.run(element)
            return true
        }
    }

    private func step(_ element: JSONValue, _ state: inout State) -> Step {
        guard !pipelines.isStopped else {
            state.isStopped = true
            return .stop
        }
        if let max = rule.max, state.elementCount >= max {
            let remedy = "raise \"max\" in \"each\" if that is right"
            state.failure = ResultLine.Failure(
                code: .tooManyElements, message: "there are more than \(max) elements: \(remedy)")
            return .stop
        }
        state.elementCount += 1
        guard let key = rule.key else {
            state.count += 1
            return .start(String(state.elementCount))
        }
        guard let text = key.text(of: element) else {
            state.count += 1
            let message =
                "element \(state.elementCount) of \(rule.sourceText) has no \(key.shown), no text and no number"
            return .fail("#\(state.elementCount)", message)
        }
        let known = state.keys.count
        guard state.keys.insert(text) == known else {
            state.duplicates += 1
            return .skip
        }
        state.count += 1
        return .start(text)
    }

    private func ended(_ result: ResultLine) {
        finishIfDone { state in
            state.ended[result.outcome, default: 0] += 1
            if result.outcome == .failure, state.firstFailure == nil {
                let message = "\(result.id): \(result.error?.message ?? "")"
                state.firstFailure = ResultLine.Failure(code: result.error?.code ?? .dependencyFailed, message: message)
            }
        }
    }

    /// Changes the state. Ends the line if all elements were read and have ended.
    private func finishIfDone(_ change: (inout State) -> Void) {
        let result = state.withLock { state -> ResultLine? in
            change(&state)
            guard state.hasReadAll, !state.hasEnded, state.endedCount == state.count else { return nil }
            state.hasEnded = true
            return self.result(state)
        }
        if let result { part.onEnd(RequestLineRunner.End(result: result, source: nil)) }
    }

    private func result(_ state: State) -> ResultLine {
        var result = ResultLine(id: part.instance.id, outcome: .success)
        result.count = state.count
        result.succeeded = state.ended[.success] ?? 0
        result.failed = state.ended[.failure] ?? 0
        result.skipped = state.ended[.skipped] ?? 0
        result.duplicates = state.duplicates
        (result.outcome, result.error) = outcome(state)
        return result
    }

    private func outcome(_ state: State) -> (ResultLine.Outcome, ResultLine.Failure?) {
        if let failure = state.failure { return (.failure, failure) }
        if state.isStopped { return (.cancelled, PipelineRunner.stopped) }
        if let ending = feed.ending, ending.outcome != .success {
            if ending.outcome == .cancelled { return (.cancelled, PipelineRunner.stopped) }
            let message = SkipReason.message(ending.reason)
            return (.skipped, ResultLine.Failure(code: .dependencyFailed, message: message))
        }
        if let first = state.firstFailure {
            let message = "\(state.ended[.failure] ?? 0) of \(state.count) elements failed, at first \(first.message)"
            return (.failure, ResultLine.Failure(code: first.code, message: message))
        }
        if let count = state.ended[.unknown] {
            let message = "the outcomes of \(count) of \(state.count) elements are unknown"
            return (.unknown, ResultLine.Failure(code: .mayHaveBeenSent, message: message))
        }
        if state.ended[.cancelled] != nil { return (.cancelled, PipelineRunner.stopped) }
        if state.ended[.skipped] != nil {
            return (.skipped, ResultLine.Failure(code: .dependencyFailed, message: SkipReason.message(nil)))
        }
        return (.success, nil)
    }
}

extension RequestLine.FanOut {
    fileprivate var sourceText: String {
        switch source {
        case .line(let id): JSONText.quoted(id)
        case .file(let path): path
        }
    }
}

extension RequestLine.FanOut.Key {
    /// The key of an element; nil if it has no text and no number there.
    fileprivate func text(of element: JSONValue) -> String? {
        let value: JSONValue? =
            switch self {
            case .path(let path): (try? path.values(in: element))?.first
            case .name(let name): element[name]
            }
        switch value {
        case .string(let text)?: return text.isEmpty ? nil : text
        case .integer?, .number?, .bool?: return value?.jsonText
        default: return nil
        }
    }

    fileprivate var shown: String {
        switch self {
        case .path(let path): path.description
        case .name(let name): "column \(JSONText.quoted(name))"
        }
    }
}
