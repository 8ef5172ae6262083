// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Requests with a cache, on a scripted network.
@Suite(.timeLimit(.minutes(1))) struct CachedRequestTests {
    private let network = ScriptedNetwork()
    private let cache = InMemoryResponseCache()

    private func operation(
        _ path: String, _ headers: [String: String] = [:], method: String = "GET",
        _ change: (inout TransferOptions) -> Void = { _ in }
    ) -> HTTPRequestOperation {
        var request = network.request(path, method: method)
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        var options = TransferOptions()
        options.responseCache = cache
        change(&options)
        return HTTPRequestOperation(
            plan: RequestPlan(request, options: ResolvedOptions(options)),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
    }

    private func run(
        _ path: String, _ headers: [String: String] = [:], method: String = "GET",
        _ change: (inout TransferOptions) -> Void = { _ in }
    ) async -> HTTPRequestOperation {
        await operation(path, headers, method: method, change).run()
    }

    private var sentCount: Int { network.log.requests.count }

    /// Answers with a body and an entity tag, or with 304 if the request names the tag.
    private func answerWithTag(_ path: String, _ fields: [String: String] = [:]) {
        network.answer(path) { request in
            let fields = fields.merging(["ETag": "\"1\""]) { first, _ in first }
            if request.field("If-None-Match") == "\"1\"" {
                return [.head(304, fields.merging(["X-New": "yes"]) { first, _ in first })]
            }
            return [.head(200, fields), .body("text")]
        }
    }

    @Test func staleResponseIsRevalidated() async {
        answerWithTag("/a", ["Cache-Control": "max-age=0"])
        let first = await run("/a")
        #expect(first.summary.cacheAnswer == .miss)
        let second = await run("/a")
        #expect(second.responseString == "text" && second.statusCode == 200 && sentCount == 2)
        #expect(second.response?.value(forHTTPHeaderField: "X-New") == "yes")
        #expect(second.summary.cacheAnswer == .revalidated && !second.summary.isFromCache)
        #expect(second.summary.transferCount == 1)
        let status = second.summary.cacheStatus
        #expect(status?.forwardReason == .stale && status?.forwardStatus == 304 && status?.isStored == true)
    }

    @Test func confirmationMakesAResponseFreshAgain() async {
        network.answer(
            "/a",
            inTurn: [
                [.head(200, ["ETag": "\"1\"", "Cache-Control": "max-age=0"]), .body("text")],
                [.head(304, ["Cache-Control": "max-age=60"])],
            ])
        for _ in 0..<3 { #expect(await run("/a").responseString == "text") }
        #expect(sentCount == 2)
    }

    @Test func newResponseReplacesTheStaleOne() async {
        network.answer(
            "/a",
            inTurn: [
                [.head(200, ["ETag": "\"1\"", "Cache-Control": "max-age=0"]), .body("old")],
                [.head(200, ["ETag": "\"2\"", "Cache-Control": "max-age=60"]), .body("new")],
            ])
        #expect(await run("/a").responseString == "old")
        for _ in 0..<2 { #expect(await run("/a").responseString == "new") }
        #expect(sentCount == 2 && cache.count == 1)
    }

    @Test func variantsAreStoredSideBySide() async {
        network.answer("/a") { request in
            [
                .head(200, ["Vary": "Accept-Language", "Cache-Control": "max-age=60"]),
                .body(request.field("Accept-Language") ?? ""),
            ]
        }
        for _ in 0..<2 {
            for language in ["de", "en"] {
                #expect(await run("/a", ["Accept-Language": language]).responseString == language)
            }
        }
        #expect(sentCount == 2)
    }

    @Test func headIsAnsweredByAStoredGet() async {
        network.answer(
            "/a", with: [.head(200, ["Cache-Control": "max-age=60", "Content-Length": "4"]), .body("text")])
        _ = await run("/a")
        let head = await run("/a", method: "HEAD")
        #expect(head.summary.cacheAnswer == .hit && sentCount == 1)
        #expect(head.response?.value(forHTTPHeaderField: "Content-Length") == "4")
        #expect(head.responseData?.isEmpty != false)
    }

    @Test func rangeIsAnsweredByAStoredBody() async {
        network.answer(
            "/a", with: [.head(200, ["Cache-Control": "max-age=60", "Content-Length": "4"]), .body("text")])
        _ = await run("/a")
        let part = await run("/a", ["Range": "bytes=1-2"])
        #expect(part.statusCode == 206 && part.responseString == "ex" && sentCount == 1)
        #expect(part.response?.value(forHTTPHeaderField: "Content-Range") == "bytes 1-2/4")
    }

    @Test func storedPartsAreCompleted() async {
        network.answer("/a") { request in
            var fields = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
            switch request.field("Range") {
            case "bytes=0-3":
                fields["Content-Range"] = "bytes 0-3/10"
                return [.head(206, fields), .body("0123")]
            case "bytes=4-":
                fields["Content-Range"] = "bytes 4-9/10"
                return [.head(206, fields), .body("456789")]
            default: return [.head(200, fields), .body("no range")]
            }
        }
        #expect(await run("/a", ["Range": "bytes=0-3"]).responseString == "0123")
        let whole = await run("/a")
        #expect(whole.responseString == "0123456789" && whole.statusCode == 200)
        #expect(whole.summary.cacheAnswer == .revalidated)
        #expect(await run("/a").responseString == "0123456789")
        #expect(sentCount == 2)
    }

    @Test func requestWithOwnConditionGetsA304FromTheCache() async {
        answerWithTag("/a", ["Cache-Control": "max-age=60"])
        _ = await run("/a")
        let same = await run("/a", ["If-None-Match": "\"1\""])
        #expect(same.statusCode == 304 && sentCount == 1)
    }

    @Test(arguments: ["file", "stream"])
    func bodiesElsewhereAreStoredAndServed(place: String) async throws {
        network.answer("/a", with: [.head(200, ["Cache-Control": "max-age=60"]), .body("te"), .body("xt")])
        let folder = try ScratchFolder()
        for number in 0..<2 {
            let operation = operation("/a")
            if place == "file" {
                let file = folder.url.appendingPathComponent("\(number)")
                operation.outputFile = file
                #expect(await operation.run().error == nil)
                #expect(try String(contentsOf: file, encoding: .utf8) == "text")
            } else {
                var text = ""
                let chunks = operation.chunks
                operation.start()
                for try await chunk in chunks { text += String(decoding: chunk, as: UTF8.self) }
                #expect(text == "text")
            }
            #expect(operation.summary.cacheAnswer == (number == 0 ? .miss : .hit))
        }
        #expect(await run("/a").responseString == "text")
        #expect(sentCount == 1)
    }

    @Test func bodyThatIsTooLargeIsDeliveredAndNotStored() async throws {
        let small = InMemoryResponseCache(byteCapacity: 4_000)
        network.answer("/a", with: [.head(200, ["Cache-Control": "max-age=60"]), .bytes(Data(count: 9_000))])
        for _ in 0..<2 {
            let operation = operation("/a") { $0.responseCache = small }
            var count = 0
            let chunks = operation.chunks
            operation.start()
            for try await chunk in chunks { count += chunk.count }
            #expect(count == 9_000)
        }
        #expect(sentCount == 2 && small.count == 0)
    }

    @Test func cutBodyIsNotStored() async {
        network.answer(
            "/a",
            inTurn: [
                [
                    .head(200, ["Cache-Control": "max-age=60", "ETag": "\"1\"", "Content-Length": "4"]), .body("te"),
                    .fail(.connectionLost),
                ], [.head(200, ["Cache-Control": "max-age=60"]), .body("text")],
            ])
        #expect(await run("/a").code == .connectionLost)
        #expect(cache.count == 0)
        #expect(await run("/a").responseString == "text")
    }

    @Test func bodyWithAWrongDigestIsNotStored() async {
        network.answer("/a", with: [.head(200, ["Cache-Control": "max-age=60"]), .body("text")])
        let operation = operation("/a")
        operation.expectedDigest = String(repeating: "0", count: 64)
        #expect(await operation.run().code == .digestMismatch)
        #expect(cache.count == 0)
    }

    @Test func usersHaveTheirOwnPartitions() async {
        network.answer("/a", with: [.head(200, ["Cache-Control": "max-age=60"]), .body("text")])
        let users: [URLCredential?] = ["one", "two", nil].map { name in
            name.map { URLCredential(user: $0, password: "p", persistence: .none) }
        }
        for _ in 0..<2 {
            for user in users { _ = await run("/a") { $0.credential = user } }
            _ = await run("/a", ["Authorization": "Bearer x"])
            _ = await run("/a") { $0.tls.clientIdentity = .data(certificate: Data("x".utf8)) }
        }
        #expect(sentCount == 5)
    }

    @Test func responseToAnAnsweredChallengeIsNotStoredForOthers() async {
        network.answer("/a") { request in
            request.field("Authorization") == nil
                ? [.head(401, ["WWW-Authenticate": "Basic realm=r"])]
                : [.head(200, ["Cache-Control": "max-age=60"]), .body("secret")]
        }
        let asking = operation("/a")
        asking.onChallenge = { _, _ in .useCredential(URLCredential(user: "u", password: "p", persistence: .none)) }
        #expect(await asking.run().responseString == "secret")
        #expect(cache.count == 0)
        let credential = URLCredential(user: "u", password: "p", persistence: .none)
        for _ in 0..<2 { #expect(await run("/a") { $0.credential = credential }.responseString == "secret") }
        #expect(sentCount == 4)
    }

    @Test func policyOfTheOptionsIsUsed() async {
        network.answer("/a", with: [.head(200, ["Cache-Control": "max-age=60"]), .body("text")])
        #expect(await run("/a") { $0.cachePolicy = .onlyIfCached }.code == .notCached)
        _ = await run("/a")
        #expect(await run("/a") { $0.cachePolicy = .onlyIfCached }.responseString == "text")
        #expect(sentCount == 1)
        _ = await run("/a") { $0.cachePolicy = .reload }
        #expect(network.log.requests.last?.field("Cache-Control") == "no-cache" && sentCount == 2)
        #expect(
            await operation("/b") { ($0.responseCache, $0.cachePolicy) = (nil, .onlyIfCached) }.run().code == .notCached
        )
    }

    @Test func forcedResponsesAreStoredWithoutLifetime() async {
        for _ in 0..<2 { #expect(await run("/a") { $0.cachePolicy = .forceCache }.responseString == "fine") }
        #expect(sentCount == 1)
    }

    @Test func codedBodyIsServedDecoded() async throws {
        let zipped = try #require(Data(base64Encoded: "H4sIAAAAAAACAytJrSgBAMenizsEAAAA"))
        let fields = ["Cache-Control": "max-age=60", "Content-Encoding": "gzip", "Content-Length": "\(zipped.count)"]
        network.answer("/a", with: [.head(200, fields), .bytes(zipped)])
        for _ in 0..<2 { #expect(await run("/a").responseString == "text") }
        #expect(sentCount == 1)
    }

    @Test func pausedHitIsDeliveredAfterTheResume() async {
        network.answer("/a", with: [.head(200, ["Cache-Control": "max-age=60"]), .body("text")])
        _ = await run("/a")
        let operation = operation("/a")
        operation.pause()
        operation.start()
        operation.resume()
        await operation.ends()
        #expect(operation.responseString == "text" && sentCount == 1)
    }
}
