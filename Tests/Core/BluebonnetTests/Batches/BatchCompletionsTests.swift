// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// The completions of a batch's members, and the progress of the batch.
@Suite(.timeLimit(.minutes(1))) struct BatchCompletionsTests {
    private let network = ScriptedNetwork()

    @Test func completionsArriveAsMembersEnd() async {
        let gates = (0..<4).map { _ in Gate() }
        for number in 0..<4 { network.answer("/\(number)", with: [.head(200), .wait(gates[number])]) }
        let batch = network.manager().enqueueBatch(of: (0..<4).map { network.operation("/\($0)") })
        await network.log.sees(.begun(4))
        let order = [2, 0, 3, 1]
        gates[order[0]].open()
        var seen: [Int] = []
        for await completion in batch.completions {
            #expect(completion.operation === batch.operations[completion.index])
            #expect(throws: Never.self) { try completion.result.get() }
            seen.append(completion.index)
            if seen.count < 4 { gates[order[seen.count]].open() }
        }
        #expect(seen == order)
    }

    @Test func lateReaderSeesAllCompletions() async throws {
        network.answer("/1", with: [.fail(.timedOut)])
        let batch = network.manager().enqueueBatch(of: (0..<50).map { network.operation("/\($0)") })
        try await batch.waitUntilFinished()
        var failures: [Int] = []
        var count = 0
        for await completion in batch.completions {
            count += 1
            if case .failure = completion.result { failures.append(completion.index) }
        }
        #expect(count == 50 && failures == [1])
    }

    @Test func concurrentReadersSeeAllCompletions() async {
        let batch = network.manager().enqueueBatch(of: (0..<200).map { network.operation("/\($0)") })
        let counts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { await batch.completions.reduce(into: 0) { count, _ in count += 1 } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [200, 200, 200, 200])
    }

    @Test func emptyBatchHasNoCompletions() async {
        let batch = network.manager().enqueueBatch(of: [])
        #expect(await batch.completions.reduce(into: 0) { count, _ in count += 1 } == 0)
    }

    @Test func cancellingTheReadingTaskEndsOnlyTheIteration() async throws {
        let gate = Gate()
        network.answer("/0", with: [.head(200), .wait(gate)])
        let batch = network.manager().enqueueBatch(of: [network.operation("/0")])
        let task = Task { await batch.completions.reduce(into: 0) { count, _ in count += 1 } }
        await network.log.sees(.begun(1))
        task.cancel()
        #expect(await task.value == 0)
        #expect(!batch.operations[0].isCancelled)
        gate.open()
        try await batch.waitUntilFinished()
        #expect(batch.operations[0].error == nil)
    }

    @Test func progressUsesBytesIfLengthsAreKnown() async throws {
        let gate = Gate()
        let reached = Observed(0)
        network.answer("/0", with: [.head(200, ["Content-Length": "4"]), .body("full")])
        network.answer(
            "/1",
            with: [.head(200, ["Content-Length": "8"]), .body("half"), .reach(reached), .wait(gate), .body("rest")])
        let batch = Batch(of: (0..<2).map { network.operation("/\($0)") })
        #expect(batch.progress.fractionCompleted == 0 && batch.progress.expectedByteCount == nil)
        network.manager().enqueue(batch)
        await batch.operations[0].ends()
        await reached.becomes(1)
        let progress = batch.progress
        #expect(progress.receivedByteCount == 8 && progress.expectedByteCount == 12)
        #expect(progress.fractionCompleted == 8.0 / 12)
        gate.open()
        try await batch.waitUntilFinished()
        #expect(
            batch.progress
                == BatchProgress(
                    finishedCount: 2, totalCount: 2, receivedByteCount: 12, expectedByteCount: 12))
    }

    @Test func progressDoesNotOverflowWithLargestLengths() async throws {
        let gate = Gate()
        let reached = Observed(0)
        for number in 0..<2 {
            network.answer(
                "/\(number)",
                with: [.head(200, ["Content-Length": "9223372036854775807"]), .body("x"), .reach(reached), .wait(gate)])
        }
        let batch = Batch(of: (0..<2).map { network.operation("/\($0)") })
        network.manager().enqueue(batch)
        await reached.becomes(2)
        let progress = batch.progress
        #expect(progress.receivedByteCount == 2 && progress.expectedByteCount == 9_223_372_036_854_775_807)
        #expect(progress.fractionCompleted < 0.01)
        batch.cancel()
        gate.open()
        try await batch.waitUntilFinished()
    }
}

/// `batchOfRequestOperations`, with the semantics of AFNetworking.
@Suite(.timeLimit(.minutes(1))) struct BatchOfRequestOperationsTests {
    private let network = ScriptedNetwork()
    private let order = Observed([String]())

    private func batch(of operations: [RequestOperation]) -> [Operation] {
        RequestOperation.batchOfRequestOperations(operations) { [order] finished, total in
            order.append("\(finished)/\(total)")
        } completion: { [order] operations in
            order.append("completion \(operations.count)")
        }
    }

    @Test(arguments: QueueMembersTests.Kind.allCases)
    func completionRunsAfterAllHandlers(kind: QueueMembersTests.Kind) async {
        let queue = kind.make()
        let operations = (0..<5).map { network.operation("/\($0)") }
        operations[4].cancel()
        for operation in operations { operation.setCompletionBlock { [order] _, _ in order.append("success") } }
        let all = batch(of: operations)
        #expect(Array(all.prefix(5)) == operations && all.count == 6)
        #expect(!all[5].isReady)
        queue.addOperations(all, waitUntilFinished: false)
        await order.becomes { $0.last == "completion 5" }
        #expect(order.value.filter { $0 == "success" }.count == 4)
        #expect(order.value.filter { $0.hasSuffix("/5") } == (1...5).map { "\($0)/5" })
        await onThreadOfItsOwn { queue.waitUntilAllOperationsAreFinished() }
    }

    @Test(arguments: QueueMembersTests.Kind.allCases) func emptyBatchCompletes(kind: QueueMembersTests.Kind) async {
        let queue = kind.make()
        queue.addOperations(batch(of: []), waitUntilFinished: false)
        await order.becomes(["completion 0"])
    }

    @Test(arguments: QueueMembersTests.Kind.allCases)
    func completionRunsWhenQueueCancelsAll(kind: QueueMembersTests.Kind) async {
        let queue = kind.make()
        for path in ["/0", "/1"] { network.answer(path, with: [.wait(Gate())]) }
        let operations = (0..<2).map { network.operation("/\($0)") }
        queue.addOperations(batch(of: operations), waitUntilFinished: false)
        await network.log.sees(.begun(2))
        queue.cancelAllOperations()
        await order.becomes { $0.last == "completion 2" }
        await onThreadOfItsOwn { queue.waitUntilAllOperationsAreFinished() }
        #expect(order.value.filter { $0.hasPrefix("completion") }.count == 1)
    }

    @Test func trailingClosureIsTheCompletion() async {
        let operations = [network.operation("/0")]
        network.answer("/0", with: [.head(200)])
        let queue = RequestOperationQueue()
        queue.addOperations(
            RequestOperation.batchOfRequestOperations(operations) { [order] operations in
                order.append("completion \(operations.count)")
            })
        await order.becomes(["completion 1"])
    }

    @Test func batchOccupiesNoSlotOfItsMembers() async {
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 1
        let blocker = BlockOperation {}
        let operation = network.operation("/a")
        operation.addDependency(blocker)
        queue.addOperations(batch(of: [operation]))
        await NetworkThread.shared.catchesUp()
        blocker.start()
        await order.becomes { $0.last == "completion 1" }
    }
}
