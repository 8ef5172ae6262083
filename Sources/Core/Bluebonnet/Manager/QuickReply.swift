// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

extension RequestOperationManager {
    /// Larger bodies are decoded on the processing queues, by an operation.
    private static let quickByteCount = 1 << 16

    /// Returns the response to an async call, if a fresh response in memory answers: on the caller's thread, without an
    /// operation. An operation's way to the network thread and back costs several times as much as the look-up.
    ///
    /// Nil if the program could miss the operation, if the request or the response is not accepted, for a redirect, and
    /// whenever the cache does not answer: then an operation asks the cache again, and has the right result.
    ///
    /// - Parameter source: a request that exists; nil is returned for a recipe.
    func quickReply<Value: Sendable>(
        to source: RequestPlan.Source, _ serializer: ResolvedSerializer
    ) -> Response<Value>? {
        guard let options = optionsWithoutOperation, case .request = source, !Task.isCancelled else { return nil }
        let start = MonotonicClock.now()
        guard let prepared = try? PreparedRequest(RequestPlan(source, options: options)),
            let question = HopCache.make(for: prepared)?.begin(prepared.first),
            case .answer(let reply, isStale: false, _) = question.ask(), case .data(let data) = reply.body,
            200...299 ~= reply.answer.statusCode || reply.answer.statusCode == 304,
            data.count <= min(Self.quickByteCount, options.value.maximumBodyByteCount)
        else { return nil }
        let head = reply.answer.head(of: prepared.first)
        let byteCount = Int64(data.count)
        let result = Box(
            TransferResult(
                request: prepared.request, head: head, content: .memory(data), receivedByteCount: byteCount))
        let processing = ResponseProcessing(serializer: serializer, expectedDigest: nil, wantsDigest: false)
        guard let value = processing.outcome(from: result).value as? Value else { return nil }
        services.counters.recordHit(receivedByteCount: byteCount)
        return Response(value: value, head: head, summary: TransferSummary(hit: reply.answer.status, since: start))
    }
}

extension RequestOperationManager {
    /// The options of calls that a cache in memory may answer without an operation; nil if the program could miss the
    /// operation: its monitors, blocks, groups and notifications, and the state of its queue.
    private var optionsWithoutOperation: ResolvedOptions? {
        let defaults = defaults
        let options = defaults.value.resolvedOptions
        guard options.hasQuickCache, defaults.value.configure == nil, defaults.value.blocks.isEmpty,
            defaults.value.completion.group == nil, !services.isDrained, operationQueue.startsAtOnce,
            !OperationNotification.isObserved
        else { return nil }
        return options
    }
}

extension TransferSummary {
    /// Makes the summary of an answer of the cache that needed no operation.
    fileprivate init(hit status: CacheStatus, since start: UInt64) {
        (isFromCache, cacheAnswer, sharedCacheStatus) = (true, .hit, Box(status))
        let elapsed = MonotonicClock.now() - start
        var shares = TimeShares()
        shares.add(elapsed, to: .phase(.preparation))
        (timings.nanoseconds.total, timings.nanoseconds.shares) = (elapsed, shares)
    }
}
