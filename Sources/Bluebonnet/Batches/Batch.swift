// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

/// Something that a batch may consist of: an operation, the handle of one, or another batch.
public protocol BatchMember: Sendable {
    /// The operations that it stands for.
    var operations: [HTTPRequestOperation] { get }
}

extension HTTPRequestOperation: BatchMember {
    /// The operation itself.
    public var operations: [HTTPRequestOperation] { [self] }
}

extension RequestHandle: BatchMember {
    /// The handle's operation.
    public var operations: [HTTPRequestOperation] { [operation] }
}

/// Several operations that add up to one outcome, with one progress and one completion.
///
/// The completion runs exactly once, after every member's own handlers, also for an empty batch. Members that fail, are
/// skipped or are cancelled count as finished. When it has ended, nothing of the library's holds the batch.
///
/// ```swift
/// var options = Batch.Options()
/// options.failurePolicy = .cancelAtFirstFailure
/// let batch = manager.enqueue(Batch(of: operations, options: options))
/// for await ending in batch.completions { print(ending.index, ending.result) }
/// print(await batch.outcome().counts)
/// ```
public final class Batch: BatchMember {
    /// What a batch does about members that fail.
    public enum FailurePolicy: Sendable, Hashable {
        /// Runs all members, whatever becomes of them.
        case carryOn
        /// Cancels the rest when the first member fails. One that is cancelled or skipped has not failed.
        case cancelAtFirstFailure
        /// Is a success, and cancels the rest, once so many members have succeeded.
        case succeed(after: Int)
        /// Cancels the rest when more than so many members have failed.
        case stopAboveFailureCount(Int)
        /// Cancels the rest when more than this fraction of all members, from 0 to 1, has failed.
        case stopAboveFailureFraction(Double)
    }

    /// How a batch is run.
    public struct Options: Sendable {
        /// What is done about members that fail. Default `carryOn`.
        public var failurePolicy = FailurePolicy.carryOn
        /// What becomes of a member when one that it depends on does not succeed. Default nil: what its edges say.
        public var ifDependencyFails: FailedDependencyPolicy?
        /// The longest time from enqueueing to the end; then the members that have not finished are cancelled. Default
        /// nil: no limit.
        public var timeout: Duration?
        /// Whether members are held while there is no way to their servers, however long, instead of failing; one that
        /// is held takes no place on the wire from others. Default false: what their own `waitsForConnectivity` says.
        public var holdsWithoutConnectivity = false

        /// The defaults.
        public init() {}
    }

    /// All operations, those of inner batches included, in the order in which they were given.
    public let operations: [HTTPRequestOperation]
    /// How the batch is run.
    public let options: Options
    private let inner: [Batch]
    let state: Mutex<BatchState>
    private let group = DispatchGroup()
    private let number = FlowID.next()
    private let timeoutTimer = Mutex<Task<Void, Never>?>(nil)

    /// Makes a batch, which does nothing before it is given to
    /// `RequestOperationManager.enqueue(_:progress:completion:)`.
    ///
    /// Inner batches keep their policies and have outcomes of their own; their operations count as members of this one
    /// too, which ends after them.
    public init(of members: [any BatchMember], options: Options = Options()) {
        operations = members.flatMap(\.operations)
        inner = members.compactMap { $0 as? Batch }
        self.options = options
        state = Mutex(
            BatchState(policy: options.failurePolicy, totalCount: operations.count, innerCount: inner.count))
    }
}

// MARK: - Where it stands

extension Batch {
    /// Each member's result in the order of `operations`; nil for one that is not finished.
    public var results: [Result<any Sendable, NetworkingError>?] { operations.map(\.result) }

    /// How many members have ended, and in which way; their own handlers have run.
    public var counts: BatchOutcome.Counts { state.withLock { $0.counts } }

    /// How far the batch is, by members and by bytes. It asks every member.
    public var progress: BatchProgress {
        var (received, expected) = (Int64(0), Int64?(0))
        for operation in operations {
            let bytes = operation.byteProgress
            received += bytes.count
            expected = bytes.expected < 0 ? nil : expected.map { $0 + bytes.expected }
        }
        return BatchProgress(
            finishedCount: counts.finishedCount, totalCount: operations.count, receivedByteCount: received,
            expectedByteCount: expected)
    }

    /// Waits until the completion has run. Cancelling the waiting task cancels the batch.
    ///
    /// The batch has to be enqueued.
    public func waitUntilFinished() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                group.notify(queue: Queues.callbacks) { waiter.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Waits until the completion has run, and gives the outcome. Cancelling the waiting task cancels the batch.
    public func outcome() async -> BatchOutcome {
        await waitUntilFinished()
        return finalOutcome
    }

    private var finalOutcome: BatchOutcome {
        let (counts, reason, isSuccess) = state.withLock { ($0.counts, $0.stopReason, $0.isSuccess) }
        let results = operations.map { operation in
            guard let result = operation.result else { preconditionFailure("a batch's outcome is there when it ended") }
            return result
        }
        return BatchOutcome(results: results, counts: counts, stopReason: reason, isSuccess: isSuccess)
    }
}

// MARK: - What can be done with it

extension Batch {
    /// Cancels every member that has not finished.
    public func cancel() { stop(.cancelled) }

    /// Pauses every member.
    public func pause() {
        for operation in operations { operation.pause() }
    }

    /// Resumes every member.
    public func resume() {
        for operation in operations { operation.resume() }
    }

    private func stop(_ reason: BatchOutcome.StopReason) {
        guard state.withLock({ $0.stop(reason) }) else { return }
        cancelRest(reason)
    }

    private func cancelRest(_ reason: BatchOutcome.StopReason) {
        let message = reason.message(options)
        // The last first: one that becomes ready because another was cancelled should be cancelled by then.
        for operation in operations.reversed() where !operation.isFinished {
            operation.shared.withLock {
                $0.extras.cancelMessage = $0.lifecycle.isCancelled ? $0.extras.cancelMessage : message
            }
            operation.cancel()
        }
    }
}

extension BatchOutcome.StopReason {
    /// What the error of a member says that was cancelled for this reason.
    fileprivate func message(_ options: Batch.Options) -> String {
        switch self {
        case .firstFailure: "cancelled, because another operation of the batch failed"
        case .enoughSuccesses: "cancelled, because enough operations of the batch have succeeded"
        case .tooManyFailures: "cancelled, because too many operations of the batch have failed"
        case .timedOut: "cancelled, because the batch took longer than \(options.timeout ?? .zero)"
        case .cancelled: "the operation was cancelled with its batch"
        }
    }
}

// MARK: - Running

extension Batch {
    typealias Progress = @Sendable (_ finishedCount: Int, _ totalCount: Int) -> Void

    /// Hooks the members up, before any of them is started.
    func begin(
        on queue: DispatchQueue, progress: Progress?, completion: (@Sendable (Batch) -> Void)?
    ) {
        let edges = BatchGraph.edges(among: operations)
        let isEmpty = state.withLock { state in
            state.edges = edges
            return state.begin()
        }
        group.enter()
        startTimer()
        let whenOver: @Sendable () -> Void = { [self] in
            queue.async { [self] in
                completion?(self)
                end()
            }
        }
        for batch in inner {
            batch.begin(on: queue, progress: nil) { [self] _ in
                if state.withLock({ $0.noteInnerEnd() }) { whenOver() }
            }
        }
        for (index, operation) in operations.enumerated() { hookUp(operation, index, progress, whenOver) }
        if isEmpty { whenOver() }
    }

    private func hookUp(
        _ operation: HTTPRequestOperation, _ index: Int, _ progress: Progress?,
        _ whenOver: @escaping @Sendable () -> Void
    ) {
        let policy = options.ifDependencyFails
        operation.shared.withLock { state in
            state.flow = number
            state.dependencyPolicy = state.dependencyPolicy ?? policy
            guard options.holdsWithoutConnectivity else { return }
            state.options.waitsForConnectivity = true
            state.options.connectivityTimeout = .zero
        }
        operation.addBatchHandler { [self] operation in
            let step = state.withLock { $0.note(index, MemberKind(operation.error)) }
            if let reason = step.stop { cancelRest(reason) }
            progress?(step.finishedCount, operations.count)
            for waiter in step.waiters { waiter.resume() }
            if step.isLast { whenOver() }
        }
    }

    private func end() {
        timeoutTimer.withLock { timer in
            defer { timer = nil }
            return timer
        }?.cancel()
        for waiter in state.withLock({ $0.end() }) { waiter.resume() }
        group.leave()
    }

    private func startTimer() {
        guard let timeout = options.timeout else { return }
        let timer = Task { [weak self] in
            guard (try? await Task.sleep(for: timeout)) != nil else { return }
            self?.stop(.timedOut)
        }
        timeoutTimer.withLock { $0 = timer }
    }
}
