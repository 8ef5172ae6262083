// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetCache
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

// BLOCK Caching.md
final class PublicCache: ResponseCache {
    let other: any ResponseCache
    var maximumBodyByteCount: Int { other.maximumBodyByteCount }

    init(_ other: any ResponseCache) { self.other = other }

    func entries(for key: CacheKeyPair) -> [CacheEntry] {
        other.entries(for: key)
    }

    func body(of entry: CacheEntry) -> Data? { other.body(of: entry) }

    func apply(_ changes: [CacheChange]) {
        other.apply(
            changes.filter { change in
                guard case .store(let entry, _, _) = change else { return true }
                return entry.url.contains("/v1/public/")
            })
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
            // BLOCK Caching.md
            await manager.finishValidations(within: .seconds(10))
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
            let offline = try await manager.call("prices")
                .cachePolicy(.onlyIfCached)
                .response()
            print(offline.summary.cacheAnswer == .hit)
            // END
            #expect(printed.value == ["true"] && site.server.requests.count == 1)
        }
    }

    @Test func folderIsSharedByManagers() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Site.scripted(Self.freshScript) { site in
            for _ in 0..<2 {
                var configuration = RequestOperationManager.Configuration()
                // BLOCK Caching.md
                configuration.responseCache = try FolderResponseCache(
                    at: folder, byteCapacity: 200 * 1024 * 1024)
                // END
                let manager = RequestOperationManager(baseURL: site.base, configuration: configuration)
                try await manager.get("prices")
            }
            #expect(site.server.requests.count == 1)
        }
    }

    @Test func folderReportsItsFirstFailure() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Site.scripted(Self.freshScript) { site in
            printed.update { $0 = [] }
            // BLOCK Caching.md
            let cache = try FolderResponseCache(at: folder)
            cache.onFirstFailure = { error in print(error.message) }
            // END
            // Bodies are written to this folder.
            let incoming = folder.appendingPathComponent("incoming")
            try FileManager.default.removeItem(at: incoming)
            try Data().write(to: incoming)
            let manager = cachingManager(cache, site)
            for path in ["prices", "offers"] { try await manager.get(path) }
            #expect(printed.value == ["the cache \(folder.path) cannot be written: Not a directory"])
            #expect(site.server.requests.count == 2)
        }
    }

    private func setMode(_ mode: Int, of folder: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path)
    }

    @Test func folderWithoutPermissionIsRead() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-\(UUID().uuidString)")
        defer {
            try? setMode(0o700, of: folder)
            try? FileManager.default.removeItem(at: folder)
        }
        try await Site.scripted(Self.freshScript) { site in
            try await cachingManager(FolderResponseCache(at: folder), site).get("prices")
            try setMode(0o500, of: folder)
            printed.update { $0 = [] }
            // BLOCK Caching.md
            let prepared = try FolderResponseCache(at: folder)
            print(prepared.isReadOnly)
            // END
            let prices = try await cachingManager(prepared, site).get("prices")
            #expect(printed.value == ["true"] && prices.summary.isFromCache && site.server.requests.count == 1)
        }
    }

    @Test func statusSaysWhatTheCacheDid() async throws {
        try await Site.scripted(Self.freshScript) { site in
            let manager = cachingManager(InMemoryResponseCache(), site)
            printed.update { $0 = [] }
            // BLOCK Caching.md
            let prices = try await manager.get("prices")
            print(prices.cacheStatus?.description ?? "no cache")
            // END
            #expect(printed.value == ["Bluebonnet; fwd=uri-miss; fwd-status=200; stored"])
        }
    }

    @Test func customCacheStoresOnlyItsFolder() async throws {
        try await Site.scripted(Self.freshScript) { site in
            let manager = cachingManager(PublicCache(InMemoryResponseCache()), site)
            for path in ["public/a", "public/a", "private/b", "private/b"] { try await manager.get(path) }
            #expect(site.server.requests.map(\.path) == ["/v1/public/a", "/v1/private/b", "/v1/private/b"])
        }
    }
}
