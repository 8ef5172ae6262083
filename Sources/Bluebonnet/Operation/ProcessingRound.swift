// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

/// Collects the operations whose transfers ended in one round of the event loop, and hands them to the processing queue
/// in one hop. Network thread only.
final class ProcessingRound {
    static let shared = NetworkBound(ProcessingRound())

    /// A body over this size is processed on a queue of its own, where it holds up no small one.
    private static let largeByteCount = 64 * 1024

    private var operations: [RequestOperation] = []
    private var nextLargeQueue = 0

    func add(_ operation: RequestOperation) {
        if operation.hasLargeProcessing(over: Self.largeByteCount) {
            nextLargeQueue = (nextLargeQueue + 1) % Queues.largeProcessing.count
            Queues.largeProcessing[nextLargeQueue].async { Self.process([operation]) }
            return
        }
        if operations.isEmpty { NetworkThread.shared.eventLoop.atEndOfRound { [self] in flush() } }
        operations.append(operation)
    }

    private func flush() {
        let round = operations
        operations = []
        Queues.processing.async { Self.process(round) }
    }

    private static func process(_ operations: [RequestOperation]) {
        var callbacks = CallbackRound()
        for operation in operations { operation.process(into: &callbacks) }
        callbacks.flush()
    }
}

@available(*, unavailable)
extension ProcessingRound: Sendable {}

/// Collects handlers and hands them to their queues: one hop for neighbours on the same queue.
struct CallbackRound {
    typealias Callback = @Sendable () -> Void
    private var queue: DispatchQueue?
    private var callbacks: [Callback] = []

    mutating func add(on queue: DispatchQueue, _ callback: @escaping Callback) {
        if self.queue !== queue { flush() }
        self.queue = queue
        callbacks.append(callback)
    }

    mutating func flush() {
        guard let queue, !callbacks.isEmpty else { return }
        queue.async { [callbacks] in
            for callback in callbacks { callback() }
        }
        callbacks = []
    }
}

// MARK: - One operation's processing

extension RequestOperation {
    fileprivate func hasLargeProcessing(over byteCount: Int) -> Bool {
        shared.withLock { state in
            switch state.transferResult?.content {
            case nil, .none?, .stream?: false
            case .memory(let data)?: data.count > byteCount
            case .file?: true
            }
        }
    }

    /// Validates and serializes, finishes, and queues the handlers. On a processing queue.
    fileprivate func process(into callbacks: inout CallbackRound) {
        let result = shared.withLock { state in
            defer { state.transferResult = nil }
            return state.transferResult ?? .cancelledBeforeStart(state.source)
        }
        result.unusedFile?.keepOrRemove(canContinue: result.keepsUnusedFile)
        var outcome = makeOutcome(from: result)
        if outcome.error == nil { keepInCache(result) }
        if case .file(let file, _) = outcome.result.content {
            file.unlock()
            outcome.result.content = .none
        }
        outcome.result.unusedFile?.unlock()
        outcome.result.unusedFile = nil
        let group = completionGroup
        group?.enter()
        handle(.processed, outcome: outcome)
        deliver(into: &callbacks, group: group)
    }

    private func keepInCache(_ result: TransferResult) {
        guard let exchange = result.cacheExchange else { return }
        let block = shared.withLock { $0.blocks.cacheResponse }
        exchange.keep(result) { response in block.map { $0(self, response) } ?? response }
    }

    /// After the operation is finished: dependents and queues hear of it, then the handlers run, then the batch's.
    private func deliver(into callbacks: inout CallbackRound, group: DispatchGroup?) {
        let delivery = shared.withLock { $0.takeDelivery() }
        DependencyNode.release(shared.withLock { $0.node.takeDependencies() })
        finishProgress()
        delivery.chunkChannel?.finish(error.map(BodyChannel.End.failed) ?? .complete)
        for waiter in delivery.waiters { waiter.resume() }
        for dependent in delivery.dependents { dependent.dependencyFinished(self) }
        delivery.queue?.operationFinished(self)
        OperationNotification.finish.post(for: self)
        guard delivery.hasHandlers || group != nil else { return }
        callbacks.add(on: delivery.callbackQueue ?? Queues.callbacks) { [self] in
            delivery.completionBlock?()
            for handler in delivery.handlers { handler(self) }
            group?.leave()
        }
    }
}

extension TransferResult {
    /// The result of an operation that was cancelled before it was started.
    fileprivate static func cancelledBeforeStart(_ source: RequestSource) -> TransferResult {
        var result = TransferResult()
        if case .ready(let request) = source { result.request = request }
        result.error = NetworkingError(
            .cancelled, "the operation was cancelled before it started", request: result.request)
        return result
    }
}

/// What is let go and told when an operation is finished. What users gave is let go outside the lock: releasing it may
/// run code of theirs.
private struct Delivery {
    let waiters: [CheckedContinuation<Void, Never>]
    let dependents: [RequestOperation]
    let queue: RequestOperationQueue?
    let callbackQueue: DispatchQueue?
    let completionBlock: (@Sendable () -> Void)?
    let handlers: [RequestOperation.CompletionHandler]
    let uploadProgress: RequestOperation.ProgressHandler?
    let downloadProgress: RequestOperation.ProgressHandler?
    let source: RequestSource
    let chunkChannel: BodyChannel?

    var hasHandlers: Bool { completionBlock != nil || !handlers.isEmpty }
}

extension RequestOperationState {
    fileprivate mutating func takeDelivery() -> Delivery {
        let delivery = Delivery(
            waiters: waiters, dependents: node.finish(), queue: queue, callbackQueue: completionQueue,
            completionBlock: completionBlock, handlers: completionHandlers + batchHandlers,
            uploadProgress: uploadProgress, downloadProgress: downloadProgress,
            source: source, chunkChannel: chunkChannel)
        isDelivered = true
        queue = nil
        waiters = []
        completionBlock = nil
        completionHandlers = []
        batchHandlers = []
        uploadProgress = nil
        downloadProgress = nil
        chunkChannel = nil
        if case .made = source { source = .used }
        return delivery
    }
}
