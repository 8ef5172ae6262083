// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
public import Foundation
public import FoundationNetworking

/// A response cache in memory with a limited byte count. It drops the least recently used responses first. All members
/// may be used from any thread.
public final class InMemoryResponseCache: ResponseCache {
    private let byteCapacity: Int
    private let shared = Mutex(MemoryIndex())

    /// Makes an empty cache.
    ///
    /// - Parameter byteCapacity: the maximum number of bytes, counting bodies, URLs and, approximately, header fields.
    ///   A response larger than a quarter of the capacity is not stored. Default 20 MiB.
    public init(byteCapacity: Int = 20 * 1024 * 1024) {
        precondition(byteCapacity >= 0, "a cache's capacity cannot be negative")
        self.byteCapacity = byteCapacity
    }

    /// The approximate number of stored bytes.
    public var byteCount: Int { shared.withLock { $0.byteCount } }

    /// The number of stored responses.
    public var count: Int { shared.withLock { $0.count } }

    /// A quarter of the capacity.
    public var maximumBodyByteCount: Int { byteCapacity / 4 }

    public func entries(for key: CacheKeyPair) -> [CacheEntry] { shared.withLock { $0.entries(for: key) } }

    public func body(of entry: CacheEntry) -> Data? { shared.withLock { $0.use(entry.id) } }

    public func apply(_ changes: [CacheChange]) {
        let files = changes.map(Self.loaded)
        shared.withLock { index in
            for (change, data) in zip(changes, files) { index.apply(change, data, capacity: byteCapacity) }
        }
    }

    /// Returns the body of a response that is stored, if it is not stored yet. May block for a file.
    private static func loaded(_ change: CacheChange) -> Data? {
        switch change {
        case .store(_, .data(let data), _): data
        case .store(_, .file(let url, let sha256), _):
            (try? Data(contentsOf: url)).flatMap { MessageDigest.hexadecimalDigest(of: $0) == sha256 ? $0 : nil }
        case .store(_, .stored, _), .update, .expire, .remove, .removeURL, .removeGroup: nil
        }
    }

    /// Returns the response that was stored last for a request without credentials, fresh or stale.
    public func cachedResponse(for request: URLRequest) -> CachedResponse? {
        guard let url = request.url else { return nil }
        let key = CacheKeyPair(partition: "", key: CacheKey(url))
        let entry = entries(for: key).filter { $0.url == key.url }.max { $0.id < $1.id }
        guard let entry, let data = body(of: entry),
            let response = HTTPURLResponse(
                url: url, statusCode: entry.statusCode, httpVersion: "HTTP/1.1",
                headerFields: entry.headers.dictionary)
        else { return nil }
        return CachedResponse(response: response, data: data)
    }

    /// Removes the responses for a request's URL.
    public func removeCachedResponse(for request: URLRequest) {
        if let url = request.url { apply([.removeURL(CacheKey(url).text)]) }
    }

    /// Removes all responses.
    public func removeAll() { shared.withLock { $0.removeAll() } }
}
