// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

// RFC 9111, 4.4, and RFC 9875.
@Suite struct CacheInvalidationTests {
    private func cache(_ paths: [String], groups: String? = nil) -> CacheSimulation {
        var cache = CacheSimulation()
        cache.origin = { _, _ in
            var headers: HeaderFields = ["Cache-Control": "max-age=60"]
            headers["Cache-Groups"] = groups
            return CacheSimulation.Origin(headers: headers)
        }
        for path in paths { _ = cache.get(url: Self.url(path)) }
        return cache
    }

    private static func url(_ path: String) -> URL { URL(string: "http://a.example/x")!.resolving(path) }

    private func left(_ cache: CacheSimulation) -> [String] { cache.entries.map(\.response.key.text).sorted() }

    private func send(
        _ cache: inout CacheSimulation, _ method: String, status: Int = 200, _ headers: HeaderFields = [:]
    ) {
        cache.origin = { _, _ in CacheSimulation.Origin(status: status, headers: headers) }
        _ = cache.get(method: method, hasBody: true)
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH", "anything"])
    func successOfUnsafeMethodInvalidatesTarget(method: String) {
        for status in [200, 204, 303] {
            var cache = cache(["x", "y"])
            send(&cache, method, status: status)
            #expect(left(cache) == ["http://a.example/y"])
        }
    }

    @Test(arguments: [400, 404, 500, 503])
    func errorInvalidatesNothing(status: Int) {
        var cache = cache(["x"])
        send(&cache, "POST", status: status)
        #expect(left(cache).count == 1)
    }

    @Test(arguments: ["OPTIONS", "TRACE", "PROPFIND", "QUERY"])
    func safeMethodInvalidatesNothing(method: String) {
        var cache = cache(["x"], groups: "\"g\"")
        send(&cache, method, ["Cache-Group-Invalidation": "\"g\""])
        #expect(left(cache).count == 1)
    }

    @Test func locationsOfSameOriginAreInvalidated() {
        var cache = cache(["x", "y", "z", "http://b.example/w"])
        send(&cache, "POST", ["Location": "y?", "Content-Location": "http://A.example:80/z"])
        #expect(left(cache) == ["http://a.example/y", "http://b.example/w"])
        send(&cache, "POST", ["Location": "http://b.example/w", "Content-Location": "/y#f"])
        #expect(left(cache) == ["http://b.example/w"])
    }

    @Test func groupsOfOriginAreInvalidated() {
        var cache = cache(["y", "http://b.example/w"], groups: "\"g\";x, \"h\"")
        cache.origin = { _, _ in
            CacheSimulation.Origin(headers: ["Cache-Control": "max-age=60", "Cache-Groups": "\"G\""])
        }
        _ = cache.get(url: Self.url("z"))
        send(&cache, "POST", status: 500, ["Cache-Group-Invalidation": "\"i\", \"g\""])
        #expect(left(cache) == ["http://a.example/z", "http://b.example/w"])
    }

    @Test(arguments: ["g", "\"g\", 1", "\"g", "(\"g\")"])
    func invalidGroupsAreIgnored(field: String) {
        var cache = cache(["y"], groups: "\"g\"")
        send(&cache, "POST", ["Cache-Group-Invalidation": field])
        #expect(left(cache) == ["http://a.example/y"])
    }

    @Test func manyGroupsAreRead() {
        let names = (0..<100).map { "\"" + String(repeating: "n", count: 60) + "\($0)\"" }
        let cache = cache(["y"], groups: names.joined(separator: ", "))
        #expect(cache.entries.first?.response.groups.count == 100)
    }
}

extension URL {
    fileprivate func resolving(_ path: String) -> URL { URL(string: path, relativeTo: self)!.absoluteURL }
}
