// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

// BLOCK Caching.md
struct PublicCache: ResponseCache {
    let responses = InMemoryResponseCache()

    func cachedResponse(for request: URLRequest) -> CachedResponse? {
        responses.cachedResponse(for: request)
    }

    func store(_ response: CachedResponse, for request: URLRequest) {
        guard request.url?.path.hasPrefix("/v1/public/") == true
        else { return }
        responses.store(response, for: request)
    }

    func removeCachedResponse(for request: URLRequest) {
        responses.removeCachedResponse(for: request)
    }
}
// END

// The page about the response cache.
extension PageTests {
    /// Serves responses that are fresh for a minute.
    private static let freshScript: TestServer.Script = { _ in
        .response(headers: ["Cache-Control": "max-age=60", "Content-Type": "application/json"], body: "[1]")
    }

    private func cachingManager(_ cache: any ResponseCache, _ site: Site) -> RequestOperationManager {
        var configuration = RequestOperationManager.Configuration()
        configuration.responseCache = cache
        return RequestOperationManager(baseURL: site.base, configuration: configuration)
    }

    @Test func secondCallIsAnsweredByCache() async throws {
        try await Site.scripted(Self.freshScript) { site in
            printed.update { $0 = [] }
            // BLOCK Caching.md
            // where site.base is URL(string: "https://api.example.com/v1/")!
            var configuration = RequestOperationManager.Configuration()
            configuration.responseCache = InMemoryResponseCache()
            let manager = RequestOperationManager(
                baseURL: site.base,
                configuration: configuration)

            _ = try await manager.get("prices")
            let second = try await manager.get("prices")
            print(second.summary.isFromCache)
            // END
            #expect(printed.value == ["true"] && second.value == Data("[1]".utf8))
            #expect(site.server.requests.count == 1 && second.summary.transferCount == 0)
        }
    }

    @Test func cacheBlockKeepsLargeResponsesOut() async throws {
        let script: TestServer.Script = { request in
            .response(
                headers: ["Cache-Control": "max-age=60"], body: Data(count: request.path == "/v1/large" ? 200_000 : 10))
        }
        try await Site.scripted(script) { site in
            let manager = cachingManager(InMemoryResponseCache(), site)
            // BLOCK Caching.md
            manager.onCacheResponse = { operation, response in
                response.data.count > 100_000 ? nil : response
            }
            // END
            for path in ["large", "large", "small", "small"] { try await manager.get(path) }
            #expect(site.server.requests.map(\.path) == ["/v1/large", "/v1/large", "/v1/small"])
        }
    }

    @Test func requestMayBypassCache() async throws {
        try await Site.scripted(Self.freshScript) { site in
            let manager = cachingManager(InMemoryResponseCache(), site)
            try await manager.get("prices")
            printed.update { $0 = [] }
            // BLOCK Caching.md
            let prices = try await manager.get(
                "prices", headers: ["Cache-Control": "no-cache"])
            print(prices.summary.isFromCache)
            // END
            #expect(printed.value == ["false"] && site.server.requests.count == 2)
            #expect(try await manager.get("prices").summary.isFromCache)
        }
    }

    @Test func policyAllowsOnlyCachedResponse() async throws {
        try await Site.scripted(Self.freshScript) { site in
            let manager = cachingManager(InMemoryResponseCache(), site)
            try await manager.get("prices")
            printed.update { $0 = [] }
            // BLOCK Caching.md
            var request = try manager.request("GET", "prices")
            request.cachePolicy = .returnCacheDataDontLoad
            let operation = manager.operation(with: request)
            try await manager.run(operation)
            print(operation.summary.isFromCache)
            // END
            #expect(printed.value == ["true"] && site.server.requests.count == 1)
        }
    }

    @Test func customCacheStoresOnlyItsFolder() async throws {
        try await Site.scripted(Self.freshScript) { site in
            let manager = cachingManager(PublicCache(), site)
            for path in ["public/a", "public/a", "private/b", "private/b"] { try await manager.get(path) }
            #expect(site.server.requests.map(\.path) == ["/v1/public/a", "/v1/private/b", "/v1/private/b"])
        }
    }
}
