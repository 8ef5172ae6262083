// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

/// A member of a batch: an operation, the handle of an operation, or another batch.
public protocol BatchMember: Sendable {
    /// The operations of the member.
    var operations: [HTTPRequestOperation] { get }

    /// Makes more members when an operation has ended. Default nil.
    var expansion: BatchExpansion? { get }
}

extension BatchMember {
    /// Nil: the member has its operations only.
    public var expansion: BatchExpansion? { nil }
}

extension HTTPRequestOperation: BatchMember {
    /// The operation itself.
    public var operations: [HTTPRequestOperation] { [self] }
}

extension RequestHandle: BatchMember {
    /// The handle's operation.
    public var operations: [HTTPRequestOperation] { [operation] }
}

/// A group of operations with one outcome, one progress and one completion.
///
/// The completion runs exactly once, after every member's own handlers, also for an empty batch. Members that fail, are
/// skipped or are cancelled count as finished. When the batch has ended, the library keeps no reference to it. All
/// members may be used from any thread.
///
/// ```swift
/// var options = Batch.Options()
/// options.failurePolicy = .cancelAtFirstFailure
/// let batch = manager.enqueue(Batch(of: operations, options: options))
/// for await ending in batch.completions { print(ending.index, ending.result) }
/// print(try await batch.outcome().counts)
/// ```
public final class Batch: BatchMember {
    /// The reaction of a batch to failed members.
    public enum FailurePolicy: Sendable, Hashable {
        /// Runs all members, whether others fail or not.
        case carryOn
        /// Cancels the unfinished members when the first member fails. A cancelled or skipped member does not count as
        /// failed.
        case cancelAtFirstFailure
        /// Makes the batch a success, and cancels the unfinished members, when this many members have succeeded.
        case succeed(after: Int)
        /// Cancels the unfinished members when more than this many members have failed.
        case stopAboveFailureCount(Int)
        /// Cancels the unfinished members when more than this fraction of all members, from 0 to 1, has failed.
        case stopAboveFailureFraction(Double)
    }

    /// The options of a batch.
    public struct Options: Sendable {
        /// The reaction to failed members. Default `carryOn`.
        public var failurePolicy = FailurePolicy.carryOn
        /// The policy for a member if one of its dependencies does not succeed. Default nil: the policy of each
        /// dependency applies.
        public var ifDependencyFails: FailedDependencyPolicy?
        /// The longest time from enqueueing to the end. Members that are unfinished then are cancelled. Default nil: no
        /// limit.
        public var timeout: Duration?
        /// Whether members wait without a limit while their servers cannot be reached, instead of failing. A waiting
        /// member does not count as a transfer. Default false: the `waitsForConnectivity` of each member applies.
        public var holdsWithoutConnectivity = false

        /// Creates the default options.
        public init() {}
    }

    /// All operations, including the operations of inner batches, in the order in which they were given. A batch with
    /// expansions grows: operations that are made later follow.
    public var operations: [HTTPRequestOperation] { state.withLock { $0.operations } }
    /// The options of the batch.
    public let options: Options
    let state: Mutex<BatchState>
    let number = FlowID.next()
    private let timeoutTimer = Mutex<Task<Void, Never>?>(nil)

    /// Creates a batch. The batch does nothing before it is passed to
    /// `RequestOperationManager.enqueue(_:progress:completion:)`.
    ///
    /// Inner batches keep their policies and have their own outcomes. Their operations are also members of this batch,
    /// which ends after the inner batches.
    public init(of members: [any BatchMember], options: Options = Options()) {
        self.options = options
        state = Mutex(BatchState(policy: options.failurePolicy, members: BatchMembers(members)))
    }
}

// MARK: - Status

extension Batch {
    /// Each member's result, in the order of `operations`; nil for a member that is not finished.
    public var results: [Result<any Sendable, NetworkingError>?] { operations.map(\.result) }

    /// The numbers of members that have ended, by kind of result. The handlers of these members have run.
    public var counts: BatchOutcome.Counts { state.withLock { $0.counts } }

    /// The progress of the batch, by members and by bytes. Reading it takes time proportional to the number of members.
    public var progress: BatchProgress {
        var (received, expected) = (Int64(0), Int64?(0))
        let (operations, finishedCount) = state.withLock { ($0.operations, $0.counts.finishedCount) }
        for operation in operations {
            let bytes = operation.byteProgress
            received = received.addingClamped(bytes.count)
            expected = bytes.expected < 0 ? nil : expected.map { $0.addingClamped(bytes.expected) }
        }
        return BatchProgress(
            finishedCount: finishedCount, totalCount: operations.count, receivedByteCount: received,
            expectedByteCount: expected)
    }

    /// Suspends the calling task until the completion has run.
    ///
    /// Cancelling the task ends the suspension, and the batch continues. To end the batch with the task, call
    /// `RequestOperationManager.run(_:)` instead.
    ///
    /// - Throws: `NetworkingError` with `notStarted` if the batch was not enqueued, and with `cancelled` if the task is
    ///   cancelled first. Errors of members are in the outcome, and are not thrown.
    public func waitUntilFinished() async throws(NetworkingError) {
        guard state.withLock({ $0.hasBegun }) else { throw .batchNotStarted }
        let hasEnded = await TaskWait.forEvent { wait in
            state.withLock { $0.keepUntilEnd(wait) }
        } onCancel: { [self] wait in
            giveUp(wait)
        }
        guard hasEnded || state.withLock({ $0.hasEnded }) else { throw .waitCancelled }
    }

    /// Suspends the calling task until the completion has run, and returns the outcome. Cancelling the task ends the
    /// suspension, and the batch continues.
    ///
    /// - Throws: as `waitUntilFinished()` does.
    public func outcome() async throws(NetworkingError) -> BatchOutcome {
        try await waitUntilFinished()
        return finalOutcome
    }

    /// Suspends the calling task until the completion has run. Cancelling the task cancels the batch.
    func waitAsOwner() async -> BatchOutcome {
        _ = await TaskWait.forEvent { wait in
            state.withLock { $0.keepUntilEnd(wait) }
        } onCancel: { [self] _ in
            cancel()
        }
        return finalOutcome
    }

    func giveUp(_ wait: TaskWait) {
        state.withLock { $0.remove(wait) }
        wait.end(hasCome: false)
    }

    private var finalOutcome: BatchOutcome {
        let (counts, reason, isSuccess, operations) = state.withLock {
            ($0.counts, $0.stopReason, $0.isSuccess, $0.operations)
        }
        let results = operations.map { operation in
            guard let result = operation.result else { preconditionFailure("a batch that ended has an outcome") }
            return result
        }
        return BatchOutcome(results: results, counts: counts, stopReason: reason, isSuccess: isSuccess)
    }
}

extension Batch: CustomStringConvertible {
    /// The numbers of members, for logs.
    public var description: String {
        let (counts, total) = state.withLock { ($0.counts, $0.operations.count) }
        let kinds = [
            (counts.successCount, "succeeded"), (counts.failureCount, "failed"), (counts.skippedCount, "skipped"),
            (counts.cancelledCount, "cancelled"),
        ]
        let ends = kinds.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined()
        return "<Batch: \(counts.finishedCount) of \(total) operations finished\(ends)>"
    }
}

// MARK: - Control

extension Batch {
    /// Cancels every member that has not finished.
    public func cancel() { stop(.cancelled) }

    /// Pauses every member. Members that the batch adds later are paused, too.
    public func pause() {
        applyPause(to: state.withLock { $0.setPaused(true) }, arePaused: false)
    }

    /// Resumes every member.
    public func resume() {
        applyPause(to: state.withLock { $0.setPaused(false) }, arePaused: true)
    }

    /// Pauses or resumes members until they agree with the batch, which other threads can pause and resume meanwhile.
    func applyPause(to operations: [HTTPRequestOperation], arePaused: Bool) {
        var arePaused = arePaused
        while case let isPaused = state.withLock({ $0.isPaused }), isPaused != arePaused {
            for operation in operations { _ = isPaused ? operation.pause() : operation.resume() }
            arePaused = isPaused
        }
    }

    private func stop(_ reason: BatchOutcome.StopReason) {
        guard state.withLock({ $0.stop(reason) }) else { return }
        cancelRest(reason)
    }

    func cancelRest(_ reason: BatchOutcome.StopReason) {
        cancelRest(because: NetworkingError(.cancelled, reason.message(options)))
    }

    private func cancelRest(because reason: NetworkingError) {
        let (operations, inner) = state.withLock { state in
            state.close()
            return (state.operations, state.innerBatches)
        }
        for batch in inner { batch.state.withLock { $0.close() } }
        // In reverse order, so that an operation is cancelled before the cancellation of a dependency makes it ready.
        for operation in operations.reversed() where !operation.isFinished {
            operation.cancel(because: reason)
        }
        // Members that an inner batch has added in the meantime.
        for batch in inner { batch.cancelRest(because: reason) }
    }

    func startTimer() {
        guard let timeout = options.timeout else { return }
        let timer = Task { [weak self] in
            guard (try? await Task.sleep(for: timeout)) != nil else { return }
            self?.stop(.timedOut)
        }
        timeoutTimer.withLock { $0 = timer }
    }

    func stopTimer() {
        timeoutTimer.withLock { timer in
            defer { timer = nil }
            return timer
        }?.cancel()
    }
}

extension BatchOutcome.StopReason {
    /// The error message of a member that is cancelled for this reason.
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
