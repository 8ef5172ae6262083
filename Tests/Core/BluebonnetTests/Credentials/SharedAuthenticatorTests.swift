// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The calls of an authenticator, their order, and the requests that are sent in the meantime.
@Suite(.timeLimit(.minutes(1))) struct SharedAuthenticatorTests {
    private typealias Token = ScriptedAuthenticator.Token

    private let network = ScriptedNetwork()
    private let gate = Gate()
    private let now = Observed(VirtualTime.start)
    /// Opened when the time limit of a refresh passes.
    private let limit = Gate()
    private let limits = Observed([Duration]())

    /// An authenticator with the token `old`. The time limit of a refresh passes when `limit` opens, unless it was
    /// cancelled.
    private func shared(
        _ authenticator: ScriptedAuthenticator, token: Token? = Token(text: "old"),
        refreshTimeout: Duration = .seconds(60)
    ) -> SharedAuthenticator {
        SharedAuthenticator(
            AnyAuthenticator(authenticator), token, [ScriptedNetwork.url("/")], leeway: .seconds(60),
            failureInterval: .seconds(10), refreshTimeout: refreshTimeout, date: { [now] in now.value },
            sleep: { [limit, limits] duration in
                limits.append(duration)
                await limit.wait()
                try Task.checkCancellation()
            })
    }

    private func operation(_ shared: SharedAuthenticator, _ path: String = "/a") -> HTTPRequestOperation {
        network.operation(path, options: TransferOptions { $0.authenticator = shared })
    }

    /// Starts an operation and returns when it waits for the credential.
    private func waiting(_ shared: SharedAuthenticator) async -> HTTPRequestOperation {
        let count = shared.waitingCount
        let operation = operation(shared)
        operation.start()
        await becomes(count + 1) { shared.waitingCount }
        return operation
    }

    /// Returns a token when the gate is open: `new` for the first refresh, then `new` with its number. Fails if
    /// `isFailing`.
    private func authenticator(isFailing: Bool = false, isFinal: Bool = false) -> ScriptedAuthenticator {
        ScriptedAuthenticator { [gate] number in
            await gate.waitUncancelled()
            if isFailing { throw ScriptedAuthenticator.Refusal(isFinal: isFinal) }
            return Token(text: number == 1 ? "new" : "new\(number)")
        }
    }

    @Test func refusedCredentialIsNotSentDuringItsRefresh() async {
        defer { limit.open() }
        network.answer("/a", onlyFor: "new")
        let shared = shared(authenticator())
        let first = await waiting(shared)
        let others = [await waiting(shared), await waiting(shared)]
        #expect(network.sentTokens == ["Bearer old"])
        gate.open()
        for operation in [first] + others { await operation.ends() }
        #expect(network.sentTokens == ["Bearer old", "Bearer new", "Bearer new", "Bearer new"])
    }

    @Test(arguments: [false, true]) func refusedCredentialIsNotSentAfterAFailedRefresh(isFinal: Bool) async {
        defer { limit.open() }
        gate.open()
        network.answer("/a", onlyFor: "new")
        let authenticator = authenticator(isFailing: true, isFinal: isFinal)
        let shared = shared(authenticator)
        #expect(await operation(shared).run().code == .authenticationRequired)
        for _ in 0..<3 { #expect(await operation(shared).run().code == .authenticationRequired) }
        #expect(network.sentTokens == ["Bearer old"] && authenticator.replaced.value == ["old"])
        now.update { $0 += 11 }
        #expect(await operation(shared).run().code == .authenticationRequired)
        #expect(network.sentTokens == ["Bearer old"])
        #expect(authenticator.replaced.value.count == (isFinal ? 1 : 2))
    }

    @Test func credentialIsUsedDuringAnEarlyRefresh() async {
        defer { limit.open() }
        network.answer("/a") { _ in [.head(200), .body("fine")] }
        let authenticator = authenticator()
        let shared = shared(authenticator, token: Token(text: "old", expiry: VirtualTime.start + 100))
        now.update { $0 += 90 }
        for _ in 0..<2 { #expect(await operation(shared).run().error == nil) }
        #expect(network.sentTokens == ["Bearer old", "Bearer old"])
        gate.open()
        await becomes("new") { shared.credential(as: Token.self)?.text }
        #expect(await operation(shared).run().error == nil)
        #expect(network.sentTokens.last == "Bearer new" && authenticator.replaced.value == ["old"])
    }

    @Test func timedOutRefreshIsCancelledButLateTokenIsUsed() async {
        network.answer("/a", onlyFor: "new")
        let cancelled = Gate()
        let authenticator = ScriptedAuthenticator { [gate] _ in
            await withTaskCancellationHandler {
                await gate.waitUncancelled()
            } onCancel: {
                cancelled.open()
            }
            return Token(text: "new")
        }
        let shared = shared(authenticator, refreshTimeout: .seconds(7))
        let operation = await waiting(shared)
        await authenticator.replaced.becomes(["old"])
        limit.open()
        await operation.ends()
        #expect(operation.code == .authenticationRequired && limits.value == [.seconds(7)])
        #expect((operation.error?.underlying as? NetworkingError)?.code == .timedOut)
        await cancelled.wait()
        gate.open()
        await becomes("new") { shared.credential(as: Token.self)?.text }
        #expect(await self.operation(shared).run().error == nil)
    }

    @Test func refreshWithoutALimitIsNotLimited() async {
        network.answer("/a", onlyFor: "new")
        let shared = shared(authenticator(), refreshTimeout: .zero)
        let operation = await waiting(shared)
        gate.open()
        await operation.ends()
        #expect(operation.error == nil && limits.value.isEmpty)
    }

    @Test func nextRefreshBeginsAfterTheCancelledRefreshEnds() async {
        defer { limit.open() }
        network.answer("/a", onlyFor: "new2")
        let authenticator = authenticator()  // ignores cancellation
        let shared = shared(authenticator)
        let first = await waiting(shared)
        await authenticator.replaced.becomes(["old"])
        shared.removeCredential()
        await becomes(1) { shared.waitingCount }
        let second = await waiting(shared)
        #expect(authenticator.replaced.value == ["old"] && authenticator.told.value.isEmpty)
        gate.open()
        for operation in [first, second] { await operation.ends() }
        #expect(first.error == nil && second.error == nil)
        #expect(authenticator.replaced.value == ["old", nil] && authenticator.told.value == [nil])
        #expect(shared.credential(as: Token.self)?.text == "new2")
    }

    @Test func refreshIsCancelledWhenTheProgramSetsAnotherCredential() async {
        defer { limit.open() }
        network.answer("/a", onlyFor: "mine")
        let cancelled = Gate()
        let authenticator = ScriptedAuthenticator { _ in
            await withTaskCancellationHandler {
                await cancelled.wait()
            } onCancel: {
                cancelled.open()
            }
            throw CancellationError()
        }
        let shared = shared(authenticator)
        let operation = await waiting(shared)
        await authenticator.replaced.becomes(["old"])
        shared.setCredential(Token(text: "mine"))
        await operation.ends()
        #expect(operation.error == nil)
        await authenticator.told.becomes(["mine"])
    }

    @Test func authenticatorIsNotifiedOfSetCredentialsInOrder() async {
        let authenticator = authenticator()
        let shared = shared(authenticator)
        var expected: [String?] = []
        for number in 0..<50 {
            shared.setCredential(Token(text: "\(number)"))
            shared.removeCredential()
            expected += ["\(number)", nil]
        }
        await authenticator.told.becomes { $0.count == 100 }
        #expect(authenticator.told.value == expected && authenticator.replaced.value.isEmpty)
    }

    @Test func redirectThatRefusesTheNewCredentialRefreshesAgain() async {
        gate.open()
        defer { limit.open() }
        network.answer(
            "/a", inTurn: [[.head(401, ["WWW-Authenticate": "Bearer"])], [.head(302, ["Location": "/b"])]])
        network.answer("/b") { [now] request in
            now.update { $0 += 20 }
            if request.field("Authorization") == "Bearer new2" { return [.head(200), .body("fine")] }
            return [.head(401, ["WWW-Authenticate": "Bearer"])]
        }
        let operation = await operation(shared(authenticator())).run()
        #expect(operation.error == nil)
        #expect(network.sentTokens == ["Bearer old", "Bearer new", "Bearer new", "Bearer new2"])
    }

    @Test func pausedWaiterDoesNotFailWithAnOldFailure() async {
        defer { limit.open() }
        network.answer("/a", onlyFor: "new2")
        let authenticator = ScriptedAuthenticator { [gate] number in
            await gate.wait()
            if number == 1 { throw ScriptedAuthenticator.Refusal() }
            return Token(text: "new2")
        }
        let shared = shared(authenticator)
        let (paused, other) = (await waiting(shared), await waiting(shared))
        paused.pause()
        await becomes(1) { shared.waitingCount }
        gate.open()
        await other.ends()
        #expect(other.code == .authenticationRequired)
        now.update { $0 += 11 }
        paused.resume()
        await paused.ends()
        #expect(paused.error == nil && authenticator.replaced.value.count == 2)
    }
}

extension Gate {
    /// Waits until the gate is open, even if the task is cancelled.
    fileprivate func waitUncancelled() async {
        await withCheckedContinuation { waiter in
            whenOpen { waiter.resume() }
        }
    }
}
