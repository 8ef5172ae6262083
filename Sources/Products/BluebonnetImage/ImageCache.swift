// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation
public import FoundationNetworking

/// Stores the images of an `ImageDownloader`. Every method may be called from any thread.
public protocol ImageCaching: Sendable {
    /// Stores an image, replacing the image with the same identifier.
    func add(_ image: RasterImage, withIdentifier identifier: String)
    /// Removes an image. Returns false if there is no such image.
    @discardableResult func removeImage(withIdentifier identifier: String) -> Bool
    /// Returns an image; nil if it is not in the cache.
    func image(withIdentifier identifier: String) -> RasterImage?
    /// Whether to cache the response of a request. Default true.
    func shouldCache(_ image: RasterImage, for request: URLRequest) -> Bool
}

extension ImageCaching {
    public func shouldCache(_ image: RasterImage, for request: URLRequest) -> Bool { true }

    /// Returns the identifier of a request's image: its URL, followed by the additional identifier (a size, a filter).
    public func identifier(for request: URLRequest, additionalIdentifier: String? = nil) -> String {
        (request.url?.absoluteString ?? "") + (additionalIdentifier ?? "")
    }

    /// Stores an image for a request, replacing the image with the same identifier.
    public func add(_ image: RasterImage, for request: URLRequest, additionalIdentifier: String? = nil) {
        add(image, withIdentifier: identifier(for: request, additionalIdentifier: additionalIdentifier))
    }

    /// Removes a request's image. Returns false if there is no such image.
    @discardableResult
    public func removeImage(for request: URLRequest, additionalIdentifier: String? = nil) -> Bool {
        removeImage(withIdentifier: identifier(for: request, additionalIdentifier: additionalIdentifier))
    }

    /// Returns a request's image; nil if it is not in the cache.
    public func image(for request: URLRequest, additionalIdentifier: String? = nil) -> RasterImage? {
        image(withIdentifier: identifier(for: request, additionalIdentifier: additionalIdentifier))
    }
}

/// A cache of decoded images in memory. It drops the least recently used images when it exceeds its capacity.
public final class ImageCache: ImageCaching {
    /// A stored image and its last use.
    fileprivate struct Entry {
        let image: RasterImage
        var lastUse: Int
    }

    /// The state that the lock protects.
    fileprivate struct State {
        /// Keyed by the bytes of the identifier, because Swift considers some texts with different bytes equal.
        var entries: [[UInt8]: Entry] = [:]
        var usage = 0
        var clock = 0
    }

    /// The maximum number of bytes of pixels in the cache. Default 100 MiB.
    public let memoryCapacity: Int
    /// The maximum number of bytes of pixels that remain in the cache after it has exceeded its capacity. Default 60
    /// MiB.
    public let preferredMemoryUsageAfterPurge: Int
    private let state = Mutex(State())

    /// Makes an empty cache. Traps if the capacity is less than the usage after a purge.
    public init(memoryCapacity: Int = 100 << 20, preferredMemoryUsageAfterPurge: Int = 60 << 20) {
        precondition(
            0...memoryCapacity ~= preferredMemoryUsageAfterPurge,
            "a cache's capacity must be larger than its size after a purge")
        self.memoryCapacity = memoryCapacity
        self.preferredMemoryUsageAfterPurge = preferredMemoryUsageAfterPurge
    }

    /// The current number of bytes of pixels in the cache.
    public var memoryUsage: Int { state.withLock { $0.usage } }

    /// Stores an image, replacing the image with the same identifier. An image larger than the capacity is not stored,
    /// and no other image is removed for it.
    public func add(_ image: RasterImage, withIdentifier identifier: String) {
        let dropped = state.withLock { state in
            let key = Array(identifier.utf8)
            let old = state.remove(key)
            guard image.byteCount <= memoryCapacity else { return [old] }
            state.insert(image, key)
            guard state.usage > memoryCapacity else { return [old] }
            return state.purge(to: preferredMemoryUsageAfterPurge, keeping: key) + [old]
        }
        _ = dropped  // large memory is freed outside the lock
    }

    @discardableResult
    public func removeImage(withIdentifier identifier: String) -> Bool {
        state.withLock { $0.remove(Array(identifier.utf8)) } != nil
    }

    /// Removes all images. Returns false if the cache was empty.
    @discardableResult
    public func removeAllImages() -> Bool {
        let old = state.withLock { state in
            defer { state = State() }
            return state.entries
        }
        return !old.isEmpty
    }

    /// Returns the image with this identifier, and counts as a use of the image; nil if it is not in the cache.
    public func image(withIdentifier identifier: String) -> RasterImage? {
        state.withLock { state in
            state.clock += 1
            let key = Array(identifier.utf8)
            state.entries[key]?.lastUse = state.clock
            return state.entries[key]?.image
        }
    }
}

extension ImageCache.State {
    fileprivate mutating func insert(_ image: RasterImage, _ key: [UInt8]) {
        clock += 1
        entries[key] = ImageCache.Entry(image: image, lastUse: clock)
        usage += image.byteCount
    }

    fileprivate mutating func remove(_ key: [UInt8]) -> RasterImage? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        usage -= entry.image.byteCount
        return entry.image
    }

    /// Removes the least recently used entries, but never the newest entry.
    fileprivate mutating func purge(to limit: Int, keeping newest: [UInt8]) -> [RasterImage?] {
        var dropped: [RasterImage?] = []
        for (key, _) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            if usage <= limit || key == newest { break }
            dropped.append(remove(key))
        }
        return dropped
    }
}
