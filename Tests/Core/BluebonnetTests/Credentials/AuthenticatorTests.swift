// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Operations with an authenticator on a scripted network.
@Suite(.timeLimit(.minutes(1))) struct AuthenticatorTests {
    private let network = ScriptedNetwork()

    /// An authenticator for the scripted network, with the token `old`; a refresh returns `new`.
    private func shared(
        _ authenticator: ScriptedAuthenticator = ScriptedAuthenticator { _ in .init(text: "new") },
        token: ScriptedAuthenticator.Token? = .init(text: "old"), origins: [URL] = [ScriptedNetwork.url("/")],
        date: @escaping @Sendable () -> Date = { VirtualTime.start }
    ) -> SharedAuthenticator {
        SharedAuthenticator(
            AnyAuthenticator(authenticator), token, origins, leeway: .seconds(60), failureInterval: .seconds(10),
            date: date)
    }

    private func operation(
        _ path: String = "/a", _ shared: SharedAuthenticator, method: String = "GET", body: String? = nil,
        _ change: (inout TransferOptions) -> Void = { _ in }
    ) -> HTTPRequestOperation {
        let options = TransferOptions {
            $0.authenticator = shared
            change(&$0)
        }
        return network.operation(path, method: method, body: body, options: options)
    }

    @Test func requestCarriesTheCredentialWithoutExposingIt() async throws {
        network.answer("/a", onlyFor: "old")
        let shared = shared()
        let operation = await self.operation("/a", shared).run()
        #expect(operation.error == nil && network.sentTokens == ["Bearer old"])
        let archive = try JSONEncoder().encode(try await operation.copied().archive())
        let texts = [
            operation.description, operation.curlCommand(includingSecrets: true) ?? "", "\(shared)",
            String(decoding: archive, as: UTF8.self), "\(operation.request?.allHTTPHeaderFields ?? [:])",
        ]
        #expect(!texts.contains { $0.contains("old") }, "\(texts)")
    }

    @Test(arguments: ["GET", "POST"])
    func refusedRequestIsResentOnceWithTheNewCredential(method: String) async {
        network.answer("/a", onlyFor: "new")
        let authenticator = ScriptedAuthenticator { _ in .init(text: "new") }
        let operation = await self.operation(
            "/a", shared(authenticator), method: method, body: method == "POST" ? "x" : nil
        ).run()
        #expect(operation.error == nil && operation.responseString == "fine")
        #expect(network.sentTokens == ["Bearer old", "Bearer new"])
        #expect(authenticator.replaced.value == ["old"])
        #expect(operation.retries.isEmpty && operation.summary.transferCount == 2)
    }

    @Test func secondRefusalIsTheResult() async {
        network.answer("/a", onlyFor: "another")
        let authenticator = ScriptedAuthenticator { _ in .init(text: "new") }
        let operation = await self.operation("/a", shared(authenticator)).run()
        #expect(operation.code == .unacceptableStatus && operation.statusCode == 401)
        #expect(operation.error?.body == Data("who?".utf8))
        #expect(network.sentTokens == ["Bearer old", "Bearer new"])
        // The new credential was refused, and other requests do not refresh it again.
        let other = await self.operation("/a", operation.authenticator ?? shared()).run()
        #expect(other.statusCode == 401 && authenticator.replaced.value.count == 1)
    }

    @Test(
        arguments: [
            ("Bearer", "Basic realm=\"x\"", 0), ("Bearer", nil, 0), ("Bearer", "bEARER error=\"invalid_token\"", 1),
            ("Bearer", "Basic realm=\"x\", Bearer", 1), ("Key", "Bearer", 0), (nil, nil, 1),
        ] as [(String?, String?, Int)])
    func refusalCountsOnlyIfItNamesTheScheme(scheme: String?, challenge: String?, expected: Int) async {
        network.answer("/a", onlyFor: "new", challenge: challenge)
        let authenticator = ScriptedAuthenticator(challengeScheme: scheme) { _ in .init(text: "new") }
        let operation = await self.operation("/a", shared(authenticator)).run()
        #expect(authenticator.replaced.value.count == expected)
        #expect((operation.error == nil) == (expected == 1))
    }

    @Test func thousandRefusalsCauseOneRefresh() async {
        network.answer("/a", onlyFor: "new")
        let gate = Gate()
        let authenticator = ScriptedAuthenticator { _ in
            await gate.wait()
            return .init(text: "new")
        }
        let shared = shared(authenticator)
        let manager = network.manager()
        manager.authenticator = shared
        manager.responseSerializer = HTTPResponseSerializer()
        let operations = (0..<1000).map { _ in manager.operation("GET", "a") }
        for operation in operations { manager.enqueue(operation) }
        await becomes(1000) { shared.waitingCount }
        gate.open()
        for operation in operations { await operation.ends() }
        #expect(operations.allSatisfy { $0.error == nil })
        #expect(authenticator.replaced.value == ["old"])
        #expect(network.log.requests.count { $0.field("Authorization") == "Bearer new" } == 1000)
        #expect(network.log.entries.value.activeCount == 0)
    }

    @Test func refusalOfAnOldCredentialUsesTheCurrentOne() async {
        let gate = Gate()
        network.answer(
            "/slow",
            inTurn: [[.wait(gate), .head(401, ["WWW-Authenticate": "Bearer"])], [.head(200), .body("fine")]])
        network.answer("/a", onlyFor: "new")
        let authenticator = ScriptedAuthenticator { _ in .init(text: "new") }
        let shared = shared(authenticator)
        let slow = operation("/slow", shared)
        slow.start()
        await network.log.sees(.begun(1))
        _ = await operation("/a", shared).run()
        gate.open()
        await slow.ends()
        #expect(slow.error == nil && authenticator.replaced.value.count == 1)
        #expect(network.sentTokens == ["Bearer old", "Bearer old", "Bearer new", "Bearer new"])
    }

    @Test func expiringCredentialIsRefreshedBeforeARequest() async {
        network.answer("/a", onlyFor: "new")
        let authenticator = ScriptedAuthenticator { _ in .init(text: "new", expiry: VirtualTime.start + 3600) }
        let shared = shared(authenticator, token: .init(text: "old", expiry: VirtualTime.start - 1))
        let operation = await self.operation("/a", shared).run()
        #expect(operation.error == nil && network.sentTokens == ["Bearer new"])
        #expect(shared.credential(as: ScriptedAuthenticator.Token.self)?.text == "new")
    }

    @Test func firstRequestGetsTheFirstCredential() async {
        network.answer("/a", onlyFor: "new")
        let authenticator = ScriptedAuthenticator { _ in .init(text: "new") }
        let operation = await self.operation("/a", shared(authenticator, token: nil)).run()
        #expect(operation.error == nil && authenticator.replaced.value == [nil])
    }

    @Test func failedRefreshFailsAllWaitersWithoutAnotherAttempt() async {
        network.answer("/a", onlyFor: "new")
        let gate = Gate()
        let authenticator = ScriptedAuthenticator { _ in
            await gate.wait()
            throw ScriptedAuthenticator.Refusal()
        }
        let shared = shared(authenticator)
        let operations = (0..<20).map { _ in operation("/a", shared) }
        for operation in operations { operation.start() }
        await becomes(20) { shared.waitingCount }
        gate.open()
        for operation in operations { await operation.ends() }
        let late = await operation("/a", shared).run()
        for operation in operations + [late] {
            #expect(operation.code == .authenticationRequired)
            #expect(operation.error?.message == "the credential could not be refreshed: no more tokens")
            #expect(operation.error?.underlying is ScriptedAuthenticator.Refusal)
        }
        #expect(authenticator.replaced.value.count == 1)
        shared.setCredential(ScriptedAuthenticator.Token(text: "new"))
        #expect(await operation("/a", shared).run().error == nil)
    }

    @Test(arguments: [false, true]) func failedRefreshIsRetriedLaterUnlessFinal(isFinal: Bool) async {
        network.answer("/a", onlyFor: "new")
        let now = Observed(VirtualTime.start)
        let authenticator = ScriptedAuthenticator { number in
            if number == 1 { throw ScriptedAuthenticator.Refusal(isFinal: isFinal) }
            return .init(text: "new")
        }
        let shared = shared(authenticator) { now.value }
        #expect(await operation("/a", shared).run().code == .authenticationRequired)
        now.update { $0 += 11 }
        #expect((await operation("/a", shared).run().error == nil) == !isFinal)
        #expect(authenticator.replaced.value.count == (isFinal ? 1 : 2))
    }

    @Test func credentialSetDuringARefreshWins() async {
        network.answer("/a", onlyFor: "mine")
        let gate = Gate()
        let authenticator = ScriptedAuthenticator { _ in
            await gate.wait()
            return .init(text: "late")
        }
        let shared = shared(authenticator)
        let operation = self.operation("/a", shared)
        operation.start()
        await becomes(1) { shared.waitingCount }
        shared.setCredential(ScriptedAuthenticator.Token(text: "mine"))
        await operation.ends()
        #expect(operation.error == nil)
        gate.open()
        _ = await self.operation("/a", shared).run()
        #expect(shared.credential(as: ScriptedAuthenticator.Token.self)?.text == "mine")
    }
}
