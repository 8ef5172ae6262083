// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The answer of a cache to a request.
package enum CacheDecision: Sendable {
    /// A stored response answers.
    case use(StoredAnswer)
    /// A stale response answers, as the server, the request or the policy permits. A request in `revalidation` is sent
    /// in the background (RFC 5861, 3); its response only updates the store.
    case useStale(StoredAnswer, revalidation: CacheForward?)
    /// The server is asked whether a stored response is still valid.
    case revalidate(CacheForward)
    /// The request is sent, and no stored response is expected to answer it.
    case forward(CacheForward)
    /// The request must not be sent, and no stored response answers it: 504 (RFC 9111, 5.2.1.7).
    case fail
}

/// A request that a cache sends, with the stored responses that its response may confirm or replace.
package struct CacheForward: Sendable {
    /// The request as the program made it.
    package let request: CacheRequest
    /// The fields to send.
    package internal(set) var headers: HeaderFields
    /// Why the request is sent.
    package let reason: CacheStatus.ForwardReason
    /// Whether a response may be stored.
    package internal(set) var isStorable = true
    /// Whether the program sees the response. A validation in the background has no program that waits.
    package internal(set) var isBackground = false
    /// The stored response that would have answered, had it been fresh. It may still answer after an error.
    var selected: StoredResponse?
    /// Whether the request forbids an answer that was not validated, unless it has `stale-if-error`.
    var demandsValidation = false
    /// The stored responses for the URL and the request's fields.
    var matching: [StoredResponse] = []
    /// The stored responses whose validators are in the conditions.
    var validated: [StoredResponse] = []
    /// The response that is completed, and the requested part.
    var completion: (stored: StoredResponse, missing: Range<Int64>)?

    init(_ request: CacheRequest, _ reason: CacheStatus.ForwardReason) {
        (self.request, self.reason, headers) = (request, reason, request.headers)
    }

    /// Whether the request has conditions of the cache.
    package var isConditional: Bool { !validated.isEmpty }

    /// The request without the cache's conditions and ranges: for a server that answered them wrongly, and for a stored
    /// body that has been lost.
    package var unconditional: CacheForward {
        var forward = CacheForward(request, reason)
        (forward.isStorable, forward.isBackground) = (isStorable, isBackground)
        (forward.selected, forward.matching) = (selected, matching)
        forward.demandsValidation = demandsValidation
        return forward
    }
}

/// The consequences of a response or an error: the response for the program, and changes of the store, in order.
package struct CacheUpdate: Sendable {
    package internal(set) var outcome: CacheOutcome
    package internal(set) var effects: [CacheEffect]
    /// How the cache handled the request, for the response that the program sees.
    package var status: CacheStatus
}

/// The response that the program sees.
package enum CacheOutcome: Sendable {
    /// The response of the server.
    case forward
    /// A stored response. A body of the server's response is discarded.
    case answer(StoredAnswer)
    /// A stored response with bytes missing: these are the body of the server's response.
    case join(StoredAnswer, missing: Range<Int64>)
    /// None yet: the request is sent again with these fields. A body of the server's response is discarded.
    case sendAgain(CacheForward)
}

/// A change of the store.
package enum CacheEffect: Sendable {
    /// Stores a response in place of others. Its fields are known; `StoredResponse.ended` completes it after the body,
    /// and only then the others are removed.
    case store(StoredResponse, body: CacheBodySource, replacing: [Int64])
    /// Replaces the fields of the stored response with that `id`.
    case refresh(StoredResponse)
    /// Sets `isExpired` of a stored response.
    case expire(Int64)
    /// Removes a stored response.
    case remove(Int64)
    /// Removes all stored responses of a URL, in all partitions.
    case invalidate(CacheKey)
    /// Removes all stored responses of an origin that belong to a group (RFC 9875).
    case invalidateGroup(Origin, name: String)
}

/// The origin of the body of a response that is stored.
package enum CacheBodySource: Sendable, Hashable {
    /// The body of the server's response. Its first byte has that offset in the whole body, 0 unless it is a part.
    case network(offset: Int64)
    /// The stored body of a response, and the body of the server's response at that offset.
    case added(to: Int64, offset: Int64)
    /// The stored body of another response, which keeps it.
    case stored(of: Int64)
}
