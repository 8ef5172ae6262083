// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

/// Batches that grow by the results of their members.
@Suite(.timeLimit(.minutes(1))) struct BatchExpansionTests {
    private let network = ScriptedNetwork(limit: 4, limitPerOrigin: 4)
    private let manager: RequestOperationManager

    init() {
        manager = network.manager()
        answer("/users", "[1,2,3]")
        for user in 1...3 { answer("/users/\(user)", "[\(user * 10),\(user * 10 + 1)]") }
        for item in 10...31 { answer("/items/\(item)", "null") }
        for index in 0..<50 { answer("/late/\(index)", "null") }
        answer("/other", "null")
        network.answer("/bad", with: [.fail(.timedOut)])
    }

    private func answer(_ path: String, _ json: String) {
        network.answer(path, with: [.head(200, ["Content-Type": "application/json"]), .body(json)])
    }

    private func users() -> RequestHandle<[Int]> { manager.call("users").handle(as: [Int].self) }

    private func sent() -> [String] { network.log.requests.map { $0.url.path } }

    @Test func callsAreMadeFromEachElementAndJoined() async throws {
        let ends = Observed<Int>(0)
        let batch = Batch(of: [users().each { [manager] in manager.call("users/\($0)").operation() }])
        manager.enqueue(batch) { batch in ends.update { $0 += batch.operations.count } }
        let outcome = try await batch.outcome()
        #expect(outcome.isSuccess && outcome.results.count == 4 && outcome.counts.successCount == 4)
        #expect(sent().sorted() == ["/users", "/users/1", "/users/2", "/users/3"])
        await ends.becomes(4)
        let graph = batch.graph()
        #expect(graph.edges.map { [$0.dependency, $0.dependent] } == [[0, 1], [0, 2], [0, 3]])
    }

    @Test func expansionsFormATree() async {
        let tree = users().each { [manager] user in
            manager.call("users/\(user)").handle(as: [Int].self).each { item in
                manager.call("items/\(item)").operation()
            }
        }
        let outcome = await manager.run(Batch(of: [tree]))
        #expect(outcome.counts.successCount == 1 + 3 + 6 && outcome.isSuccess)
        #expect(Set(sent()).count == 10)
    }

    @Test func failedOperationMakesNothing() async {
        let bad = manager.call("bad").handle(as: [Int].self)
        let outcome = await manager.run(Batch(of: [bad.each { [manager] _ in manager.call("x").operation() }]))
        #expect(outcome.counts.failureCount == 1 && outcome.results.count == 1)
    }

    @Test func thrownErrorFailsOneMore() async throws {
        struct Odd: Error {}
        let outcome = await manager.run(Batch(of: [users().expanded { _ in throw Odd() }]))
        #expect(outcome.counts.successCount == 1 && outcome.counts.failureCount == 1 && !outcome.isSuccess)
        guard case .failure(let error) = outcome.results[1] else { return #expect(Bool(false), "no failure") }
        #expect(error.code == .invalidRequest && error.underlying is Odd)
        #expect(error.message.contains("no requests could be made from the result of"))
    }

    @Test func firstFailureCancelsTheTree() async {
        var options = Batch.Options()
        options.failurePolicy = .cancelAtFirstFailure
        let paths = ["bad"] + (0..<50).map { "late/\($0)" }
        let tree = users().expanded { [manager] _ in paths.map { manager.call($0).operation() } }
        let outcome = await manager.run(Batch(of: [tree], options: options))
        #expect(outcome.stopReason == .firstFailure && outcome.counts.failureCount == 1)
        #expect(outcome.counts.finishedCount == 52)
    }

    @Test func cancelledBatchGrowsNoMore() async throws {
        let batch = Observed<Batch?>(nil)
        let tree = users().each { [manager] user in
            batch.value?.cancel()
            return manager.call("users/\(user)").operation()
        }
        let made = Batch(of: [tree, manager.call("bad").operation()])
        batch.update { $0 = made }
        let outcome = await manager.run(made)
        #expect(outcome.results.count == 2)
        #expect(!sent().contains("/users/1"))
        batch.update { $0 = nil }
    }

    @Test func innerBatchGrowsInTheOuterOne() async {
        let inner = Batch(of: [users().each { [manager] in manager.call("users/\($0)").operation() }])
        let outer = Batch(of: [inner, manager.call("other").operation()])
        let outcome = await manager.run(outer)
        #expect(outcome.counts.successCount == 5 && outer.operations.count == 5)
        #expect(inner.operations.count == 4 && inner.counts.successCount == 4)
    }

    @Test(arguments: [false, true]) func pausedBatchPausesNewMembers(inInnerBatch: Bool) async throws {
        let batch = Observed<Batch?>(nil)
        let tree = users().each { [manager] user in
            batch.value?.pause()
            return manager.call("users/\(user)").operation()
        }
        let made = Batch(of: inInnerBatch ? [Batch(of: [tree])] : [tree])
        batch.update { $0 = made }
        manager.enqueue(made)
        await becomes([true, true, true]) { made.operations.dropFirst().map(\.isPaused) }
        #expect(sent() == ["/users"])
        made.resume()
        let outcome = try await made.outcome()
        #expect(outcome.isSuccess && sent().count == 4)
        batch.update { $0 = nil }
    }

    @Test func resumeWhileMembersAreAddedLeavesNonePaused() async throws {
        for _ in 0..<50 {
            let batch = Observed<Batch?>(nil)
            let tree = users().each { [manager] user in
                batch.value?.pause()
                if user == 3 { DispatchQueue.global().async { batch.value?.resume() } }
                return manager.call("users/\(user)").operation()
            }
            let made = Batch(of: [tree])
            batch.update { $0 = made }
            let outcome = await manager.run(made)
            #expect(outcome.isSuccess)
            batch.update { $0 = nil }
        }
    }

    @Test func elementsCanHaveAPolicyOfTheirOwn() async {
        var options = Batch.Options()
        options.failurePolicy = .succeed(after: 2)
        let parts = Observed<Batch?>(nil)
        let tree = users().expanded { [manager, options] users in
            let part = Batch(of: users.map { manager.call("users/\($0)").operation() }, options: options)
            parts.update { $0 = part }
            return [part]
        }
        let outcome = await manager.run(Batch(of: [tree]))
        #expect(outcome.results.count == 4)
        #expect((parts.value?.counts.successCount ?? 0) >= 2)
        parts.update { $0 = nil }
    }

    @Test func emptyResultEndsTheBatch() async {
        answer("/none", "[]")
        let none = manager.call("none").handle(as: [Int].self)
        let outcome = await manager.run(Batch(of: [none.each { [manager] _ in manager.call("x").operation() }]))
        #expect(outcome.isSuccess && outcome.results.count == 1)
    }
}
