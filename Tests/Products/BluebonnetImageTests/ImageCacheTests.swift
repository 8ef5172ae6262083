// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetImage
import Foundation
import FoundationNetworking
import Testing

@Suite struct ImageCacheTests {
    /// An image of `byteCount` bytes, which must be a multiple of 4.
    private func image(_ byteCount: Int) -> RasterImage {
        RasterImage(width: byteCount / 4, height: 1, pixels: Data(count: byteCount))
    }

    private func names(_ cache: ImageCache, of names: [String]) -> [String] {
        names.filter { cache.image(withIdentifier: $0) != nil }
    }

    @Test func defaultsMatchAFNetworking() {
        let cache = ImageCache()
        #expect(cache.memoryCapacity == 104_857_600)
        #expect(cache.preferredMemoryUsageAfterPurge == 62_914_560)
        #expect(cache.memoryUsage == 0)
    }

    @Test func requestImagesAreKeyedByURLAndAdditionalIdentifier() throws {
        let cache = ImageCache()
        let request = URLRequest(url: try #require(URL(string: "http://h/a")))
        cache.add(image(40), for: request)
        cache.add(image(80), for: request, additionalIdentifier: "large")
        #expect(cache.image(for: request)?.byteCount == 40)
        #expect(cache.image(for: request, additionalIdentifier: "large")?.byteCount == 80)
        #expect(cache.image(withIdentifier: "http://h/alarge")?.byteCount == 80)
        #expect(cache.removeImage(for: request))
        #expect(!cache.removeImage(for: request))
        #expect(cache.removeImage(for: request, additionalIdentifier: "large"))
        #expect(cache.memoryUsage == 0)
    }

    @Test func identifiersAreComparedBytewise() {
        let cache = ImageCache()
        cache.add(image(40), withIdentifier: "\u{E9}")
        #expect(cache.image(withIdentifier: "e\u{301}") == nil)
        #expect(!cache.removeImage(withIdentifier: "e\u{301}"))
        #expect(cache.image(withIdentifier: "\u{E9}") != nil)
    }

    @Test func imagesAreCountedReplacedAndRemoved() {
        let cache = ImageCache()
        cache.add(image(40), withIdentifier: "a")
        cache.add(image(80), withIdentifier: "b")
        #expect(cache.memoryUsage == 120)
        cache.add(image(8), withIdentifier: "a")
        #expect(cache.memoryUsage == 88)
        #expect(cache.image(withIdentifier: "a")?.byteCount == 8)
        #expect(cache.removeImage(withIdentifier: "a"))
        #expect(!cache.removeImage(withIdentifier: "a"))
        #expect(cache.memoryUsage == 80)
        #expect(cache.removeAllImages())
        #expect(!cache.removeAllImages())
        #expect(cache.memoryUsage == 0)
    }

    @Test func leastRecentlyUsedImagesAreEvicted() {
        let cache = ImageCache(memoryCapacity: 100, preferredMemoryUsageAfterPurge: 60)
        for name in ["a", "b", "c", "d", "e"] { cache.add(image(20), withIdentifier: name) }
        #expect(cache.memoryUsage == 100)
        _ = cache.image(withIdentifier: "a")
        cache.add(image(20), withIdentifier: "f")
        #expect(cache.memoryUsage == 60)
        #expect(names(cache, of: ["a", "b", "c", "d", "e", "f"]) == ["a", "e", "f"])
    }

    @Test func imageAboveCapacityEvictsNothing() {
        let cache = ImageCache(memoryCapacity: 100, preferredMemoryUsageAfterPurge: 60)
        cache.add(image(20), withIdentifier: "a")
        cache.add(image(104), withIdentifier: "b")
        #expect(names(cache, of: ["a", "b"]) == ["a"])
        cache.add(image(100), withIdentifier: "c")
        #expect(names(cache, of: ["a", "c"]) == ["c"])
    }

    @Test func identifierIsURLAndAdditionalIdentifier() throws {
        let request = URLRequest(url: try #require(URL(string: "http://h/a.png?b=c")))
        let cache = ImageCache()
        #expect(cache.identifier(for: request) == "http://h/a.png?b=c")
        #expect(cache.identifier(for: request, additionalIdentifier: "small") == "http://h/a.png?b=csmall")
    }

    @Test func cacheIsThreadSafe() {
        let cache = ImageCache(memoryCapacity: 1000, preferredMemoryUsageAfterPurge: 600)
        DispatchQueue.concurrentPerform(iterations: 1000) { number in
            cache.add(image(20), withIdentifier: String(number % 100))
            _ = cache.image(withIdentifier: String(number % 7))
            if number.isMultiple(of: 10) { cache.removeImage(withIdentifier: String(number % 13)) }
        }
        let left = names(cache, of: (0..<100).map(String.init))
        #expect(cache.memoryUsage == left.count * 20)
        #expect(cache.memoryUsage <= 1000)
    }
}
