// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

extension RequestOperation {
    /// Makes this operation wait until another operation has ended.
    ///
    /// Traps if the dependency would close a cycle; `addDependency(checking:ifItFails:)` throws instead. If the
    /// dependency already exists, the stricter policy applies.
    ///
    /// - Parameters:
    ///   - operation: the operation to wait for.
    ///   - policy: what happens to this operation when `operation` fails, is skipped or is cancelled.
    public func addDependency(_ operation: Operation, ifItFails policy: FailedDependencyPolicy) {
        do throws(DependencyCycle) {
            try addDependency(checking: operation, ifItFails: policy)
        } catch {
            preconditionFailure("\(error); remove one of the dependencies")
        }
    }

    /// Makes this operation wait until another operation has ended, unless that would close a cycle.
    ///
    /// The dependencies of an operation that is not a `RequestOperation` are read when it first becomes a dependency;
    /// later changes of its `dependencies` are not seen. Does nothing if this operation is finished.
    ///
    /// - Parameters:
    ///   - operation: the operation to wait for.
    ///   - policy: what happens to this operation when `operation` fails, is skipped or is cancelled. Default
    ///     `runAnyway`.
    /// - Throws: `DependencyCycle`, which names the operations of the cycle. In that case no dependency is added.
    public func addDependency(
        checking operation: Operation, ifItFails policy: FailedDependencyPolicy = .runAnyway
    ) throws(DependencyCycle) {
        let wasReady = isReadyNow
        let background = ForeignBackground(of: operation).entries
        let (addition, consequences) = DependencyGraph.change {
            $0.add(operation, to: self, policy: policy, background: background)
        }
        consequences.carryOut()
        switch addition {
        case .known: return
        case .cycle(let operations): throw DependencyCycle(operations)
        case .added(let needsWatch):
            if needsWatch { Self.watch(operation) }
            if wasReady, dependencyNode.readinessWasRead, !isReadyNow { announceReadiness(isReady: false) }
        }
    }

    /// The value of `isReady` for the library, which needs no notification of a change.
    var isReadyNow: Bool {
        state.isReady(isWaiting: dependencyNode.isWaiting)
    }

    func removeEdge(to operation: Operation) {
        DependencyGraph.change { $0.remove(operation, from: self) }.consequences.carryOut()
    }

    /// Registers for notifications of the graph about readiness: while the operation is in a queue, or once a caller
    /// has read `isReady`.
    func listenForReadiness() {
        DependencyGraph.change { $0.listen(self) }.consequences.carryOut()
    }

    /// Reports the end to the dependents. A second call, or a call without an edge, does nothing.
    func settleDependents() {
        guard dependencyNode.isEndUnsettled else { return }
        DependencyGraph.change { $0.finish(self) }.consequences.carryOut()
    }

    /// Called when the last unfinished dependency has ended or was removed.
    func dependenciesSettled() {
        if isReadyNow { announceReadiness(isReady: true) }
    }
}

extension RequestOperation {
    /// Releases references that may begin a long chain: dependencies, and the captures of closures. Called by `deinit`.
    func releaseChains() {
        guard dependencyNode.isInGraph || !state.isEmptied else { return }
        IterativeRelease.release {
            let (_, consequences) = DependencyGraph.change { $0.releaseDependencies(of: dependencyNode.number) }
            consequences.endWatches()
            return consequences.released.all as [any Sendable] + state.removeClosures()
        }
    }
}

// MARK: - Skipping

/// The reason why an operation was not started. Only the first cause is stored, because the chain of causes may be as
/// long as the graph is deep.
struct SkipReason: Sendable {
    let error: NetworkingError
    /// A phrase for the first failure of the chain.
    let cause: String

    init(_ dependency: Operation) {
        let (error, cause) = (dependency as? RequestOperation)?.failure ?? (nil, nil)
        let name = "\"\(dependency.graphName)\""
        if let cause {
            self.cause = cause
            let message = "not started: \(name) was not started, because \(cause)"
            self.error = NetworkingError(.dependencyFailed, message, underlying: error?.underlying ?? error)
        } else {
            let wasCancelled = [nil, .cancelled, .notStarted].contains(error?.code)
            let verb = wasCancelled ? "was cancelled" : "failed"
            self.cause = "\(name) \(verb)" + (error.map { ": \($0.message)" } ?? "")
            self.error = NetworkingError(.dependencyFailed, "not started: \(self.cause)", underlying: error)
        }
    }
}

extension RequestOperation {
    /// Why the operation failed; `cause` is the first failure if the operation was skipped.
    fileprivate var failure: (error: NetworkingError?, cause: String?) {
        (error, state.details.skipCause)
    }

    /// Returns why the operation must not be started; nil if no failed dependency prevents the start.
    func skipReason() -> SkipReason? {
        guard dependencyNode.hasSeenFailure else { return nil }
        let policy = state.schedule.dependencyPolicy
        guard policy != .runAnyway else { return nil }
        let failure = DependencyGraph.read { $0.firstFailure(of: self, all: policy == .skip) }
        return failure.map(SkipReason.init)
    }

    /// Ends the operation without starting it.
    func skip(_ reason: SkipReason) {
        state.recordSkip(reason.error, cause: reason.cause)
        handle(.skip)
    }
}

extension RequestOperation {
    /// Watches a foreign operation for the graph, until it has ended or no request operation waits for it.
    fileprivate static func watch(_ operation: Operation) {
        let watch = OperationWatch.make([operation]) {
            let hasFailed = operation.isCancelled
            DependencyGraph.change { $0.finishForeign(operation, hasFailed: hasFailed) }.consequences.carryOut()
        }
        let isWanted = DependencyGraph.change { $0.setWatch(watch, on: operation) }.result
        OperationWatch.begin(watch)
        if !isWanted { OperationWatch.end(watch, over: operation) }
    }
}
