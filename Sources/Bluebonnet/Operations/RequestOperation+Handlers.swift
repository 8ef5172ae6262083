// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Dispatch
internal import Foundation
internal import Synchronization

extension RequestOperation {
    /// Called with the bytes since the last call, the bytes so far, and the bytes expected (-1 when unknown).
    public typealias ProgressHandler = @Sendable (_ byteCount: Int64, _ total: Int64, _ expected: Int64) -> Void

    /// Called with the response that could be kept; what it gives back is kept, and nil is not.
    public typealias CacheResponseBlock =
        @Sendable (_ operation: RequestOperation, _ response: CachedResponse) -> CachedResponse?

    package typealias CompletionHandler = @Sendable (RequestOperation) -> Void

    /// Where handlers run; nil, the default, is the library's serial queue `org.bluebonnet.callbacks`. On a concurrent
    /// queue their order is not kept. Use `.main` only where the main queue runs.
    public var completionQueue: DispatchQueue? {
        get { shared.withLock { $0.completionQueue } }
        set { replace(\.completionQueue, with: newValue) }
    }

    /// A group in which the completion handlers run: it is entered before the operation is finished and left when its
    /// handlers have run. Default nil.
    public var completionGroup: DispatchGroup? {
        get { shared.withLock { $0.completionGroup } }
        set { replace(\.completionGroup, with: newValue) }
    }

    /// Is told as body bytes leave, a few times a second and at the end.
    public func setUploadProgress(_ handler: ProgressHandler?) {
        replace(\.settableUploadProgress, with: handler)
    }

    /// Is told as body bytes arrive, after decoding, a few times a second and at the end.
    public func setDownloadProgress(_ handler: ProgressHandler?) {
        replace(\.settableDownloadProgress, with: handler)
    }

    /// Sets what decides whether, and as what, the response is kept in `TransferOptions.responseCache`: called before
    /// the operation is finished, on a processing queue of the library's, and only for a response that may be kept (RFC
    /// 9111) of an operation that succeeded. Without one it is kept as it is.
    public func setCacheResponseBlock(_ block: CacheResponseBlock?) {
        replace(\.extras.blocks.cacheResponse, with: block)
    }

    /// Waits until the operation is finished. Cancelling the waiting task cancels the operation.
    ///
    /// The operation has to be started: by a queue, or by `start()`.
    public func waitUntilEnded() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isFinished = shared.withLock { state in
                    // A finished one may still hold its waiters for a moment: delivery takes them after the state.
                    if !state.isDelivered { state.waiters.append(waiter) }
                    return state.isDelivered
                }
                if isFinished { waiter.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Adds a handler that runs on `completionQueue` once the operation is finished; at once when it is already.
    package func addCompletionHandler(_ handler: @escaping CompletionHandler) {
        add(handler) { $0.completionHandlers.append(handler) }
    }

    /// Adds a batch's handler, which runs after all of the user's.
    func addBatchHandler(_ handler: @escaping CompletionHandler) {
        add(handler) { $0.batchHandlers.append(handler) }
    }

    private func add(_ handler: @escaping CompletionHandler, keep: (inout RequestOperationState) -> Void) {
        let lateQueue: DispatchQueue? = shared.withLock { state in
            guard state.isDelivered, !state.hasHandlersOnTheirWay else {
                keep(&state)
                return nil
            }
            return state.completionQueue ?? Queues.callbacks
        }
        lateQueue?.async { [self] in handler(self) }
    }
}
