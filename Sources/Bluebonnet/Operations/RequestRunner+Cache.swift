// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

// The cache is asked before admission, because a cached response needs no slot.
extension RequestRunner {
    /// Looks the request up in the cache, if it may be there, or waits for admission.
    func lookUpOrEnqueue() {
        guard let prepared, !hasLookedUp else { return enqueue() }
        hasLookedUp = true
        guard let cacheExchange, cacheExchange.mayBeAnswered else {
            guard prepared.cachePolicy != .returnCacheDataDontLoad else {
                return end(with: CacheExchange.notCached)
            }
            return enqueue()
        }
        phase = .preparing
        Queues.preparation.async { [operation, cacheExchange] in
            let answer = cacheExchange.answer()
            NetworkThread.shared.submit { operation.runner?.lookedUp(answer) }
        }
    }

    private func lookedUp(_ answer: CacheExchange.Answer) {
        guard case .preparing = phase else { return }  // cancelled meanwhile
        phase = .idle
        switch answer {
        case .found(let response): end(with: response)
        case .refused(let error): end(with: error)
        case .load: if !isHeld { enqueue() }
        }
    }

    /// Ends with a response that was kept.
    private func end(with cached: CachedResponse) {
        phase = .ended
        var result = TransferResult()
        result.request = prepared?.request
        result.head = cached.head
        result.content = .memory(cached.data)
        result.receivedByteCount = Int64(cached.data.count)
        summary.isFromCache = true
        result.summary = summary
        (prepared, exchange) = (nil, nil)
        operation.transferEnded(Box(result))
    }
}
