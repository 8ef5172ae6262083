// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Which stored responses a response to an unsafe method invalidates (RFC 9111, 4.4; RFC 9875, 3).
enum CacheInvalidation {
    static func effects(of response: ResponseHead, to request: CacheRequest) -> [CacheEffect] {
        guard !request.isSafe, let origin = Origin(request.url) else { return [] }
        let groups = StructuredField.strings(response.values(for: "Cache-Group-Invalidation")) ?? []
        return keys(response, request, origin).map(CacheEffect.invalidate)
            + groups.uniqueTexts.map { .invalidateGroup(origin, name: $0) }
    }

    /// Returns the target and the URLs in `Location` and `Content-Location`, unless they are of another origin. An
    /// error invalidates nothing.
    private static func keys(_ response: ResponseHead, _ request: CacheRequest, _ origin: Origin) -> [CacheKey] {
        guard (200...399).contains(response.statusCode) else { return [] }
        let texts = response.locations + response.values(for: "Content-Location")
        let urls = texts.compactMap { URLText.url($0, relativeTo: request.url) }.filter { Origin($0) == origin }
        var keys = [request.key]
        for key in urls.map(CacheKey.init) where !keys.contains(key) { keys.append(key) }
        return keys
    }
}
