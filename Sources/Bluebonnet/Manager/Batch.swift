// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

/// Several operations with one progress and one completion.
///
/// The completion runs exactly once, after every member's own handlers, also for an empty batch. Members that fail or
/// are cancelled count as finished.
public final class Batch: Sendable {
    /// The members, in the order in which they were given.
    public let operations: [HTTPRequestOperation]
    private let group = DispatchGroup()
    private let finishedCount = Mutex(0)

    init(_ operations: [HTTPRequestOperation]) {
        self.operations = operations
    }

    /// Each member's outcome in the order of `operations`; nil for one that is not finished.
    public var results: [Result<any Sendable, NetworkingError>?] { operations.map(\.result) }

    /// Cancels every member.
    public func cancel() {
        for operation in operations { operation.cancel() }
    }

    /// Pauses every member.
    public func pause() {
        for operation in operations { operation.pause() }
    }

    /// Resumes every member.
    public func resume() {
        for operation in operations { operation.resume() }
    }

    /// Waits until the completion has run.
    public func finished() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                group.notify(queue: Queues.callbacks) { waiter.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Hooks the members up, before any of them is started.
    func begin(
        on queue: DispatchQueue, progress: (@Sendable (Int, Int) -> Void)?,
        completion: (@Sendable ([HTTPRequestOperation]) -> Void)?
    ) {
        group.enter()
        let members = DispatchGroup()
        for operation in operations {
            members.enter()
            operation.addBatchHandler { [self] _ in
                let count = finishedCount.withLock { count in
                    count += 1
                    return count
                }
                progress?(count, operations.count)
                members.leave()
            }
        }
        members.notify(queue: queue) { [self] in
            completion?(operations)
            group.leave()
        }
    }
}

extension RequestOperationManager {
    /// Runs operations as one batch.
    ///
    /// - Parameters:
    ///   - operations: made by `operation(with:)` or otherwise, not yet in a queue.
    ///   - progress: called after each member's handlers, on that member's `completionQueue`, with how many are
    ///     finished and how many there are.
    ///   - completion: called once on the manager's `completionQueue`, when all is over.
    @discardableResult
    public func enqueueBatch(
        of operations: [HTTPRequestOperation],
        progress: (@Sendable (_ finishedCount: Int, _ totalCount: Int) -> Void)? = nil,
        completion: (@Sendable (_ operations: [HTTPRequestOperation]) -> Void)? = nil
    ) -> Batch {
        let batch = Batch(operations)
        batch.begin(on: completionQueue ?? Queues.callbacks, progress: progress, completion: completion)
        operationQueue.addOperations(operations)
        return batch
    }

    /// Runs operations as one batch, when only its end is of interest.
    ///
    /// - Parameter completion: called once on the manager's `completionQueue`, when all is over.
    @discardableResult
    public func enqueueBatch(
        of operations: [HTTPRequestOperation],
        completion: @escaping @Sendable (_ operations: [HTTPRequestOperation]) -> Void
    ) -> Batch {
        enqueueBatch(of: operations, progress: nil, completion: completion)
    }
}
