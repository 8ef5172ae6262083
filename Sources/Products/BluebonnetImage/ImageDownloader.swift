// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import BluebonnetLocks
public import Dispatch
public import Foundation
public import FoundationNetworking

/// Downloads images, a few at a time, with one transfer for all requests for the same image, and stores them in a
/// cache.
///
/// ```swift
/// let image = try await ImageDownloader.shared.image(for: url)
/// ```
///
/// All members may be used from any thread.
public final class ImageDownloader: Sendable {
    /// The order of waiting downloads.
    public enum Prioritization: Sendable {
        /// The oldest download is next.
        case firstInFirstOut
        /// The newest download is next.
        case lastInFirstOut
    }

    /// The configuration of a downloader.
    public struct Configuration: Sendable {
        /// The order of waiting downloads. Default `firstInFirstOut`.
        public var prioritization = Prioritization.firstInFirstOut
        /// The maximum number of concurrent downloads. Default 4.
        public var maximumActiveDownloadCount = 4
        /// Limits, trust and proxy of the downloads.
        public var transferOptions = TransferOptions()
        /// Makes images from bodies.
        public var responseSerializer = ImageResponseSerializer()
        /// The queue on which handlers run. Default nil: the downloader's serial queue `org.bluebonnet.images`.
        public var completionQueue: DispatchQueue?

        /// Makes a configuration with the defaults.
        public init() {}
    }

    /// An image and its response; the response is nil if the image came from the cache.
    public typealias Success = (image: RasterImage, response: HTTPURLResponse?)
    /// A downloader with the defaults and its own cache, for the whole program.
    public static let shared = ImageDownloader()

    /// Called once for each call of `download`, on the completion queue.
    public typealias Completion = @Sendable (Result<Success, NetworkingError>) -> Void

    /// Identifies one call of `download`, for `cancel(_:)`.
    public struct Receipt: Sendable, Hashable {
        /// The identifier that the caller gave, or a unique identifier for each call.
        public let id: UUID
        let key: DownloadList<Completion>.Key
    }

    /// The state that the lock protects.
    private struct State {
        var list: DownloadList<Completion>
        var operations: [Int: HTTPRequestOperation] = [:]
    }

    /// The cache of images; nil without one.
    public let imageCache: (any ImageCaching)?
    private let manager: RequestOperationManager
    private let queue: DispatchQueue
    private let state: Mutex<State>

    /// Makes a downloader with a connection limit and a queue, and with a new cache unless a cache is given.
    public init(configuration: Configuration = Configuration(), imageCache: (any ImageCaching)? = ImageCache()) {
        let count = configuration.maximumActiveDownloadCount
        precondition(count > 0, "a downloader must allow at least one download")
        var limits = RequestOperationManager.Configuration()
        limits.maximumConcurrentTransferCount = count
        limits.maximumConcurrentTransferCountPerOrigin = count
        limits.transferOptions = configuration.transferOptions
        queue = configuration.completionQueue ?? DispatchQueue(label: "org.bluebonnet.images")
        manager = RequestOperationManager(configuration: limits)
        manager.responseSerializer = configuration.responseSerializer
        manager.completionQueue = queue
        self.imageCache = imageCache
        state = Mutex(
            State(list: DownloadList(limit: count, isLastInFirstOut: configuration.prioritization == .lastInFirstOut)))
    }

    /// Downloads an image, or returns it from the cache if the request's cache policy allows that.
    ///
    /// The receipt has the given identifier, which must be unique among the calls for the image. Default: a new
    /// identifier.
    /// - Returns: a receipt for `cancel(_:)`; nil if nothing is downloaded, because the image was in the cache or the
    ///   request has no URL.
    @discardableResult
    public func download(
        _ request: URLRequest, receiptID: UUID = UUID(), completion: @escaping Completion
    ) -> Receipt? {
        guard let url = request.url else {
            deliver(.failure(NetworkingError(.badURL, "the request has no URL", request: request)), to: [completion])
            return nil
        }
        if let result = cached(request) {
            deliver(result, to: [completion])
            return nil
        }
        let key = DownloadList<Completion>.Key(
            url: url.absoluteString, headers: (request.allHTTPHeaderFields ?? [:]).mapValues { Array($0.utf8) })
        let receipt = Receipt(id: receiptID, key: key)
        let operation = manager.operation(with: request)
        let number = state.withLock { state in
            let number = state.list.add(completion, receipt: receipt.id, key: key)
            if let number { state.operations[number] = operation }
            return number
        }
        guard let number else { return receipt }
        // The blocks retain the downloader until all handlers have been called.
        operation.setCompletionBlock { [self] operation, value in
            finish(number, request, operation, .success(value))
        } failure: { [self] operation, error in
            finish(number, request, operation, .failure(error))
        }
        startWaiting()
        return receipt
    }

    /// Cancels one call of `download`: its handler is called with the error `cancelled`. Cancelling the last call for
    /// an image cancels the transfer. Has no effect after the receipt's handler has been called.
    public func cancel(_ receipt: Receipt) {
        let (removed, abandoned) = state.withLock { state in
            let removed = state.list.remove(receipt.id, key: receipt.key)
            return (removed, removed?.abandoned.flatMap { state.operations.removeValue(forKey: $0) })
        }
        guard let removed else { return }
        abandoned?.cancel()
        deliver(.failure(NetworkingError(.cancelled, "the image download was cancelled")), to: [removed.handler])
        startWaiting()
    }
}

// MARK: - Implementation

extension ImageDownloader {
    private func cached(_ request: URLRequest) -> Result<Success, NetworkingError>? {
        switch request.cachePolicy {
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: break
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData:
            return nil
        @unknown default: return nil
        }
        if let cache = imageCache, let image = cache.image(withIdentifier: cache.identifier(for: request)) {
            return .success((image, nil))
        }
        guard request.cachePolicy == .returnCacheDataDontLoad else { return nil }
        let message = "the image is not in the cache, and the request's cache policy forbids loading it"
        return .failure(NetworkingError(.notConnected, message, request: request))
    }

    private func startWaiting() {
        let operations = state.withLock { state in state.list.startable().compactMap { state.operations[$0] } }
        for operation in operations { manager.operationQueue.addOperation(operation) }
    }

    /// On the completion queue, once for each started operation.
    private func finish(
        _ number: Int, _ request: URLRequest, _ operation: HTTPRequestOperation,
        _ result: Result<any Sendable, NetworkingError>
    ) {
        let handlers = state.withLock { state in
            state.operations[number] = nil
            return state.list.finish(number)
        }
        startWaiting()
        switch result {
        case .failure(let error): for handler in handlers { handler(.failure(error)) }
        case .success(let value):
            guard let image = value as? RasterImage else { preconditionFailure("the serializer makes images") }
            keep(image, request)
            for handler in handlers { handler(.success((image, operation.response))) }
        }
    }

    private func keep(_ image: RasterImage, _ request: URLRequest) {
        guard let imageCache, imageCache.shouldCache(image, for: request) else { return }
        imageCache.add(image, withIdentifier: imageCache.identifier(for: request))
    }

    private func deliver(_ result: Result<Success, NetworkingError>, to handlers: [Completion]) {
        queue.async { for handler in handlers { handler(result) } }
    }
}

// MARK: - Async functions

extension ImageDownloader {
    /// Downloads an image, or returns it from the cache. Cancelling the calling task cancels the call.
    ///
    /// - Throws: `NetworkingError`.
    public func image(for url: URL) async throws(NetworkingError) -> RasterImage {
        try await image(for: URLRequest(url: url))
    }

    /// Downloads an image, or returns it from the cache if the request's cache policy allows that. Cancelling the
    /// calling task cancels the call.
    ///
    /// - Throws: `NetworkingError`.
    public func image(for request: URLRequest) async throws(NetworkingError) -> RasterImage {
        let pending = PendingReceipt()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let receipt = download(request) { waiter.resume(returning: $0) }
                if let receipt, pending.arrived(receipt) { cancel(receipt) }
            }
        } onCancel: {
            if let receipt = pending.cancelled() { cancel(receipt) }
        }
        return try result.get().image
    }
}

/// Combines a receipt and a cancellation, which may arrive in any order.
private final class PendingReceipt: Sendable {
    private let state = Mutex<(receipt: ImageDownloader.Receipt?, isCancelled: Bool)>((nil, false))

    /// Stores the receipt. Returns whether the task was already cancelled.
    func arrived(_ receipt: ImageDownloader.Receipt) -> Bool {
        state.withLock { state in
            state.receipt = receipt
            return state.isCancelled
        }
    }

    /// Records the cancellation. Returns the receipt if it has arrived.
    func cancelled() -> ImageDownloader.Receipt? {
        state.withLock { state in
            state.isCancelled = true
            return state.receipt
        }
    }
}
