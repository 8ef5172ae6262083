// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
public import Foundation

extension RequestOperation {
    /// Prepares operations to run as a batch in any queue, like AFNetworking's method of this name. Use `Batch` in new
    /// code.
    ///
    /// Add all returned operations to a queue; nothing runs before that. Operations that fail or are cancelled count as
    /// finished.
    ///
    /// - Parameters:
    ///   - operations: the members, which are not yet in a queue.
    ///   - progress: called after each operation's handlers, on its `completionQueue`, with the number of finished
    ///     operations and the number of all operations.
    ///   - completion: called once on `org.bluebonnet.callbacks`, after every operation's handlers; also for an empty
    ///     batch.
    /// - Returns: the operations, followed by an operation that ends the batch.
    public static func batchOfRequestOperations(
        _ operations: [RequestOperation],
        progress: (@Sendable (_ finishedCount: Int, _ totalCount: Int) -> Void)? = nil,
        completion: (@Sendable (_ operations: [RequestOperation]) -> Void)? = nil
    ) -> [Operation] {
        let end = BatchEndOperation(operations, completion)
        for operation in operations {
            operation.addBatchHandler { _ in
                let left = end.count()
                progress?(operations.count - left, operations.count)
                if left == 0 { end.announceReadiness() }
            }
        }
        return operations + [end]
    }

    /// Prepares operations to run as a batch in any queue, with a completion for its end. See
    /// `batchOfRequestOperations(_:progress:completion:)`.
    public static func batchOfRequestOperations(
        _ operations: [RequestOperation], completion: @escaping @Sendable (_ operations: [RequestOperation]) -> Void
    ) -> [Operation] {
        batchOfRequestOperations(operations, progress: nil, completion: completion)
    }
}

/// The operation that ends a batch. It is ready when all operations of the batch have ended and their handlers have
/// run. It counts the ends instead of depending on the operations, because dependencies would take quadratic time in
/// Foundation.
final class BatchEndOperation: Operation, @unchecked Sendable {  // safe: all state is in Mutexes, as in Operation
    private struct State {
        var operations: [RequestOperation]
        var completion: (@Sendable ([RequestOperation]) -> Void)?
        var leftCount: Int
        var whenReady: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    init(_ operations: [RequestOperation], _ completion: (@Sendable ([RequestOperation]) -> Void)?) {
        state = Mutex(State(operations: operations, completion: completion, leftCount: operations.count))
    }

    override var isReady: Bool {
        super.isReady && (isCancelled || state.withLock { $0.leftCount == 0 })
    }

    override func main() { complete() }

    /// Foundation does not run the main function of a cancelled operation. The completion is called nevertheless, after
    /// the batch's operations.
    override func cancel() {
        super.cancel()
        if state.withLock({ $0.leftCount == 0 }) { complete() }
    }

    /// Calls the completion once.
    private func complete() {
        let (operations, completion) = state.withLock { state in
            defer { (state.operations, state.completion) = ([], nil) }
            return (state.operations, state.completion)
        }
        if let completion { Queues.callbacks.async { completion(operations) } }
    }

    /// Counts an operation that has ended; returns the number of unfinished operations.
    fileprivate func count() -> Int {
        state.withLock { state in
            state.leftCount -= 1
            return state.leftCount
        }
    }

    fileprivate func announceReadiness() {
        if isCancelled { complete() }
        didChangeValue(forKey: "isReady")
        let action = state.withLock { state in
            defer { state.whenReady = nil }
            return state.whenReady
        }
        action?()
    }

    /// Calls `action` when all operations have ended; immediately if they have already ended.
    func whenReady(_ action: @escaping @Sendable () -> Void) {
        let isReady = state.withLock { state in
            if state.leftCount > 0 { state.whenReady = action }
            return state.leftCount == 0
        }
        if isReady { action() }
    }
}

extension BatchEndOperation: ReadinessAnnouncer {}
