// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Whether and how a stored response may be used.
enum CacheUse: Hashable {
    case fresh
    /// The response is stale, and may be used nevertheless.
    case stale(revalidates: Bool)
    /// The server has to confirm the response first.
    case validate
    /// No stored response answers the request.
    case impossible
}

/// The stored response that answers a request, among all that are stored for its URL (RFC 9111, 4 and 4.1).
struct CacheSelection {
    let request: CacheRequest
    /// The responses for the URL, the most recent first.
    private let candidates: [StoredResponse]
    /// The candidates that the server would select for the request's fields.
    let matching: [StoredResponse]
    /// The most recent matching response that has the requested bytes.
    let chosen: (stored: StoredResponse, content: CacheContent)?

    init(_ request: CacheRequest, _ stored: [StoredResponse]) {
        self.request = request
        let candidates = stored.filter { $0.isFor(request) }
        self.candidates = candidates.count < 2 ? candidates : candidates.sorted(by: Self.isMoreRecent)
        matching = self.candidates.filter { $0.isSelected(by: request) }
        chosen = Self.first(matching, for: request)
    }

    private static func first(
        _ responses: [StoredResponse], for request: CacheRequest
    ) -> (stored: StoredResponse, content: CacheContent)? {
        for stored in responses {
            if let content = CacheContent(of: stored, for: request) { return (stored, content) }
        }
        return nil
    }

    private static func isMoreRecent(_ first: StoredResponse, _ second: StoredResponse) -> Bool {
        (first.times.date, first.receivedAt, first.id) > (second.times.date, second.receivedAt, second.id)
    }

    func answer(now: Date, _ status: CacheStatus) -> StoredAnswer {
        guard let chosen else { preconditionFailure("no stored response answers the request") }
        return StoredAnswer(chosen.stored, chosen.content, for: request, now: now, status: status)
    }

    /// Returns why the request is sent.
    func reason(now: Date) -> CacheStatus.ForwardReason {
        if candidates.isEmpty { return .uriMiss }
        if matching.isEmpty { return .varyMiss }
        guard let stored = chosen?.stored else { return .partial }
        let isFresh = stored.times.remaining(at: now) > 0 && !stored.directives.noCache && !stored.isExpired
        return isFresh ? .request : .stale
    }

    /// The responses to validate: the chosen one, and other variants, of which the server may name one by its tag.
    var validatable: [StoredResponse] {
        let variants = candidates.filter { other in
            other.id != chosen?.stored.id && other.entityTag != nil && CacheContent(of: other, for: request) != nil
        }
        let first = [chosen?.stored].compactMap { $0 }.filter(\.hasValidator)
        return first + variants.prefix(Self.variantLimit)
    }

    /// The maximum number of tags of other variants in one request.
    private static let variantLimit = 15

    /// The incomplete response whose missing bytes are in one piece, and could be combined with it (RFC 9111, 3.4).
    var completable: (stored: StoredResponse, missing: Range<Int64>)? {
        guard chosen == nil, request.method == "GET", request.range == .none, request.conditions.isEmpty,
            let stored = matching.first, stored.strongValidator != nil
        else { return nil }
        return stored.body.gap.map { (stored, $0) }
    }
}

// MARK: - Freshness

extension CacheSelection {
    /// Returns whether the chosen response may be used now (RFC 9111, 4.2 and 5.2).
    func use(_ policy: CachePolicy, now: Date) -> CacheUse {
        guard let stored = chosen?.stored else { return .impossible }
        let remaining = stored.times.remaining(at: now)
        if policy.ignoresFreshness { return remaining > 0 ? .fresh : .stale(revalidates: false) }
        let (asked, stated) = (request.directives, stored.directives)
        if stored.isExpired || stated.noCache || asked.noCache { return .validate }
        if policy == .revalidate, !stated.isImmutable || remaining <= 0 { return .validate }
        if let limit = asked.maxAge, limit == 0 || stored.times.age(at: now) > TimeInterval(limit) { return .validate }
        if remaining > 0, remaining >= TimeInterval(asked.minFresh ?? 0) { return .fresh }
        return staleUse(stated, staleness: -remaining)
    }

    private func staleUse(_ stated: CacheDirectives, staleness: TimeInterval) -> CacheUse {
        let asked = request.directives
        guard !stated.mustRevalidate, asked.minFresh == nil else { return .validate }
        if let limit = asked.maxStale, staleness <= TimeInterval(limit) { return .stale(revalidates: false) }
        if asked.maxAge == nil, let limit = stated.staleWhileRevalidate, staleness <= TimeInterval(limit) {
            return .stale(revalidates: true)
        }
        return .validate
    }
}
