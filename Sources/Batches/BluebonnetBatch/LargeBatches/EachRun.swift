// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

/// Makes and runs the operations for the elements of one line. Its own thread reads the elements; a window limits the
/// number of operations that have not ended.
final class EachRun: Sendable {
    fileprivate struct State {
        var keys = TextTable()
        var elements: ElementSequence
        var totals = ElementTotals()
        var count = 0
        var hasReadAll = false
        var hasEnded = false
        var isStopped = false
        /// Whether the thread waits until fewer operations run.
        var isWaiting = false

        /// The number of operations that have not ended.
        var pendingCount: Int { count - totals.endedCount }
    }

    private enum Step {
        case start(String)
        case fail(String, ResultLine.Failure)
        case skip, stop
    }

    /// The number of operations that have not ended at which the thread waits, and at which it starts more of them. A
    /// large difference keeps the thread from waking up for each element.
    static let windowCount = 1_024
    static let refillCount = 768

    private let pipelines: PipelineRunner
    private let part: PipelineRunner.Part
    private let rule: RequestLine.FanOut
    private let feed: ElementFeed
    private let wake = DispatchSemaphore(value: 0)
    private let state: Mutex<State>

    init(
        _ pipelines: PipelineRunner, _ part: PipelineRunner.Part, _ rule: RequestLine.FanOut, _ feed: ElementFeed
    ) {
        (self.pipelines, self.part, self.rule, self.feed) = (pipelines, part, rule, feed)
        state = Mutex(State(elements: ElementSequence(rule)))
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
                if state.withLock({ $0.isStopped || $0.elements.course.failure != nil }) { break }
            }
        } catch {
            let failure = ResultLine.Failure(code: error.code, message: error.message)
            state.withLock { $0.elements.course.failure = $0.elements.course.failure ?? failure }
        }
        feed.abandon()
    }

    /// Starts the operation of an element. Returns false if the line uses no further elements.
    private func start(_ value: JSONValue) -> Bool {
        if state.withLock({ $0.beginWaiting() }) { wake.wait() }
        switch state.withLock({ step(value, &$0) }) {
        case .stop: return false
        case .skip: return true
        case .fail(let name, let failure):
            var result = ResultLine(id: part.instance.part(name).id, outcome: .failure)
            result.error = failure
            let end = RequestLineRunner.End(result: result, source: nil)
            pipelines.deliver(end, part.part(name) { _ in }, nil) { [self] in ended(end.result) }
            return true
        case .start(let key):
            var element = part.part(key) { [self] end in ended(end.result) }
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
        switch state.elements.step(element) {
        case .stop: return .stop
        case .fail(let name, let failure):
            state.count += 1
            return .fail(name, failure)
        case .start(let name, let isKey):
            let known = state.keys.count
            guard !isKey || state.keys.insert(name) == known else {
                state.elements.course.duplicates += 1
                return .skip
            }
            state.count += 1
            return .start(name)
        }
    }

    private func ended(_ result: ResultLine) { finishIfDone { $0.totals.add(result) } }

    /// Changes the state. Ends the line if all elements were read and have ended.
    private func finishIfDone(_ change: (inout State) -> Void) {
        let (mustWake, result) = state.withLock { state -> (Bool, ResultLine?) in
            change(&state)
            return (state.endWaiting(), end(&state))
        }
        if mustWake { wake.signal() }
        if let result { part.onEnd(RequestLineRunner.End(result: result, source: nil)) }
    }

    /// The result of the line, once, when all elements were read and have ended.
    private func end(_ state: inout State) -> ResultLine? {
        guard state.hasReadAll, !state.hasEnded, state.pendingCount == 0 else { return nil }
        state.hasEnded = true
        return state.totals.result(
            part.instance.id, state.elements.course, source: feed.ending.map { ($0.outcome, $0.reason) },
            isStopped: state.isStopped)
    }
}

extension EachRun.State {
    /// Records that the thread waits, if it must before it starts another operation. Returns whether it must.
    fileprivate mutating func beginWaiting() -> Bool {
        isWaiting = pendingCount >= EachRun.windowCount
        return isWaiting
    }

    /// Records that the thread no longer waits, if it can start operations. Returns whether it must be woken.
    fileprivate mutating func endWaiting() -> Bool {
        guard isWaiting, pendingCount <= EachRun.refillCount else { return false }
        isWaiting = false
        return true
    }
}
