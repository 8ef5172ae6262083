// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

/// Hands the lines of a batch to whoever runs them, as there is room for operations, on a thread of its own. After a
/// stop it says of each line that was not handed over how it ended. All members may be used from any thread.
package final class LinePump: Sendable {
    /// A line that is to be run.
    package struct Line: Sendable {
        /// Its position in the batch.
        package let position: Int
        /// The line.
        package let node: RequestLineGraph.Node
        /// Its dependencies, all of which have ended.
        package let needs: [RunnerDependency]
        /// Whether its response is needed for other lines.
        package let isReferenced: Bool
    }

    fileprivate enum Flow { case open, closed, stopped }
    private enum Step {
        case start([(position: Int, isReferenced: Bool)])
        case abandon([(position: Int, outcome: ResultLine.Outcome)])
        case wait, end
    }

    fileprivate struct State {
        var schedule: LineSchedule
        var flow = Flow.open
        /// Whether all lines were added.
        var isComplete: Bool
        var isAsleep = false
        /// Lines that have ended since the thread fell asleep.
        var endCount = 0
        /// Why lines are skipped that need a line which did not succeed, by its position; of so many lines only.
        var skipReasons: [Int: String] = [:]
        var failure: LineSourceError?
    }

    /// So many lines are taken from the schedule at once, and so many ends wake a sleeping thread.
    private static let groupCount = 64
    /// The most reasons that are kept for lines to come.
    fileprivate static let skipReasonLimit = 10_000

    /// The lines.
    package let lines: any LineSource
    private let keepsAllSources: Bool
    private let sources = Mutex(SourceStore())
    private let state: Mutex<State>
    private let wake = DispatchSemaphore(value: 0)
    private let group = DispatchGroup()

    /// Makes a pump.
    ///
    /// - Parameter schedule: the lines as far as they are known; nil when all of them come later.
    package init(_ lines: any LineSource, schedule: LineSchedule?, limits: LineSchedule.Limits) {
        self.lines = lines
        keepsAllSources = schedule == nil
        state = Mutex(State(schedule: schedule ?? LineSchedule(limits), isComplete: schedule != nil))
    }

    /// Begins to hand lines over. To be called once.
    ///
    /// - Parameters:
    ///   - first: called before the first line is passed on.
    ///   - start: is given a line that is to be run; then `end(_:_:_:)` is to be called.
    ///   - abandon: is given the position of a line that is not run, with its result.
    package func begin(
        first: @escaping @Sendable () -> Void = {}, start: @escaping @Sendable (Line) -> Void,
        abandon: @escaping @Sendable (Int, ResultLine) -> Void
    ) {
        group.enter()
        Thread.detachNewThread { [self] in
            first()
            pump(start, abandon)
            group.leave()
        }
    }

    /// Adds a line to those that come later; its position is the number of lines before it.
    ///
    /// - Parameters:
    ///   - outcome: how the line ended before; nil when it is to be run.
    ///   - source: the response, when the line ended before.
    ///   - reason: why lines that need it are skipped, when it did not succeed.
    package func add(
        _ added: StreamedLines.Added, endedBefore outcome: ResultLine.Outcome? = nil, _ source: ReferenceSource? = nil,
        reason: String? = nil
    ) {
        if let source { sources.withLock { $0.keep(source, at: added.position) } }
        if outcome != nil { lines.drop(added.position) }
        update { state in
            let lane = state.schedule.lane(named: added.lane)
            state.schedule.add(lane: lane, priority: added.node.line.line.priority, dependencies: added.dependencies)
            if let outcome { state.schedule.end(added.position, outcome) }
            state.keep(reason, of: added.position)
        }
    }

    /// Marks the lines as complete.
    package func complete() { update { $0.isComplete = true } }

    /// Notes the outcome of a line.
    ///
    /// - Parameters:
    ///   - source: the response, where other lines need it.
    ///   - reason: why lines that need it are skipped, when it did not succeed.
    ///   - isLast: whether the pump is to stop with it.
    package func end(
        _ position: Int, _ outcome: ResultLine.Outcome, _ source: ReferenceSource? = nil, reason: String? = nil,
        isLast: Bool = false
    ) {
        if let source { sources.withLock { $0.keep(source, at: position) } }
        let mustWake = state.withLock { state in
            // A line of a stream that needs this one may come later.
            if keepsAllSources || state.schedule.isNeeded(position) { state.keep(reason, of: position) }
            let isUrgent = state.schedule.end(position, outcome)
            state.endCount += 1
            if isLast { state.flow = .stopped }
            return (isUrgent || isLast || state.endCount >= Self.groupCount) && state.wakes
        }
        if mustWake { wake.signal() }
    }

    /// Passes on no lines from now on: a stop follows.
    package func close() { update { if $0.flow == .open { $0.flow = .closed } } }

    /// Abandons all lines that were not passed on, and lines that are added later.
    package func stop() { update { $0.flow = .stopped } }

    /// Suspends the calling task until each line was passed on or abandoned.
    ///
    /// - Throws: that a line could not be read: then the pump was stopped.
    package func finish() async throws(LineSourceError) {
        await withCheckedContinuation { waiter in
            group.notify(queue: .global()) { waiter.resume() }
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// The number of lines, and of those that have ended by outcome.
    package var standing: (count: Int, counts: [ResultLine.Outcome: Int]) {
        state.withLock { ($0.schedule.count, $0.schedule.counts) }
    }

    /// Whether the response of a line is needed for other lines.
    package func isReferenced(_ position: Int) -> Bool {
        keepsAllSources || state.withLock { $0.schedule.isReferenced(position) }
    }

    private func update(_ change: (inout State) -> Void) {
        let mustWake = state.withLock { state in
            change(&state)
            return state.wakes
        }
        if mustWake { wake.signal() }
    }
}

extension LinePump.State {
    fileprivate mutating func keep(_ reason: String?, of position: Int) {
        guard let reason, skipReasons.count < LinePump.skipReasonLimit else { return }
        skipReasons[position] = reason
    }

    /// Notes that a sleeping thread is woken; whether it slept.
    fileprivate var wakes: Bool {
        mutating get {
            defer { (isAsleep, endCount) = (false, 0) }
            return isAsleep
        }
    }
}

// MARK: - The thread

extension LinePump {
    private func pump(_ start: (Line) -> Void, _ abandon: (Int, ResultLine) -> Void) {
        while true {
            switch state.withLock({ step(&$0) }) {
            case .start(let group): for line in group { hand(over: line.position, line.isReferenced, start, abandon) }
            case .abandon(let group):
                for (position, outcome) in group {
                    let reason = outcome == .skipped ? skipReason(of: position) : nil
                    lines.drop(position)
                    self.abandon(position, outcome, reason, abandon)
                }
            case .wait: wake.wait()
            case .end: return
            }
        }
    }

    private func step(_ state: inout State) -> Step {
        if state.flow == .open {
            var lines: [(Int, Bool)] = []
            while lines.count < Self.groupCount, let position = state.schedule.next() {
                lines.append((position, keepsAllSources || state.schedule.isReferenced(position)))
            }
            if !lines.isEmpty { return .start(lines) }
        } else if state.flow == .stopped {
            var lines: [(Int, ResultLine.Outcome)] = []
            while lines.count < Self.groupCount, let line = state.schedule.abandonNext() { lines.append(line) }
            if !lines.isEmpty { return .abandon(lines) }
        }
        if state.isComplete, !state.schedule.isAnyWaiting { return .end }
        (state.isAsleep, state.endCount) = (true, 0)
        return .wait
    }

    private func hand(
        over position: Int, _ isReferenced: Bool, _ start: (Line) -> Void, _ abandon: (Int, ResultLine) -> Void
    ) {
        do throws(LineSourceError) {
            let node = try lines.node(at: position)
            let needs = node.dependencies.isEmpty ? [] : try self.needs(of: node)
            start(Line(position: position, node: node, needs: needs, isReferenced: isReferenced))
        } catch {
            update { state in
                state.failure = state.failure ?? error
                state.flow = .stopped
            }
            end(position, .cancelled)
            abandon(position, ResultLine(id: lines.id(at: position), abandoned: .cancelled))
        }
    }

    /// Gives the result of a line that is not run, which may be the reason that others are skipped for.
    private func abandon(
        _ position: Int, _ outcome: ResultLine.Outcome, _ reason: String?, _ abandon: (Int, ResultLine) -> Void
    ) {
        let result = ResultLine(id: lines.id(at: position), abandoned: outcome, reason: reason)
        if outcome == .skipped { state.withLock { $0.keep(result.skipReason, of: position) } }
        abandon(position, result)
    }

    /// Why a line is skipped; nil when that is not known.
    private func skipReason(of position: Int) -> String? {
        guard let node = try? lines.node(at: position) else { return nil }
        let positions = node.dependencies.compactMap { lines.position(of: $0) }
        return state.withLock { state in positions.compactMap { state.skipReasons[$0] }.first }
    }

    private func needs(of node: RequestLineGraph.Node) throws(LineSourceError) -> [RunnerDependency] {
        let known = node.dependencies.map { (id: $0, position: lines.position(of: $0)) }
        let outcomes = state.withLock { state in
            known.map { dependency in
                dependency.position.flatMap { position in
                    state.schedule.outcome(of: position).map { ($0, state.skipReasons[position]) }
                }
            }
        }
        var needs: [RunnerDependency] = []
        for (dependency, outcome) in zip(known, outcomes) {
            guard let position = dependency.position, let (outcome, reason) = outcome else {
                throw LineSourceError("\(node.line.id) waits for another line than when it was checked")
            }
            needs.append(
                RunnerDependency(id: dependency.id, outcome: outcome, reason: reason) { [self] in
                    sources.withLock { $0.source(at: position) }
                })
        }
        return needs
    }
}

// MARK: - Results of lines that are not run

extension ResultLine {
    /// The result of a line that was never started.
    ///
    /// - Parameter reason: why it is skipped; nil when that is not known.
    package init(id: String, abandoned outcome: Outcome, reason: String? = nil) {
        self.init(id: id, outcome: outcome)
        error =
            outcome == .skipped
            ? Failure(code: .dependencyFailed, message: SkipReason.message(reason))
            : Failure(code: .cancelled, message: "the operation was cancelled before it started")
    }
}
