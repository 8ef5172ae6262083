// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

// Calls that own what they wait for: the end of the calling task is the end of the operation.
extension RequestOperationManager {
    /// Runs an operation and waits for its end: adds the operation to `operationQueue`, unless it is in a queue or was
    /// started before. Cancelling the task cancels the operation.
    ///
    /// ```swift
    /// let operation = manager.operation("GET", "big.bin")
    /// operation.outputFile = URL(fileURLWithPath: "/tmp/big.bin")
    /// try await manager.run(operation)
    /// ```
    ///
    /// - Returns: the response object.
    /// - Throws: the operation's `NetworkingError`. After a cancellation of the task it is `cancelled`, with a
    ///   `CancellationError` as `underlying`.
    @discardableResult
    public func run(_ operation: HTTPRequestOperation) async throws(NetworkingError) -> any Sendable {
        enqueueIfFree(operation)
        await operation.waitAsOwner()
        return try operation.ownedValue { () throws(NetworkingError) in try operation.finalValue() }
    }

    /// Runs a handle's operation and waits for its value, as `run(_:)` does with an operation.
    ///
    /// - Throws: as `run(_:)` does; `cannotParseResponse` when the serializer makes another type.
    @discardableResult
    public func run<Value: Sendable>(_ handle: RequestHandle<Value>) async throws(NetworkingError) -> Value {
        let operation = handle.operation
        enqueueIfFree(operation)
        await operation.waitAsOwner()
        return try operation.ownedValue { () throws(NetworkingError) in try operation.finalValue(as: Value.self) }
    }

    /// Runs a batch and waits for its end: enqueues the batch, unless that was done before. Cancelling the task cancels
    /// the batch.
    ///
    /// - Returns: the outcome, with the result of each member.
    @discardableResult
    public func run(_ batch: Batch) async -> BatchOutcome {
        enqueue(batch, onlyOnce: true, progress: nil, completion: nil)
        return await batch.waitAsOwner()
    }

    /// Adds an operation to `operationQueue`, unless it is in a queue of this kind or was started. An operation that
    /// also is in a queue of Foundation's is started once, by whichever queue is first.
    func enqueueIfFree(_ operation: HTTPRequestOperation) {
        operationQueue.enqueueIfFree(operation)
        operationQueue.schedule()
    }
}

extension HTTPRequestOperation {
    /// The value; an end by the cancellation of the calling task has that as its reason.
    func ownedValue<Value>(_ value: () throws(NetworkingError) -> Value) throws(NetworkingError) -> Value {
        do throws(NetworkingError) {
            return try value()
        } catch {
            guard error.code == .cancelled, error.underlying == nil, Task.isCancelled else { throw error }
            var error = error
            error.underlying = CancellationError()
            throw error
        }
    }
}

extension NetworkingError {
    /// Somebody waits for an operation that is in no queue and was not started.
    static func notStarted(_ operation: RequestOperation) -> NetworkingError {
        let call = "run it with RequestOperationManager.run(_:), or add it to a queue first"
        return NetworkingError(
            .notStarted, "the operation was not started, and would be waited for without end: \(call)",
            request: operation.request)
    }

    /// The error of an operation that a drained manager does not start.
    static var drained: NetworkingError {
        NetworkingError(
            .notStarted,
            "nothing was sent: the manager was drained, and starts no operation any more; make a new manager")
    }

    /// Somebody waits for a batch that was not enqueued.
    static var batchNotStarted: NetworkingError {
        let call = "run it with RequestOperationManager.run(_:), or enqueue it first"
        return NetworkingError(.notStarted, "the batch was not enqueued, and would be waited for without end: \(call)")
    }

    /// The waiting task was cancelled.
    static var waitCancelled: NetworkingError {
        NetworkingError(
            .cancelled, "the task that waited was cancelled; what it waited for goes on",
            underlying: CancellationError())
    }
}
