// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Operations that wait for a credential, in virtual time.
@Suite(.timeLimit(.minutes(1))) struct AuthenticatorWaitTests {
    private let time = VirtualTime()
    private let network: ScriptedNetwork
    private let gate = Gate()
    private let shared: SharedAuthenticator
    private let authenticator: ScriptedAuthenticator

    init() {
        network = ScriptedNetwork(limit: 2, limitPerOrigin: 2, time: time)
        authenticator = ScriptedAuthenticator { [gate] _ in
            await gate.wait()
            return .init(text: "new")
        }
        shared = SharedAuthenticator(
            authenticator, credential: .init(text: "old"), origins: [ScriptedNetwork.url("/")])
        network.answer("/a", onlyFor: "new")
        network.answer("/public") { _ in [.head(200), .body("fine")] }
    }

    private func operation(_ change: (inout TransferOptions) -> Void = { _ in }) -> HTTPRequestOperation {
        let options = TransferOptions {
            $0.authenticator = shared
            change(&$0)
        }
        return network.operation("/a", options: options)
    }

    /// Starts the operation, and returns it when it waits for the credential.
    private func startedAndWaiting(_ operation: HTTPRequestOperation) async -> HTTPRequestOperation {
        let count = shared.waitingCount
        operation.start()
        await becomes(count + 1) { shared.waitingCount }
        return operation
    }

    @Test func waitingOccupiesNoSlot() async {
        var operations: [HTTPRequestOperation] = []
        for _ in 0..<5 { operations.append(await startedAndWaiting(self.operation())) }
        let other = await network.operation("/public").run()
        #expect(other.error == nil)
        gate.open()
        for operation in operations { await operation.ends() }
        #expect(operations.allSatisfy { $0.error == nil })
        #expect(network.log.entries.value.peakCount <= 2)
    }

    @Test func cancelledWaiterEndsAtOnceAndOthersContinue() async {
        let (first, second) = (await startedAndWaiting(self.operation()), await startedAndWaiting(self.operation()))
        first.cancel()
        await first.ends()
        #expect(first.code == .cancelled && shared.waitingCount == 1)
        gate.open()
        await second.ends()
        #expect(second.error == nil && authenticator.replaced.value.count == 1)
    }

    @Test(arguments: [false, true]) func pausedWaiterContinuesAfterResume(isRefreshedMeanwhile: Bool) async {
        let operation = await startedAndWaiting(self.operation())
        operation.pause()
        await becomes(0) { shared.waitingCount }
        if isRefreshedMeanwhile {
            gate.open()
            await becomes("new") { shared.credential(as: ScriptedAuthenticator.Token.self)?.text }
        }
        #expect(network.sentTokens.count == 1)
        operation.resume()
        if !isRefreshedMeanwhile {
            await becomes(1) { shared.waitingCount }
            gate.open()
        }
        await operation.ends()
        #expect(operation.error == nil && network.sentTokens == ["Bearer old", "Bearer new"])
    }

    @Test func totalLimitIncludesTheWait() async {
        let operation = await startedAndWaiting(self.operation { $0.timeouts.total = .seconds(5) })
        await time.hasWaiting(1)
        await time.advance(by: .seconds(4))
        #expect(!operation.isFinished)
        await time.advance(by: .seconds(2))
        await operation.ends()
        #expect(operation.code == .timedOut && operation.error?.timeLimit == .total)
        #expect(shared.waitingCount == 0)
        gate.open()
    }

    @Test func timerIsReleasedAfterTheWait() async {
        let operation = await startedAndWaiting(self.operation { $0.timeouts.total = .seconds(60) })
        await time.hasWaiting(1)
        gate.open()
        await operation.ends()
        #expect(operation.error == nil)
        await time.hasWaiting(0)
    }

    /// A manager with the authenticator, and one of its operations that waits for the credential.
    private func waitingManager() async -> (RequestOperationManager, HTTPRequestOperation) {
        let manager = network.manager()
        manager.authenticator = shared
        manager.responseSerializer = HTTPResponseSerializer()
        let operation = manager.started("GET", "a")
        await becomes(1) { shared.waitingCount }
        return (manager, operation)
    }

    @Test func dependentWaitsForTheWaitingOperation() async {
        let (manager, operation) = await waitingManager()
        let dependent = manager.operation("GET", "public")
        dependent.addDependency(operation)
        manager.enqueue(dependent)
        await NetworkThread.shared.catchesUp()
        #expect(network.log.entries.value.paths == ["/a"])
        gate.open()
        await dependent.ends()
        #expect(operation.error == nil && dependent.error == nil)
        #expect(network.log.entries.value.paths == ["/a", "/a", "/public"])
    }

    @Test func drainWaitsForTheWaitingOperation() async {
        let (manager, operation) = await waitingManager()
        async let summary = manager.drain(timeout: .seconds(60))
        await becomes(true) { manager.operationQueue.isSuspended }
        await NetworkThread.shared.catchesUp()
        gate.open()
        #expect(await summary.finished == [operation])
        #expect(operation.error == nil)
    }

    @Test func refreshIsNoRetryAndARetryMayRefreshAgain() async {
        gate.open()
        network.answer(
            "/a",
            inTurn: [
                [.head(401, ["WWW-Authenticate": "Bearer"])], [.head(503)],
                [.head(401, ["WWW-Authenticate": "Bearer"])], [.head(200)],
            ])
        let ownAuthenticator = SharedAuthenticator(
            authenticator, credential: .init(text: "old"), origins: [ScriptedNetwork.url("/")], failureInterval: .zero)
        let operation = self.operation {
            $0.retryPolicy = .standard
            $0.authenticator = ownAuthenticator
        }
        operation.start()
        await time.runsOut(for: operation)
        #expect(operation.error == nil && operation.retries.map(\.statusCode) == [503])
        #expect(authenticator.replaced.value == ["old", "new"])
    }

    @Test func sessionTaskIsAuthenticated() async {
        gate.open()
        let session = network.session { $0.authenticator = shared }
        session.responseSerializer = HTTPResponseSerializer()
        let task = await session.dataTask(with: network.request("/a")).ran()
        #expect(task.error == nil)
        #expect(network.sentTokens == ["Bearer old", "Bearer new"])
    }
}
