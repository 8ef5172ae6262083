// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// The rules of a private cache (RFC 9111; RFC 5861, 8246, 9875; No-Vary-Search). It holds no responses and has no
/// clock: stored responses and times come in, decisions and changes go out.
///
/// 1. `decision` says what happens to a request.
/// 2. After a request was sent, `update` says what the program sees and how the store changes.
package struct CacheRules: Sendable {
    /// The name in `Cache-Status`.
    package var cacheName = "Bluebonnet"
    /// Whether responses are stored that only `forceCache` and `onlyIfCached` could use: without lifetime and
    /// validator. For replaying a run. Default false.
    package var storesForReplay = false
    /// Whether a stale response answers if the server cannot be reached, without the permission of `stale-if-error`
    /// (RFC 9111, 4.2.4). Default false.
    package var answersWhenDisconnected = false
    /// Whether only the missing part of an incomplete body is requested. Default true.
    package var completesParts = true

    package init() {}

    /// Decides about a request.
    ///
    /// - Parameters:
    ///   - stored: the responses in the request's partition that are stored for its key, and those with
    ///     `ignoresPartsOfQuery` that are stored for its key without the query. The order has no meaning.
    ///   - now: the time by the wall clock.
    package func decision(
        for request: CacheRequest, stored: [StoredResponse], policy: CachePolicy = .useProtocol, now: Date
    ) -> CacheDecision {
        let mustNotLoad = policy == .onlyIfCached || request.directives.onlyIfCached
        guard request.isAnswerable, !request.directives.noStore || policy.ignoresFreshness else {
            return mustNotLoad ? .fail : .forward(unanswerable(request, stored))
        }
        let selection = CacheSelection(request, stored)
        let use = policy == .reload ? CacheUse.validate : selection.use(policy, now: now)
        switch use {
        case .fresh: return .use(selection.answer(now: now, hit))
        case .stale(let revalidates):
            let background = revalidates && !mustNotLoad ? loading(selection, policy, now).background : nil
            return .useStale(selection.answer(now: now, hit), revalidation: background)
        case .validate, .impossible:
            if mustNotLoad { return .fail }
            let forward = loading(selection, policy, now)
            return forward.isConditional ? .revalidate(forward) : .forward(forward)
        }
    }

    /// Returns the consequences of the response to a sent request. Called when its head has arrived.
    ///
    /// - Parameters:
    ///   - requestedAt: when the request was sent, or earlier, by the wall clock.
    ///   - receivedAt: when the head had arrived.
    package func update(
        after response: ResponseHead, to forward: CacheForward, requestedAt: Date, receivedAt: Date
    ) -> CacheUpdate {
        CacheArrival(self, forward, response, requestedAt: requestedAt, receivedAt: receivedAt).update()
    }

    /// Returns the stored response that may answer although no response arrives: after a failure of the connection, or
    /// while the origin gets no requests. Nil if there is none (RFC 5861, 4).
    package func update(afterFailureOf forward: CacheForward, now: Date) -> CacheUpdate? {
        staleAnswer(to: forward, status: nil, now: now).map { answer in
            CacheUpdate(outcome: .answer(answer), effects: [], status: answer.status)
        }
    }

    private var hit: CacheStatus {
        var status = CacheStatus(cacheName: cacheName)
        status.isHit = true
        return status
    }

    private func unanswerable(_ request: CacheRequest, _ stored: [StoredResponse]) -> CacheForward {
        let isKnown = request.method == "GET" || request.method == "HEAD"
        var forward = CacheForward(request, isKnown ? .request : .method)
        if isKnown { forward.matching = CacheSelection(request, stored).matching }
        forward.isStorable = !request.directives.noStore && (!request.hasBody || request.method == "POST")
        return forward
    }

    /// Returns the request to send if no stored response answers yet.
    private func loading(_ selection: CacheSelection, _ policy: CachePolicy, _ now: Date) -> CacheForward {
        let request = selection.request
        var forward = CacheForward(request, selection.reason(now: now))
        forward.isStorable = !request.directives.noStore
        forward.demandsValidation = policy == .reload || policy == .revalidate || request.directives.noCache
        (forward.selected, forward.matching) = (selection.chosen?.stored, selection.matching)
        if !request.headers.contains(name: "Cache-Control") {
            if policy == .reload { forward.headers["Cache-Control"] = "no-cache" }
            if policy == .revalidate, forward.selected != nil { forward.headers["Cache-Control"] = "max-age=0" }
        }
        guard policy != .reload else { return forward }
        if completesParts, let part = selection.completable {
            forward.requestPart(of: part)
        } else {
            forward.addConditions(selection)
        }
        return forward
    }
}

extension CacheForward {
    /// The same request for the background: it asks for the whole response.
    fileprivate var background: CacheForward? {
        guard selected != nil else { return nil }
        var forward = self
        forward.isBackground = true
        guard request.range != .none || !request.conditions.isEmpty else { return forward }
        for name in ["Range", "If-Range", "If-Modified-Since", "If-None-Match"] { forward.headers[name] = nil }
        forward.setConditions(selected, tags: validated.compactMap(\.entityTag))
        return forward
    }

    /// Adds conditions that name the stored responses which could answer (RFC 9111, 4.3.1).
    fileprivate mutating func addConditions(_ selection: CacheSelection) {
        guard !request.conditions.hasAnyTag else { return }
        validated = selection.validatable
        setConditions(selection.chosen?.stored, tags: request.conditions.tags + validated.compactMap(\.entityTag))
    }

    private mutating func setConditions(_ chosen: StoredResponse?, tags: [EntityTag]) {
        guard !validated.isEmpty else { return }
        let texts = tags.map(\.text).uniqueTexts
        if !texts.isEmpty { headers["If-None-Match"] = texts.joined(separator: ", ") }
        if let date = chosen?.lastModified { headers["If-Modified-Since"] = date }
    }

    /// Asks for the bytes that a stored response lacks, if it is still the current one.
    fileprivate mutating func requestPart(of part: (stored: StoredResponse, missing: Range<Int64>)) {
        guard let validator = part.stored.strongValidator, let total = part.stored.body.totalByteCount else { return }
        completion = part
        let last = part.missing.upperBound == total ? "" : String(part.missing.upperBound - 1)
        headers["Range"] = "bytes=\(part.missing.lowerBound)-\(last)"
        headers["If-Range"] = validator.fieldValue
    }
}
