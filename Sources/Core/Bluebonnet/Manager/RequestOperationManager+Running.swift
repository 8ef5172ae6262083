// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

// Async calls that own the operation or batch for which they wait: cancelling the calling task cancels it.
extension RequestOperationManager {
    /// Runs an operation and waits for its end. Adds the operation to `operationQueue`, unless it is in a queue or was
    /// started before. Cancelling the task cancels the operation.
    ///
    /// ```swift
    /// let operation = manager.operation("GET", "big.bin")
    /// operation.outputFile = URL(fileURLWithPath: "/tmp/big.bin")
    /// try await manager.run(operation)
    /// ```
    ///
    /// - Returns: the response object.
    /// - Throws: the operation's `NetworkingError`. If the task was cancelled, the error is `cancelled`, with a
    ///   `CancellationError` as `underlying`.
    @discardableResult
    public func run(_ operation: HTTPRequestOperation) async throws(NetworkingError) -> any Sendable {
        enqueueIfFree(operation)
        await operation.waitAsOwner()
        return try operation.ownedValue { () throws(NetworkingError) in try operation.finalValue() }
    }

    /// Runs a handle's operation and waits for its value, as `run(_:)` does with an operation.
    ///
    /// - Throws: as `run(_:)` does; `cannotParseResponse` if the serializer makes another type.
    @discardableResult
    public func run<Value: Sendable>(_ handle: RequestHandle<Value>) async throws(NetworkingError) -> Value {
        let operation = handle.operation
        enqueueIfFree(operation)
        await operation.waitAsOwner()
        return try operation.ownedValue { () throws(NetworkingError) in try operation.finalValue(as: Value.self) }
    }

    /// Runs a batch and waits for its end. Enqueues the batch, unless that was done before. Cancelling the task cancels
    /// the batch.
    ///
    /// - Returns: the outcome, with the result of each member.
    @discardableResult
    public func run(_ batch: Batch) async -> BatchOutcome {
        enqueue(batch, onlyOnce: true, progress: nil, completion: nil)
        return await batch.waitAsOwner()
    }

    /// Adds an operation to `operationQueue`, unless it is in a `RequestOperationQueue` or was started. An operation
    /// that is also in a Foundation queue is started once, by the queue that comes first.
    func enqueueIfFree(_ operation: HTTPRequestOperation) {
        operationQueue.enqueueIfFree(operation)
        operationQueue.schedule()
    }
}

extension HTTPRequestOperation {
    /// Returns the value. If the cancellation of the calling task ended the operation, the error gets a
    /// `CancellationError` as `underlying`.
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
    /// The error of waiting for an operation that is in no queue and was not started.
    static func notStarted(_ operation: RequestOperation) -> NetworkingError {
        let call = "run it with RequestOperationManager.run(_:), or add it to a queue first"
        return NetworkingError(
            .notStarted, "the operation was not started, so waiting for it would never end: \(call)",
            request: operation.request)
    }

    /// The error of an operation that a drained manager does not start.
    static var drained: NetworkingError {
        NetworkingError(
            .notStarted,
            "nothing was sent: the manager was drained and starts no more operations; create a new manager")
    }

    /// The error of waiting for a batch that was not enqueued.
    static var batchNotStarted: NetworkingError {
        let call = "run it with RequestOperationManager.run(_:), or enqueue it first"
        return NetworkingError(.notStarted, "the batch was not enqueued, so waiting for it would never end: \(call)")
    }

    /// The error of a waiting task that was cancelled.
    static var waitCancelled: NetworkingError {
        NetworkingError(
            .cancelled, "the waiting task was cancelled; the work continues",
            underlying: CancellationError())
    }
}

extension RequestOperationManager {
    /// Waits for the validations of stale responses (`stale-while-revalidate`) that the manager's cache has begun in
    /// the background. A program that ends right after its requests calls it first: a validation that is cut off
    /// changes nothing, and the next program gets the same stale response.
    ///
    /// - Parameter timeout: the longest wait. Validations that run longer continue.
    /// - Returns: whether all of them have ended.
    @discardableResult
    public func finishValidations(within timeout: Duration) async -> Bool {
        await services.finishValidations(within: timeout)
    }
}
