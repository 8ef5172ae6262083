// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

extension RequestOperationManager {
    /// Runs a batch: adds its operations that are not yet in a queue to `operationQueue`.
    ///
    /// - Parameters:
    ///   - batch: the batch, which can be run once.
    ///   - progress: called after each member's handlers, on that member's `completionQueue`, with the number of
    ///     finished members and the number of all members.
    ///   - completion: called once on the manager's `completionQueue`, when the batch has ended.
    @discardableResult
    public func enqueue(
        _ batch: Batch, progress: (@Sendable (_ finishedCount: Int, _ totalCount: Int) -> Void)? = nil,
        completion: (@Sendable (Batch) -> Void)? = nil
    ) -> Batch {
        enqueue(batch, onlyOnce: false, progress: progress, completion: completion)
        return batch
    }

    /// - Parameter onlyOnce: whether a batch that was enqueued before is ignored; otherwise a second call traps.
    func enqueue(
        _ batch: Batch, onlyOnce: Bool, progress: (@Sendable (_ finishedCount: Int, _ totalCount: Int) -> Void)?,
        completion: (@Sendable (Batch) -> Void)?
    ) {
        let operations = batch.operations
        let hasBegun = batch.begin(with: batchHost, progress: progress, completion: completion)
        guard hasBegun else { return precondition(onlyOnce, "a batch can be run once") }
        enqueue(ofBatch: operations)
    }

    private var batchHost: BatchRun.Host {
        BatchRun.Host(queue: completionQueue ?? Queues.callbacks) { [self] operations in
            enqueue(ofBatch: operations)
        } makeFailure: { [self] error in
            operation(.recipe(RequestPlan.Recipe { _ in throw error }), serializer: nil)
        }
    }

    private func enqueue(ofBatch operations: [HTTPRequestOperation]) {
        for operation in operations { operationQueue.enqueueIfFree(operation) }
        operationQueue.schedule()
    }

    /// Runs a batch, with a completion for its end.
    ///
    /// - Parameters:
    ///   - batch: the batch, which can be run once.
    ///   - completion: called once on the manager's `completionQueue`, when the batch has ended.
    @discardableResult
    public func enqueue(_ batch: Batch, completion: @escaping @Sendable (Batch) -> Void) -> Batch {
        enqueue(batch, progress: nil, completion: completion)
    }

    /// Runs operations as one batch.
    ///
    /// - Parameters:
    ///   - operations: created by `operation(with:)` or otherwise.
    ///   - options: the failure policy and the timeout; by default every operation runs.
    ///   - progress: called after each member's handlers, on that member's `completionQueue`, with the number of
    ///     finished members and the number of all members.
    ///   - completion: called once on the manager's `completionQueue`, when the batch has ended.
    @discardableResult
    public func enqueueBatch(
        of operations: [HTTPRequestOperation], options: Batch.Options = Batch.Options(),
        progress: (@Sendable (_ finishedCount: Int, _ totalCount: Int) -> Void)? = nil,
        completion: (@Sendable (_ operations: [HTTPRequestOperation]) -> Void)? = nil
    ) -> Batch {
        enqueue(Batch(of: operations, options: options), progress: progress) { batch in
            completion?(batch.operations)
        }
    }

    /// Runs operations as one batch, with a completion for its end.
    ///
    /// - Parameters:
    ///   - operations: the members.
    ///   - completion: called once on the manager's `completionQueue`, when the batch has ended.
    @discardableResult
    public func enqueueBatch(
        of operations: [HTTPRequestOperation],
        completion: @escaping @Sendable (_ operations: [HTTPRequestOperation]) -> Void
    ) -> Batch {
        enqueueBatch(of: operations, progress: nil, completion: completion)
    }
}
