// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Stores responses, for use instead of the network.
///
/// The library decides which responses are stored, used and removed (RFC 9111); a cache only stores them. The library
/// calls the members on its queues, and possibly several at the same time. It calls them on the network thread only for
/// `InMemoryResponseCache`, which never waits.
public protocol ResponseCache: AnyObject, Sendable {
    /// The maximum number of bytes of a body that the cache stores.
    var maximumBodyByteCount: Int { get }

    /// Whether responses are stored, too, that only `onlyIfCached` and `forceCache` can use: without a lifetime and
    /// without a validator. Default false.
    var storesForReplay: Bool { get }

    /// Returns the responses of one partition that may answer requests for a URL: those that are stored for the URL,
    /// and those with `ignoresQuery` that are stored for the same URL with another query. Their order has no meaning.
    func entries(for key: CacheKeyPair) -> [CacheEntry]

    /// Returns the body of a response, and records that the response was used. Nil if the cache no longer has the
    /// response.
    func body(of entry: CacheEntry) -> Data?

    /// Returns the body of a response as an open file, and records that the response was used. Large bodies are then
    /// not loaded into memory. Nil if the cache has no file or no longer the response; then `body(of:)` is called.
    /// Default nil.
    func bodyFile(of entry: CacheEntry) -> CacheBodyFile?

    /// Carries out changes in their order. The cache may drop any response at any time.
    func apply(_ changes: [CacheChange])
}

extension ResponseCache {
    /// Default false.
    public var storesForReplay: Bool { false }

    /// Default nil.
    public func bodyFile(of entry: CacheEntry) -> CacheBodyFile? { nil }
}

/// The place of the responses for one URL in a cache.
public struct CacheKeyPair: Sendable, Hashable {
    /// Separates the responses of different users: a digest of credentials, client certificate, security policy and
    /// route. Empty for requests without any of these.
    public let partition: String
    /// The URL, without fragment.
    public var url: String { key.text }
    /// The URL without its query.
    public var urlWithoutQuery: String { key.withoutQuery }
    package let key: CacheKey

    package init(partition: String, key: CacheKey) { (self.partition, self.key) = (partition, key) }
}

/// A change of a cache.
public enum CacheChange: Sendable {
    /// Stores a response in place of others. The cache gives it a new `id`. The others are removed also if the new
    /// response is too large to be stored.
    case store(CacheEntry, body: CacheBody, replacing: [Int64])
    /// Replaces a response, except its body, by `entry`, which has the same `id`.
    case update(CacheEntry)
    /// Sets `isExpired` of the response with this `id`.
    case expire(Int64)
    /// Removes the response with this `id`.
    case remove(Int64)
    /// Removes all responses for a URL, in all partitions.
    case removeURL(String)
    /// Removes all responses of an origin that belong to a group (RFC 9875), in all partitions.
    case removeGroup(String, origin: String)
}

/// The body of a response that is stored.
public enum CacheBody: Sendable {
    case data(Data)
    /// A complete file. The cache copies it. The URL is valid during the call only.
    ///
    /// `sha256` is the SHA-256 of the body in lower-case hexadecimal. Other contents, which a program has written to
    /// the file in the meantime, must not be stored.
    case file(URL, sha256: String)
    /// The body of the stored response with this `id`, which keeps it.
    case stored(Int64)
}
