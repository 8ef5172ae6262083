// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// Decides whether a request may be answered from the response cache, and whether its response is stored. Calls the
/// cache and the program's block, so never on the network thread.
final class CacheLookup: Sendable {
    /// The result of the look-up in the cache.
    enum Answer: Sendable {
        /// The cache has a response; the network is not used.
        case found(CachedResponse)
        /// The request has to be sent.
        case load
        /// The cache policy forbids sending the request.
        case refused(NetworkingError)
    }

    private let cache: any ResponseCache
    private let request: URLRequest
    /// The fields that are sent, including defaults.
    private let headers: HeaderFields
    private let poolKey: ConnectionPoolKey
    private let isCacheable: Bool
    private let usesJar: Bool
    private let requestedAt = Date()

    /// Returns nil if the operation has no cache.
    static func make(for prepared: PreparedRequest) -> CacheLookup? {
        guard prepared.resolvedOptions.hasResponseCache else { return nil }
        return prepared.options.responseCache.map { CacheLookup(prepared, $0) }
    }

    private init(_ prepared: PreparedRequest, _ cache: any ResponseCache) {
        self.cache = cache
        request = prepared.request.urlRequest
        headers = Self.headers(of: prepared)
        poolKey = prepared.options.poolKey
        usesJar = prepared.options.cookieJar != nil && prepared.request.handlesCookies
        isCacheable =
            prepared.first.method == "GET" && !prepared.first.hasBody && !prepared.hasOutput
            && prepared.options.credential == nil
            && prepared.options.requestAdapters.isEmpty  // the adapted request is not known in advance
            && prepared.blocks.serverTrust == nil  // a block accepts a server for its operation only
            && !headers.fields.contains { field in
                let name = field.name.lowercased()
                return name == "range" || name.hasPrefix("if-")
            }
    }

    /// Returns the fields that are sent. A credential that is applied later is represented by a text that separates its
    /// user from others.
    private static func headers(of prepared: PreparedRequest) -> HeaderFields {
        var headers = prepared.first.headers
        guard let authenticator = prepared.resolvedOptions.authenticator, authenticator.covers(prepared.origin),
            headers["Authorization"] == nil
        else { return headers }
        headers["Authorization"] = authenticator.cacheStamp
        return headers
    }

    private var control: CacheControl {
        var control = CacheControl(headers["Cache-Control"].map { [$0] } ?? [])
        if headers["Cache-Control"] == nil, headers["Pragma"]?.lowercased() == "no-cache" {
            control.forbidsReuse = true
        }
        return control
    }

    /// Whether the cache may have a response; otherwise querying it is useless.
    var mayBeAnswered: Bool {
        switch request.cachePolicy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData: false
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: isCacheable
        @unknown default: false
        }
    }

    /// The error of a request that must not be sent and is not in the cache.
    static let notCached = NetworkingError(
        .notCached, "the response is not in the cache, and the request's cache policy forbids loading it")

    /// Looks the request up.
    func answer(now: Date = Date()) -> Answer {
        let cached = mayBeAnswered ? cache.cachedResponse(for: request).flatMap { isMine($0) ? $0 : nil } : nil
        switch request.cachePolicy {
        case .returnCacheDataElseLoad: return cached.map(Answer.found) ?? .load
        case .returnCacheDataDontLoad: return cached.map(Answer.found) ?? .refused(Self.notCached)
        case .useProtocolCachePolicy:
            guard let cached, let head = cached.head, let provenance = cached.provenance else { return .load }
            let freshness = CacheFreshness(head, requestedAt: provenance.requestedAt, receivedAt: provenance.receivedAt)
            return freshness.isFresh(at: now, for: control) ? .found(cached) : .load
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData:
            return .load
        @unknown default: return .load
        }
    }

    /// Whether a stored response is the response that the server would select for this request and this user.
    private func isMine(_ cached: CachedResponse) -> Bool {
        guard let provenance = cached.provenance, provenance.poolKey == poolKey else { return false }
        return provenance.variedFields.allSatisfy { name, value in
            headers[name].map(ByteString.init) == value.map(ByteString.init)
        }
    }
}

// MARK: - Storing

extension CacheLookup {
    /// Stores the response of an operation that succeeded, if it may be stored and the block agrees. Removes a stored
    /// response that an unsafe method may have changed (RFC 9111, 4.4).
    func keep(
        _ result: TransferResult, willCache: (CachedResponse) -> CachedResponse?
    ) {
        guard let head = result.head else { return }
        if !["GET", "HEAD", "OPTIONS", "TRACE"].contains(request.httpMethod ?? "GET") {
            return cache.removeCachedResponse(for: request)
        }
        guard isCacheable, case .memory(let data) = result.content, let provenance = provenance(of: head, result),
            let response = head.urlResponse,
            var kept = willCache(CachedResponse(response: response, data: data))
        else { return }
        kept.provenance = provenance
        cache.store(kept, for: request)
    }

    /// Returns how the response was obtained; nil if it must not be stored.
    private func provenance(of head: ResponseHead, _ result: TransferResult) -> CachedResponse.Provenance? {
        let receivedAt = Date()
        let freshness = CacheFreshness(head, requestedAt: requestedAt, receivedAt: receivedAt)
        guard head.statusCode == 200, !result.isContinued, result.summary.redirectCount == 0,
            !result.summary.isFromCache,
            !control.forbidsStoring, freshness.mayBeStored, freshness.isFresh(at: receivedAt),
            let names = freshness.variedNames, !(usesJar && names.contains("cookie"))
        else { return nil }
        // One process may act for several users, who must not get each other's responses.
        let fields = Set(names + ["authorization", "cookie"]).map { ($0, headers[$0]) }
        return CachedResponse.Provenance(
            requestedAt: requestedAt, receivedAt: receivedAt, variedFields: Dictionary(uniqueKeysWithValues: fields),
            poolKey: poolKey)
    }
}
