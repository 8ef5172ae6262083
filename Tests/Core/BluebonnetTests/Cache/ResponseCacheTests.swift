// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetHTTP

extension NetworkTests {
    @Suite struct ResponseCacheTests {
        private func options(_ cache: (any ResponseCache)?) -> TransferOptions {
            TransferOptions { $0.responseCache = cache }
        }

        private func fresh(_ request: ReceivedRequest, _ fields: [(String, String)] = []) -> Reply {
            .response(
                headers: WireFields([("Cache-Control", "max-age=1000")] + fields), body: "body of \(request.target)")
        }

        /// Serves responses that are fresh for a long time.
        private func serving(
            _ fields: [(String, String)] = [], _ body: (TestServer) async throws -> Void
        ) async throws {
            try await TestServer.serving(script: { fresh($0, fields) }, body)
        }

        private func request(_ url: URL, _ policy: URLRequest.CachePolicy) -> URLRequest {
            URLRequest(url: url, cachePolicy: policy, timeoutInterval: 60)
        }

        @Test func freshResponseIsNotRequestedAgain() async throws {
            let cache = InMemoryResponseCache()
            try await serving { server in
                let first = await get(server.url("/a"), options(cache))
                let second = await get(server.url("/a"), options(cache))
                #expect(server.requests.count == 1)
                #expect(!first.summary.isFromCache)
                #expect(second.summary.isFromCache)
                #expect(second.summary.transferCount == 0)
                #expect(second.error == nil)
                #expect(second.responseString == "body of /a")
                #expect(second.statusCode == 200)
                #expect(second.response?.value(forHTTPHeaderField: "Cache-Control") == "max-age=1000")
                await get(server.url("/b"), options(cache))
                #expect(server.requests.count == 2)
            }
        }

        @Test func requestsWithoutACacheAreAllSent() async throws {
            try await serving { server in
                for _ in 0..<2 { await get(server.url(), options(nil)) }
                #expect(server.requests.count == 2)
            }
        }

        @Test func managerCacheServesItsSerializers() async throws {
            var configuration = RequestOperationManager.Configuration()
            configuration.responseCache = InMemoryResponseCache()
            let manager = RequestOperationManager(configuration: configuration)
            let reply = Reply.response(
                headers: ["Cache-Control": "max-age=9", "Content-Type": "application/json"], body: #"{"a":1}"#)
            try await TestServer.answering(reply) { server in
                for _ in 0..<2 {
                    let value: JSONValue = try await manager.get(server.url().absoluteString)
                    #expect(value["a"] != nil)
                }
                #expect(server.requests.count == 1)
            }
        }

        @Test(arguments: [
            ["Cache-Control": "no-store, max-age=9"], ["Cache-Control": "no-cache, max-age=9"],
            ["Cache-Control": "max-age=0"], ["Cache-Control": "max-age=9", "Vary": "*"], [:],
            ["Cache-Control": "max-age=9", "Age": "10"],
        ])
        func responseThatMayNotBeReusedIsRequestedAgain(fields: [String: String]) async throws {
            let cache = InMemoryResponseCache()
            try await TestServer.answering(.response(headers: WireFields(fields.map { ($0, $1) }))) { server in
                for _ in 0..<2 { await get(server.url(), options(cache)) }
                #expect(server.requests.count == 2)
            }
        }

        @Test(arguments: [203, 404, 410, 500])
        func errorsAndOtherStatusesAreStored(status: Int) async throws {
            let cache = InMemoryResponseCache()
            let reply = Reply.response(status: status, headers: ["Cache-Control": "max-age=9"], body: "why")
            try await TestServer.answering(reply) { server in
                var configuration = RequestOperationManager.Configuration()
                configuration.responseCache = cache
                let manager = RequestOperationManager(configuration: configuration)
                manager.responseSerializer = HTTPResponseSerializer()
                for _ in 0..<2 {
                    let operation = manager.started("GET", server.url().absoluteString)
                    try await operation.waitUntilEnded()
                    #expect(operation.statusCode == status)
                    #expect(operation.error?.body ?? operation.responseData == Data("why".utf8))
                }
                #expect(server.requests.count == 1)
            }
        }

        @Test func truncatedBodyIsNotKept() async throws {
            let cache = InMemoryResponseCache()
            let cut = Reply.response(headers: ["Cache-Control": "max-age=9", "Content-Length": "10"], body: "short")
            try await TestServer.answering(cut.then(.close)) { server in
                #expect(await get(server.url(), options(cache)).error != nil)
                #expect(cache.byteCount == 0)
            }
        }

        @Test(arguments: [
            ["Accept-Language": "de"], ["Authorization": "Bearer other"], ["Cookie": "user=other"],
        ])
        func cachedResponseDoesNotAnswerAnotherRequest(headers: [String: String]) async throws {
            let cache = InMemoryResponseCache()
            try await serving([("Vary", "Accept-Language")]) { server in
                await get(server.url(), options(cache))
                await perform(URLRequest("GET", server.url(), headers: headers), options(cache))
                #expect(server.requests.count == 2)
                await perform(URLRequest("GET", server.url(), headers: headers), options(cache))
                #expect(server.requests.count == 2)
            }
        }

        @Test func requestWithNoStoreBypassesTheCache() async throws {
            let cache = InMemoryResponseCache()
            try await serving { server in
                let headers = ["Cache-Control": "no-store"]
                for _ in 0..<2 { await perform(URLRequest("GET", server.url(), headers: headers), options(cache)) }
                #expect(server.requests.count == 2)
                #expect(cache.byteCount == 0)
            }
        }

        @Test func redirectAndItsTargetAreStored() async throws {
            let cache = InMemoryResponseCache()
            let script: TestServer.Script = { request in
                guard request.path == "/start" else { return fresh(request) }
                let fields: WireFields = ["Location": "/end", "Cache-Control": "max-age=9"]
                return .response(status: 301, headers: fields, body: "moved")
            }
            try await TestServer.serving(script: script) { server in
                for _ in 0..<2 {
                    let operation = await get(server.url("/start"), options(cache))
                    #expect(operation.responseString == "body of /end")
                    #expect(operation.summary.redirectCount == 1)
                }
                #expect(server.requests.map(\.path) == ["/start", "/end"])
                await get(server.url("/end"), options(cache))
                #expect(server.requests.count == 2 && cache.count == 2)
            }
        }

        @Test func responseOfAnotherSecurityPolicyIsRequestedAgain() async throws {
            let cache = InMemoryResponseCache()
            var other = options(cache)
            other.securityPolicy = try SecurityPolicy(validatesDomainName: false)
            try await serving { server in
                await get(server.url(), options(cache))
                await get(server.url(), other)
                #expect(server.requests.count == 2)
            }
        }

        @Test(arguments: ["POST", "PUT", "DELETE", "PATCH"])
        func unsafeMethodInvalidatesTheCachedResponse(method: String) async throws {
            let cache = InMemoryResponseCache()
            try await serving { server in
                await get(server.url(), options(cache))
                #expect(await perform(URLRequest(method, server.url()), options(cache)).error == nil)
                #expect(cache.byteCount == 0)
                await get(server.url(), options(cache))
                #expect(server.requests.map(\.method) == ["GET", method, "GET"])
            }
        }

        @Test(arguments: [
            URLRequest.CachePolicy.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
            .reloadRevalidatingCacheData,
        ])
        func reloadBypassesAndRenewsTheCache(policy: URLRequest.CachePolicy) async throws {
            let cache = InMemoryResponseCache()
            try await serving { server in
                await get(server.url(), options(cache))
                let reloaded = await perform(request(server.url(), policy), options(cache))
                #expect(!reloaded.summary.isFromCache)
                #expect(server.requests.count == 2)
                let tellsOthers = policy == .reloadIgnoringLocalAndRemoteCacheData
                let revalidates = policy == .reloadRevalidatingCacheData
                #expect(
                    server.requests.last?.headers["Cache-Control"]
                        == (tellsOthers ? "no-cache" : revalidates ? "max-age=0" : nil))
                #expect(server.requests.last?.headers["Pragma"] == (tellsOthers ? "no-cache" : nil))
                #expect(await get(server.url(), options(cache)).summary.isFromCache)
            }
        }

        /// A cache with a stale response, which was fresh when it arrived long ago.
        private func staleCache(for url: URL) throws -> InMemoryResponseCache {
            let cache = InMemoryResponseCache()
            let headers: HeaderFields = ["Cache-Control": "max-age=9"]
            let then = Date(timeIntervalSinceNow: -1000)
            let response = StoredResponse(
                id: 0, key: CacheKey(url), statusCode: 200, reasonPhrase: "OK", headers: headers,
                variance: try #require(CacheVariance(response: headers, request: [:])), requestedAt: then,
                receivedAt: then, body: StoredBody(byteCount: 5))
            let entry = CacheEntry(response, partition: "")
            cache.apply([.store(entry, body: .data(Data("stale".utf8)), replacing: [])])
            return cache
        }

        @Test func staleResponseIsUsedOnlyIfThePolicyAllows() async throws {
            try await serving { server in
                let cache = try staleCache(for: server.url())
                let elseLoad = request(server.url(), .returnCacheDataElseLoad)
                let dontLoad = request(server.url(), .returnCacheDataDontLoad)
                #expect(await perform(elseLoad, options(cache)).responseString == "stale")
                #expect(await perform(dontLoad, options(cache)).responseString == "stale")
                #expect(server.requests.isEmpty)
                #expect(await get(server.url(), options(cache)).responseString == "body of /")
                #expect(await perform(dontLoad, options(cache)).responseString == "body of /")
                #expect(server.requests.count == 1)
            }
        }

        @Test func missingResponseIsLoadedOrAnError() async throws {
            try await serving { server in
                let cache = InMemoryResponseCache()
                for cache in [cache, nil] {
                    let refused = await perform(request(server.url("/a"), .returnCacheDataDontLoad), options(cache))
                    #expect(refused.code == .notCached)
                    #expect(refused.error?.urlErrorCode == .resourceUnavailable)
                }
                #expect(server.requests.isEmpty)
                let loaded = await perform(request(server.url("/a"), .returnCacheDataElseLoad), options(cache))
                #expect(loaded.responseString == "body of /a")
                #expect(server.requests.count == 1)
            }
        }

        @Test func cacheOnlyPolicyNeverSendsAPost() async throws {
            try await serving { server in
                var post = request(server.url(), .returnCacheDataDontLoad)
                post.httpMethod = "POST"
                #expect(await perform(post, options(InMemoryResponseCache())).code == .notCached)
                #expect(server.requests.isEmpty)
            }
        }

        @Test func blockMayChangeOrRefuseTheCachedResponse() async throws {
            let cache = InMemoryResponseCache()
            let seen = Observed([String]())
            try await serving { server in
                let refusing = RequestOperation(request: URLRequest(url: server.url("/a")), options: options(cache))
                refusing.onCacheResponse = { operation, response in
                    #expect(!NetworkThread.isCurrent)
                    #expect(!operation.isFinished)
                    seen.append(String(decoding: response.data, as: UTF8.self))
                    return nil
                }
                #expect(await refusing.run().error == nil)
                #expect(seen.value == ["body of /a"])
                #expect(cache.byteCount == 0)
                let changing = RequestOperation(request: URLRequest(url: server.url("/a")), options: options(cache))
                changing.onCacheResponse = { _, response in
                    CachedResponse(response: response.response, data: Data("changed".utf8))
                }
                #expect(await changing.run().responseString == "body of /a")
                #expect(await get(server.url("/a"), options(cache)).responseString == "changed")
                #expect(server.requests.count == 2)
            }
        }

        @Test func blockIsNotCalledForUncacheableResponses() async throws {
            let seen = Observed([Int]())
            try await TestServer.answering(.response(body: "no word of caching")) { server in
                let operation = RequestOperation(
                    request: URLRequest(url: server.url()), options: options(InMemoryResponseCache()))
                operation.onCacheResponse = { _, response in
                    seen.append(1)
                    return response
                }
                #expect(await operation.run().error == nil)
                #expect(seen.value.isEmpty)
            }
        }

        @Test func cachedResponseNeedsNoTransferSlot() async throws {
            let cache = InMemoryResponseCache()
            let gate = Gate()
            let script: TestServer.Script = { request in
                request.path == "/slow" ? Reply([.wait(until: gate)] + fresh(request).steps) : fresh(request)
            }
            try await TestServer.serving(script: script) { server in
                await get(server.url("/a"), options(cache))
                var configuration = RequestOperationManager.Configuration()
                configuration.maximumConcurrentTransferCount = 1
                configuration.responseCache = cache
                let manager = RequestOperationManager(configuration: configuration)
                manager.responseSerializer = HTTPResponseSerializer()
                let slow = manager.started("GET", server.url("/slow").absoluteString)
                await server.waitForRequests(count: 2)
                let cached = manager.started("GET", server.url("/a").absoluteString)
                try await cached.waitUntilEnded()
                #expect(cached.summary.isFromCache)
                #expect(!slow.isFinished)
                gate.open()
                try await slow.waitUntilEnded()
            }
        }
    }
}
