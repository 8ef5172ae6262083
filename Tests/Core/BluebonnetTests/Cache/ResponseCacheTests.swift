// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

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
                #expect(cache.byteCount == 0)
            }
        }

        @Test(arguments: [201, 206, 404, 500])
        func responseOtherThan200IsNotKept(status: Int) async throws {
            let cache = InMemoryResponseCache()
            try await TestServer.answering(.response(status: status, headers: ["Cache-Control": "max-age=9"])) {
                await get($0.url(), options(cache))
                #expect(cache.byteCount == 0)
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

        @Test(arguments: [["Range": "bytes=0-1"], ["If-None-Match": "\"a\""], ["Cache-Control": "no-store"]])
        func unsuitableRequestsBypassTheCache(headers: [String: String]) async throws {
            let cache = InMemoryResponseCache()
            try await serving { server in
                for _ in 0..<2 { await perform(URLRequest("GET", server.url(), headers: headers), options(cache)) }
                #expect(server.requests.count == 2)
                #expect(cache.byteCount == 0)
            }
        }

        @Test func redirectTargetIsNotKept() async throws {
            let cache = InMemoryResponseCache()
            let script: TestServer.Script = { $0.path == "/start" ? .redirect(to: "/end") : fresh($0) }
            try await TestServer.serving(script: script) { server in
                for _ in 0..<2 { await get(server.url("/start"), options(cache)) }
                #expect(server.requests.count == 4)
                #expect(cache.byteCount == 0)
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
                #expect(server.requests.last?.headers["Cache-Control"] == (tellsOthers ? "no-cache" : nil))
                #expect(server.requests.last?.headers["Pragma"] == (tellsOthers ? "no-cache" : nil))
                #expect(await get(server.url(), options(cache)).summary.isFromCache)
            }
        }

        /// A cache with a stale response, which was fresh when it arrived long ago.
        private func staleCache(for url: URL) throws -> InMemoryResponseCache {
            let cache = InMemoryResponseCache()
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: ["Cache-Control": "max-age=9"])
            var cached = CachedResponse(response: try #require(response), data: Data("stale".utf8))
            let then = Date(timeIntervalSinceNow: -1000)
            cached.provenance = CachedResponse.Provenance(
                requestedAt: then, receivedAt: then, variedFields: [:], poolKey: TransferOptions().poolKey)
            cache.store(cached, for: URLRequest(url: url))
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
                    CachedResponse(response: response.response, data: Data("changed".utf8), userInfo: ["mark": 1])
                }
                #expect(await changing.run().responseString == "body of /a")
                #expect(await get(server.url("/a"), options(cache)).responseString == "changed")
                let kept = cache.cachedResponse(for: URLRequest(url: server.url("/a")))
                #expect(kept?.userInfo["mark"] as? Int == 1)
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
