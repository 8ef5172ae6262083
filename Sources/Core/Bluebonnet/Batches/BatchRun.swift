// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch

/// The context of a running batch: its host, its progress handler, and the actions at its growth and its end.
struct BatchRun: Sendable {
    typealias Progress = @Sendable (_ finishedCount: Int, _ totalCount: Int) -> Void

    /// The services of the manager in whose queue the members run.
    struct Host: Sendable {
        /// The queue of the batch's completion.
        let queue: DispatchQueue
        /// Starts members that are in no queue.
        let enqueue: @Sendable ([HTTPRequestOperation]) -> Void
        /// Makes an operation that fails with an error.
        let makeFailure: @Sendable (NetworkingError) -> HTTPRequestOperation
    }

    let host: Host
    let progress: Progress?
    /// Called when all members have ended.
    let whenOver: @Sendable () -> Void
    /// Called with members that the batch has added, before they are started.
    let onGrowth: (@Sendable ([HTTPRequestOperation]) -> Void)?
}

extension Batch {
    /// Adds the batch's handlers to the members, before any of them is started.
    ///
    /// - Returns: false if the batch has begun before.
    func begin(
        with host: BatchRun.Host, progress: BatchRun.Progress?,
        onGrowth: (@Sendable ([HTTPRequestOperation]) -> Void)? = nil, completion: (@Sendable (Batch) -> Void)?
    ) -> Bool {
        let edges = BatchGraph.edges(among: operations)
        let begun = state.withLock { $0.begin(with: edges) }
        guard let begun else { return false }
        startTimer()
        let whenOver: @Sendable () -> Void = { [self] in
            host.queue.async { [self] in
                completion?(self)
                end()
            }
        }
        let run = BatchRun(host: host, progress: progress, whenOver: whenOver, onGrowth: onGrowth)
        hookUp(begun, from: 0, run)
        if begun.isEmpty { whenOver() }
        return true
    }

    /// Begins inner batches and adds handlers to operations. Inner batches come first: their handlers make new members
    /// before this batch counts the operation as ended.
    private func hookUp(_ members: BatchMembers, from first: Int, _ run: BatchRun) {
        for batch in members.batches {
            let hasBegun = batch.begin(
                with: run.host, progress: nil,
                onGrowth: { [self] operations in _ = adopt(BatchMembers(operations), madeFrom: nil, run) },
                completion: { [self] _ in
                    if state.withLock({ $0.recordInnerEnd() }) { run.whenOver() }
                })
            precondition(hasBegun, "a batch can be run once")
        }
        for (index, operation) in members.operations.enumerated() { hookUp(operation, first + index, run) }
    }

    private func hookUp(_ operation: HTTPRequestOperation, _ index: Int, _ run: BatchRun) {
        operation.state.enterBatch(flow: number, policy: options.ifDependencyFails)
        if options.holdsWithoutConnectivity {
            operation.options.waitsForConnectivity = true
            operation.timeouts.connectivity = .zero
        }
        operation.addBatchHandler { [self] operation in
            let kind = MemberKind(operation.error)  // takes the operation's lock
            if kind == .success { expand(index, run) }
            let step = state.withLock { $0.recordEnd(of: index, kind) }
            if let reason = step.stop { cancelRest(reason) }
            run.progress?(step.finishedCount, step.totalCount)
            for wait in step.waits { wait.end(hasCome: true) }
            if step.isLast { run.whenOver() }
        }
    }

    private func end() {
        stopTimer()
        for wait in state.withLock({ $0.end() }) { wait.end(hasCome: true) }
    }
}

// MARK: - Growth

extension Batch {
    /// Makes the members that depend on the result of a member.
    private func expand(_ index: Int, _ run: BatchRun) {
        for expansion in state.withLock({ $0.removeExpansions(of: index) }) {
            let members = BatchMembers(expansion.members(failing: run.host.makeFailure))
            guard adopt(members, madeFrom: index, run) else { return }
            run.host.enqueue(members.operations)
        }
    }

    /// Adds members, also to the batches that contain this one. Returns false if the batch no longer grows.
    private func adopt(_ members: BatchMembers, madeFrom source: Int?, _ run: BatchRun) -> Bool {
        guard let first = state.withLock({ $0.add(members, madeFrom: source) }) else { return false }
        hookUp(members, from: first, run)
        applyPause(to: members.operations, arePaused: false)
        run.onGrowth?(members.operations)
        return true
    }
}
