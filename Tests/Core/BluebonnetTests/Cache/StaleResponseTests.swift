// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Stale responses: validation in the background (RFC 5861, 3), and answers in place of errors (4).
@Suite(.timeLimit(.minutes(1))) struct StaleResponseTests {
    private let net = GovernedNetwork()
    private let cache = InMemoryResponseCache()

    private func operation(_ path: String) -> HTTPRequestOperation {
        let request = URLRequest(url: URL(string: "http://a.test\(path)") ?? ScriptedNetwork.url(path))
        let options = ResolvedOptions(TransferOptions { $0.responseCache = cache })
        return HTTPRequestOperation(
            plan: RequestPlan(request, options: options), serializer: ResolvedSerializer(HTTPResponseSerializer()),
            services: net.network.services)
    }

    private func run(_ path: String) async -> HTTPRequestOperation {
        let operation = operation(path)
        operation.start()
        await operation.ends()
        return operation
    }

    @Test func staleResponseIsUsedAndRevalidatedInTheBackground() async {
        let gate = Gate()
        net.network.answer(
            "/a",
            inTurn: [
                [
                    .head(200, ["Cache-Control": "max-age=0, stale-while-revalidate=60", "ETag": "\"1\""]),
                    .body("old"),
                ],
                [.wait(gate), .head(200, ["Cache-Control": "max-age=60"]), .body("new")],
            ])
        #expect(await run("/a").responseString == "old")
        for _ in 0..<3 {
            let stale = await run("/a")
            #expect(stale.responseString == "old" && stale.summary.cacheAnswer == .stale && stale.summary.isFromCache)
        }
        await net.log.sees(.begun(2))
        #expect(net.log.requests.last?.field("If-None-Match") == "\"1\"")
        gate.open()
        await becomes("new") { await self.run("/a").responseString }
        #expect(net.sentCount == 2)
    }

    @Test func validationInTheBackgroundIsAwaited() async {
        let gate = Gate()
        net.network.answer(
            "/a",
            inTurn: [
                [.head(200, ["Cache-Control": "max-age=0, stale-while-revalidate=60"]), .body("old")],
                [.wait(gate), .head(200, ["Cache-Control": "max-age=60"]), .body("new")],
            ])
        let services = net.network.services
        #expect(await services.finishValidations(within: .zero))
        _ = await run("/a")
        #expect(await run("/a").responseString == "old")
        #expect(await !services.finishValidations(within: .milliseconds(1)))
        gate.open()
        #expect(await services.finishValidations(within: .seconds(60)))
        #expect(await run("/a").responseString == "new")
        #expect(net.sentCount == 2)
    }

    @Test func staleResponseReplacesAnError() async {
        let fields = ["Cache-Control": "max-age=0, stale-if-error=60", "ETag": "\"1\""]
        net.network.answer(
            "/a",
            inTurn: [
                [.head(200, fields), .body("old")], [.head(503), .body("busy")], [.fail(.connectionLost)],
                [.fail(.serverNotTrusted)],
            ])
        #expect(await run("/a").responseString == "old")
        for _ in 0..<2 {
            let stale = await run("/a")
            #expect(stale.responseString == "old" && stale.error == nil && stale.summary.cacheAnswer == .stale)
        }
        #expect(await run("/a").code == .serverNotTrusted)
        #expect(net.sentCount == 4)
    }

    @Test func staleResponseAnswersWhileTheOriginIsHeld() async {
        let fields = ["Cache-Control": "max-age=0, stale-if-error=60", "ETag": "\"1\""]
        net.network.answer("/a", with: [.head(200, fields), .body("old")])
        #expect(await run("/a").responseString == "old")
        await net.hold(seconds: 10)
        let count = net.sentCount
        let stale = await run("/a")
        #expect(stale.responseString == "old" && stale.summary.cacheAnswer == .stale && net.sentCount == count)
    }

    @Test func staleResponseWithoutPermissionIsNotUsed() async {
        net.network.answer(
            "/a",
            inTurn: [
                [.head(200, ["Cache-Control": "max-age=0", "ETag": "\"1\""]), .body("old")], [.fail(.connectionLost)],
            ])
        #expect(await run("/a").responseString == "old")
        #expect(await run("/a").code == .connectionLost)
    }
}
