// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How a cache handled one request, in the terms of RFC 9211.
///
/// Its `description` is a member of a `Cache-Status` field: `Bluebonnet; fwd=stale; fwd-status=304; stored; ttl=60`.
public struct CacheStatus: Sendable, Hashable {
    /// Why a request was sent although there is a cache (RFC 9211, 2.2).
    public enum ForwardReason: String, Sendable, Hashable, Codable {
        /// The cache was not to be used.
        case bypass
        /// Responses to the method are not stored.
        case method
        /// No response of that URL is stored.
        case uriMiss = "uri-miss"
        /// Responses of that URL are stored, but none for the request's fields.
        case varyMiss = "vary-miss"
        /// No response is stored, for another reason.
        case miss
        /// A stored response was fresh, but the request forbade its use.
        case request
        /// The stored response was stale.
        case stale
        /// The stored response lacks bytes.
        case partial
    }

    /// The name of the cache.
    public var cacheName: String
    /// Whether a stored response answered without a request to the server.
    public var isHit = false
    /// Why the request was sent; nil if it was not sent.
    public var forwardReason: ForwardReason?
    /// The status code of the server's response, for instance 304; nil if no response arrived.
    public var forwardStatus: Int?
    /// Whether the server's response was stored, or updated a stored one.
    public var isStored = false
    /// Whether the request waited for the response to another request.
    public var isCollapsed = false
    /// The seconds for which the response is still fresh; negative if it is stale, nil if that is unknown.
    public var timeToLive: Int?
    /// The key under which the response is stored.
    public var key: String?

    /// Makes the status of a request that has not been answered.
    public init(cacheName: String = "Bluebonnet") { self.cacheName = cacheName }
}

extension CacheStatus: CustomStringConvertible {
    /// The member of a `Cache-Status` field. A key with characters that the field cannot contain is omitted.
    public var description: String {
        var parts = [Self.name(cacheName)]
        if isHit { parts.append("hit") }
        if !isHit, let forwardReason {
            parts.append("fwd=\(forwardReason.rawValue)")
            if let forwardStatus { parts.append("fwd-status=\(forwardStatus)") }
            if isStored { parts.append("stored") }
            if isCollapsed { parts.append("collapsed") }
        }
        if let timeToLive { parts.append("ttl=\(timeToLive)") }
        if let key = key.flatMap(StructuredField.text(ofString:)) { parts.append("key=\(key)") }
        return parts.joined(separator: "; ")
    }

    private static func name(_ text: String) -> String {
        StructuredField.isToken(text) ? text : StructuredField.text(ofString: text) ?? "cache"
    }
}
