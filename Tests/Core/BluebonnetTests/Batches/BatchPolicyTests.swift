// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// How a batch handles failures, deadlines and nested batches.
@Suite(.timeLimit(.minutes(1))) struct BatchPolicyTests {
    private let network = ScriptedNetwork(limit: 1, limitPerOrigin: 1)
    private let manager: RequestOperationManager

    init() {
        manager = network.manager()
        network.answer("/bad", with: [.fail(.timedOut)])
    }

    /// Makes operations that run one at a time. The operations with the given numbers fail.
    private func operations(_ count: Int, failing: Set<Int> = []) -> [HTTPRequestOperation] {
        (0..<count).map { network.operation(failing.contains($0) ? "/bad" : "/\($0)") }
    }

    private func run(_ operations: [HTTPRequestOperation], _ policy: Batch.FailurePolicy) async -> BatchOutcome {
        var options = Batch.Options()
        options.failurePolicy = policy
        return await manager.run(Batch(of: operations, options: options))
    }

    private func counts(_ outcome: BatchOutcome) -> [Int] {
        [
            outcome.counts.successCount, outcome.counts.failureCount, outcome.counts.skippedCount,
            outcome.counts.cancelledCount,
        ]
    }

    @Test func carryingOnRunsEverything() async {
        let outcome = await run(operations(10, failing: [2, 5]), .carryOn)
        #expect(counts(outcome) == [8, 2, 0, 0])
        #expect(!outcome.isSuccess && outcome.stopReason == nil)
        #expect(outcome.results.map { (try? $0.get()) == nil }.indices.filter { outcome.isFailure($0) } == [2, 5])
        #expect(await run(operations(3), .carryOn).isSuccess)
    }

    @Test func firstFailureCancelsTheRest() async {
        let outcome = await run(operations(200, failing: [3]), .cancelAtFirstFailure)
        #expect(outcome.stopReason == .firstFailure && !outcome.isSuccess)
        #expect(outcome.counts.failureCount == 1 && outcome.counts.finishedCount == 200)
        #expect(outcome.counts.successCount >= 3 && outcome.counts.cancelledCount > 0)
        guard case .failure(let error) = outcome.results[199] else { return #expect(Bool(false), "199 succeeded") }
        #expect(error.code == .cancelled)
        #expect(error.message == "cancelled, because another operation of the batch failed")
    }

    @Test func batchEndsAfterEnoughSuccesses() async {
        let outcome = await run(operations(200, failing: [0, 1]), .succeed(after: 3))
        #expect(outcome.isSuccess && outcome.stopReason == .enoughSuccesses)
        #expect(
            outcome.counts.successCount >= 3 && outcome.counts.cancelledCount > 0 && outcome.counts.finishedCount == 200
        )
    }

    @Test func successCountAboveMemberCountMeansAll() async {
        #expect(await run(operations(3), .succeed(after: 10)).isSuccess)
        #expect(await !run(operations(3, failing: [1]), .succeed(after: 10)).isSuccess)
    }

    @Test func batchEndsAfterTooManyFailures() async {
        let outcome = await run(operations(200, failing: [0, 2, 4]), .stopAboveFailureCount(2))
        #expect(outcome.counts.failureCount == 3 && outcome.stopReason == .tooManyFailures && !outcome.isSuccess)
        #expect(outcome.counts.cancelledCount > 0)
        #expect(await run(operations(20, failing: [0, 2]), .stopAboveFailureCount(2)).isSuccess)
    }

    @Test func batchEndsAboveFailureFraction() async {
        let outcome = await run(operations(200, failing: Set(0..<21)), .stopAboveFailureFraction(0.1))
        #expect(outcome.counts.failureCount == 21 && outcome.stopReason == .tooManyFailures)
        let good = await run(operations(20, failing: [0, 1]), .stopAboveFailureFraction(0.1))
        #expect(good.stopReason == nil && good.isSuccess)
    }

    @Test func batchPolicyDecidesAboutDependents() async throws {
        for policy in FailedDependencyPolicy.allCases {
            let all = operations(3, failing: [0])
            all[1].addDependency(all[0])
            all[2].addDependency(all[0], ifItFails: .skip)
            var options = Batch.Options()
            options.ifDependencyFails = policy
            let outcome = try await manager.enqueueBatch(of: all, options: options).outcome()
            #expect(counts(outcome) == (policy == .skip ? [0, 1, 2, 0] : [2, 1, 0, 0]))
        }
    }

    @Test func deadlineCancelsTheRest() async throws {
        network.answer("/held", with: [.wait(Gate())])
        var options = Batch.Options()
        options.timeout = .milliseconds(20)
        let all = [network.operation("/held")] + operations(5)
        let outcome = try await manager.enqueueBatch(of: all, options: options).outcome()
        #expect(outcome.stopReason == .timedOut && counts(outcome) == [0, 0, 0, 6])
        #expect(all[0].error?.message.hasPrefix("cancelled, because the batch took longer than 0.02 ") == true)
    }

    @Test func batchEndingInTimeIsReleasedBeforeItsDeadline() async throws {
        var options = Batch.Options()
        options.timeout = .seconds(3_600)
        weak var weakBatch: Batch?
        do {
            let batch = manager.enqueueBatch(of: operations(3), options: options)
            weakBatch = batch
            #expect(try await batch.outcome().isSuccess)
        }
        await Queues.callbacks.catchesUp()
        await NetworkThread.shared.catchesUp()
        await becomes(true) { weakBatch == nil }
    }

    @Test func cancelledBatchReportsItsStopReason() async throws {
        network.answer("/held", with: [.wait(Gate())])
        let batch = manager.enqueueBatch(of: [network.operation("/held")] + operations(3))
        await network.log.sees(.begun(1))
        batch.cancel()
        let outcome = try await batch.outcome()
        #expect(outcome.stopReason == .cancelled && counts(outcome) == [0, 0, 0, 4])
    }

    @Test func emptyBatchSucceeds() async {
        let outcome = await run([], .succeed(after: 1))
        #expect(outcome.isSuccess && outcome.results.isEmpty && outcome.stopReason == nil)
    }
}

extension BatchOutcome {
    fileprivate func isFailure(_ index: Int) -> Bool {
        if case .failure = results[index] { true } else { false }
    }
}

// MARK: - Nested batches

extension BatchPolicyTests {
    @Test func innerBatchCountsInOuterBatchAndEndsFirst() async throws {
        let order = Observed([String]())
        let (first, second) = (operations(3, failing: [1]), operations(2))
        let inner = Batch(of: first)
        let outer = Batch(of: [second[0], inner, second[1]])
        #expect(outer.operations == [second[0]] + first + [second[1]])
        manager.enqueue(outer) { finished, total in
            order.append("\(finished)/\(total)")
        } completion: { _ in
            order.append("outer")
        }
        let outcome = try await outer.outcome()
        #expect(counts(outcome) == [4, 1, 0, 0] && outcome.isFailure(2))
        #expect(inner.counts.finishedCount == 3)
        #expect(order.value == (1...5).map { "\($0)/5" } + ["outer"])
        #expect(try await inner.outcome().results.count == 3)
    }

    @Test func innerBatchKeepsItsPolicy() async throws {
        var options = Batch.Options()
        options.failurePolicy = .cancelAtFirstFailure
        let inner = Batch(of: operations(100, failing: [0]), options: options)
        let others = operations(3)
        let outcome = try await manager.enqueue(Batch(of: others + [inner])).outcome()
        #expect(outcome.stopReason == nil && outcome.counts.successCount >= 3 && outcome.counts.cancelledCount > 0)
        #expect(try await inner.outcome().stopReason == .firstFailure)
        #expect(others.allSatisfy { $0.error == nil })
    }

    @Test func emptyInnerBatchesEnd() async throws {
        let outer = Batch(of: [Batch(of: []), Batch(of: [Batch(of: [])])])
        #expect(try await manager.enqueue(outer).outcome().isSuccess)
    }

    @Test func enqueueingBatchTwiceTraps() async {
        await #expect(processExitsWith: .failure) {
            let manager = ScriptedNetwork().manager()
            let batch = Batch(of: [])
            manager.enqueue(batch)
            manager.enqueue(batch)
        }
    }

    @Test func handlesCanBeMembers() async throws {
        network.answer("/1", with: [.wait(Gate())])
        let first = manager.get("0", returning: HTTPResponseSerializer())
        let second = manager.call("1").after(first) { _, _ in }.start(returning: HTTPResponseSerializer())
        let batch = manager.enqueue(Batch(of: [first, second]))
        await network.log.sees(.begun(2))
        batch.cancel()
        #expect(counts(try await batch.outcome()) == [1, 0, 0, 1])
    }
}
