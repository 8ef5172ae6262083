// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

/// Passes the ready lines of a batch to a runner on its own thread, within the limits of the schedule. After a stop it
/// reports the outcome of each line that it did not pass on. All members can be used from any thread.
package final class LinePump: Sendable {
    /// A line to run.
    package struct Line: Sendable {
        /// The position of the line in the batch.
        package let position: Int
        /// The line.
        package let node: RequestLineGraph.Node
        /// The dependencies of the line, all of which have ended.
        package let needs: [RunnerDependency]
        /// Whether other lines refer to the response.
        package let isReferenced: Bool

        package init(
            position: Int, node: RequestLineGraph.Node, needs: [RunnerDependency], isReferenced: Bool
        ) {
            (self.position, self.node, self.needs, self.isReferenced) = (position, node, needs, isReferenced)
        }
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
        /// Whether all lines have been added.
        var isComplete: Bool
        var isAsleep = false
        /// The number of lines that ended since the thread began to wait.
        var endCount = 0
        /// The reasons to skip dependents, by the position of the line that did not succeed. Their number is limited.
        var skipReasons: [Int: String] = [:]
        var failure: LineSourceError?
    }

    /// The number of lines taken from the schedule at once, and the number of ended lines that wakes the waiting
    /// thread.
    private static let groupCount = 64
    /// The maximum number of skip reasons kept for later lines.
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
    /// - Parameter schedule: the lines of the batch; nil if all lines are added later.
    package init(_ lines: any LineSource, schedule: LineSchedule?, limits: LineSchedule.Limits) {
        self.lines = lines
        keepsAllSources = schedule == nil
        state = Mutex(State(schedule: schedule ?? LineSchedule(limits), isComplete: schedule != nil))
    }

    /// Begins to pass on lines. Call this once.
    ///
    /// - Parameters:
    ///   - first: called before the first line is passed on.
    ///   - start: receives a line to run. `end(_:_:_:)` must be called when the line has ended.
    ///   - abandon: receives the position of a line that will not run, with its result.
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

    /// Adds a line to a stream. Its position is the number of lines before it.
    ///
    /// - Parameters:
    ///   - outcome: the outcome of a line that ended in an earlier run; nil for a line to run.
    ///   - source: the response of a line that ended in an earlier run.
    ///   - reason: the reason to skip dependents, if the line did not succeed.
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

    /// Allows the readers of a line to start, because the line has a response with elements for them.
    package func feed(_ readers: [Int], by position: Int) {
        update { state in
            for reader in readers where lines.startsEarly(reader) { _ = state.schedule.feed(reader, by: position) }
        }
    }

    /// Keeps the response of a page or an element, if a line may refer to it or use it.
    package func keep(_ source: ReferenceSource, ofPart id: String, of position: Int) {
        guard lines.keepsResponses || lines.isMentioned(id) else { return }
        sources.withLock { $0.keep(source, ofPart: id, of: position) }
    }

    /// The kept responses of a line or its parts, each with its id, in the order in which they came.
    package func keptResponses(of position: Int) -> [(id: String, source: ReferenceSource)] {
        sources.withLock { $0.responses(of: position, id: lines.id(at: position)) }
    }

    /// Marks the lines as complete.
    package func complete() { update { $0.isComplete = true } }

    /// Records the outcome of a line.
    ///
    /// - Parameters:
    ///   - source: the response, if other lines need it.
    ///   - reason: the reason to skip dependents, if the line did not succeed.
    ///   - isLast: whether to stop the pump with this line.
    package func end(
        _ position: Int, _ outcome: ResultLine.Outcome, _ source: ReferenceSource? = nil, reason: String? = nil,
        isLast: Bool = false
    ) {
        if let source { sources.withLock { $0.keep(source, at: position) } }
        let mustWake = state.withLock { state in
            // In a stream, a line that depends on this one may still come.
            if keepsAllSources || state.schedule.isNeeded(position) { state.keep(reason, of: position) }
            let isUrgent = state.schedule.end(position, outcome)
            state.endCount += 1
            if isLast { state.flow = .stopped }
            return (isUrgent || isLast || state.endCount >= Self.groupCount) && state.wakes
        }
        if mustWake { wake.signal() }
    }

    /// Stops passing on lines. A call of `stop()` must follow.
    package func close() { update { if $0.flow == .open { $0.flow = .closed } } }

    /// Abandons all lines that were not passed on, and all lines that are added later.
    package func stop() { update { $0.flow = .stopped } }

    /// Suspends the calling task until each line was passed on or abandoned.
    ///
    /// - Throws: the error of a line that could not be read. The pump has then stopped.
    package func finish() async throws(LineSourceError) {
        await withCheckedContinuation { waiter in
            group.notify(queue: .global()) { waiter.resume() }
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// The number of lines, and the number of ended lines by outcome.
    package var progress: (count: Int, counts: [ResultLine.Outcome: Int]) {
        state.withLock { ($0.schedule.count, $0.schedule.counts) }
    }

    /// Returns the lines for which the most other lines wait.
    package func waits(limit: Int, sampleLimit: Int) -> [LineWait] {
        state.withLock { $0.schedule.waits(limit: limit, sampleLimit: sampleLimit) }.map { wait in
            LineWait(
                id: lines.id(at: wait.position), count: wait.count, samples: wait.samples.map { lines.id(at: $0) },
                isBlocked: wait.isBlocked)
        }
    }

    /// Returns whether other lines refer to the response of a line.
    package func isReferenced(_ position: Int) -> Bool {
        keepsAllSources || state.withLock { $0.schedule.isReferenced(position) }
    }

    /// Returns whether other lines depend on the line with an id, or may depend on it.
    package func isNeeded(_ id: String) -> Bool {
        if keepsAllSources { return true }
        guard let position = lines.position(of: id) else { return false }
        return state.withLock { $0.schedule.isNeeded(position) }
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

    /// Marks the waiting thread as woken. Returns whether it was waiting.
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
            case .start(let group):
                for line in group { self.start(at: line.position, line.isReferenced, start, abandon) }
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

    private func start(
        at position: Int, _ isReferenced: Bool, _ start: (Line) -> Void, _ abandon: (Int, ResultLine) -> Void
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

    /// Delivers the result of a line that will not run. For a skipped line, keeps the reason to skip its dependents
    /// too.
    private func abandon(
        _ position: Int, _ outcome: ResultLine.Outcome, _ reason: String?, _ abandon: (Int, ResultLine) -> Void
    ) {
        let result = ResultLine(id: lines.id(at: position), abandoned: outcome, reason: reason)
        if outcome == .skipped { state.withLock { $0.keep(result.skipReason, of: position) } }
        abandon(position, result)
    }

    /// Returns the reason to skip a line; nil if it is not known.
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
            // Its source may not have ended: the line uses its responses as they come.
            let source = outcome == nil ? node.line.line.elementSource : nil
            if let source, FieldSyntax.isSameText(source, dependency.id) { continue }
            guard let position = dependency.position, let (outcome, reason) = outcome else {
                throw LineSourceError("the dependencies of \(node.line.id) changed after they were checked")
            }
            let isPage = !FieldSyntax.isSameText(lines.id(at: position), dependency.id)
            needs.append(
                RunnerDependency(id: dependency.id, outcome: outcome, reason: reason) { [self] in
                    sources.withLock { $0.source(at: position, id: dependency.id, isPage: isPage) }
                })
        }
        return needs
    }
}

// MARK: - Results of lines that are not run

extension ResultLine {
    /// Makes the result of a line that was never started.
    ///
    /// - Parameter reason: why the line is skipped; nil if the reason is not known.
    package init(id: String, abandoned outcome: Outcome, reason: String? = nil) {
        self.init(id: id, outcome: outcome)
        error =
            outcome == .skipped
            ? Failure(code: .dependencyFailed, message: SkipReason.message(reason))
            : Failure(code: .cancelled, message: "the operation was cancelled before it started")
    }
}
