// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Dispatch
internal import Foundation
internal import Synchronization

extension RequestOperation {
    /// Called with the bytes since the last call, the bytes so far, and the bytes expected (-1 when unknown).
    public typealias ProgressHandler = @Sendable (_ byteCount: Int64, _ total: Int64, _ expected: Int64) -> Void

    /// Called with a response that could be cached; the returned response is cached, and nil caches nothing.
    public typealias CacheResponseBlock =
        @Sendable (_ operation: RequestOperation, _ response: CachedResponse) -> CachedResponse?

    package typealias CompletionHandler = @Sendable (RequestOperation) -> Void

    /// The queue on which handlers run. Default nil: the library's serial queue `org.bluebonnet.callbacks`. A
    /// concurrent queue does not keep the order of handlers. Use `.main` only in a program that runs its main queue.
    public var completionQueue: DispatchQueue? {
        get { shared.withLock { $0.completionQueue } }
        set { replace(\.completionQueue, with: newValue) }
    }

    /// A group that is entered before the operation is finished and left when its completion handlers have run. Default
    /// nil.
    public var completionGroup: DispatchGroup? {
        get { shared.withLock { $0.completionGroup } }
        set { replace(\.completionGroup, with: newValue) }
    }

    /// Sets the handler that is called on `completionQueue` while body bytes are sent, a few times a second and at the
    /// end.
    public func setUploadProgress(_ handler: ProgressHandler?) {
        replace(\.settableUploadProgress, with: handler)
    }

    /// Sets the handler that is called on `completionQueue` while body bytes arrive, a few times a second and at the
    /// end. Bytes are counted after decoding.
    public func setDownloadProgress(_ handler: ProgressHandler?) {
        replace(\.settableDownloadProgress, with: handler)
    }

    /// Sets the block that decides whether, and in which form, the response is stored in
    /// `TransferOptions.responseCache`. It is called on a queue of the library, before the operation is finished, and
    /// only when the operation succeeded with a response that may be stored (RFC 9111). Default nil: the response is
    /// stored unchanged.
    public func setCacheResponseBlock(_ block: CacheResponseBlock?) {
        replace(\.extras.blocks.cacheResponse, with: block)
    }

    /// Suspends the calling task until the operation is finished. Cancelling the task cancels the operation. The
    /// blocking `waitUntilFinished()` is Foundation's.
    ///
    /// The operation has to be started, by a queue or by `start()`; otherwise the call never returns.
    public func waitUntilEnded() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isFinished = shared.withLock { state in
                    // A finished operation may still have waiters for a moment: delivery takes them after the state has
                    // changed.
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
