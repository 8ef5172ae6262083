// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct BatchTests {
    private let network = ScriptedNetwork()
    private let order = Observed([String]())

    private func operations(_ count: Int) -> [HTTPRequestOperation] {
        (0..<count).map { network.operation("/\($0)") }
    }

    @Test func emptyBatchCompletesOnceWithoutProgress() async throws {
        let batch = network.manager().enqueueBatch(of: []) { [order] _, _ in
            order.append("progress")
        } completion: { [order] operations in
            order.append("completion \(operations.count)")
        }
        try await batch.waitUntilFinished()
        #expect(order.value == ["completion 0"])
        #expect(batch.results.isEmpty)
    }

    @Test func progressCountsFromOneToAll() async throws {
        let all = operations(20)
        let batch = network.manager().enqueueBatch(of: all) { [order] finished, total in
            order.append("\(finished)/\(total)")
        }
        try await batch.waitUntilFinished()
        #expect(order.value == (1...20).map { "\($0)/20" })
    }

    @Test func completionRunsOnceAfterEveryHandler() async throws {
        let all = operations(20)
        for operation in all { operation.setCompletionBlock { [order] _, _ in order.append("handler") } }
        let batch = network.manager().enqueueBatch(of: all) { [order] _, _ in
            order.append("progress")
        } completion: { [order] _ in
            order.append("completion")
        }
        try await batch.waitUntilFinished()
        #expect(order.value.count == 41)
        #expect(order.value.last == "completion")
        #expect(order.value.filter { $0 == "completion" }.count == 1)
        #expect(order.value.first == "handler")
    }

    @Test func batchCompletesAfterHandlersOnOtherQueues() async throws {
        let all = operations(20)
        for (number, operation) in all.enumerated() {
            operation.completionQueue = DispatchQueue(label: "queue \(number)")
            operation.setCompletionBlock { [order] _, _ in order.append("handler") }
        }
        let batch = network.manager().enqueueBatch(of: all, completion: { [order] _ in order.append("completion") })
        try await batch.waitUntilFinished()
        #expect(order.value == Array(repeating: "handler", count: 20) + ["completion"])
    }

    @Test func resultsAreInMemberOrder() async throws {
        network.answer("/1", with: [.fail(.timedOut)])
        network.answer("/2", with: [.head(503)])
        let all = operations(4)
        all[3].cancel()
        let batch = network.manager().enqueueBatch(of: all)
        try await batch.waitUntilFinished()
        #expect(batch.operations == all)
        let codes = batch.results.map { result -> String in
            switch result {
            case .success(let value)?: String(decoding: value as? Data ?? Data(), as: UTF8.self)
            case .failure(let error)?: error.code.rawValue
            case nil: "none"
            }
        }
        #expect(codes == ["fine", "timedOut", "unacceptableStatus", "cancelled"])
    }

    @Test func resultIsMissingBeforeTheEnd() async throws {
        let gate = Gate()
        network.answer("/0", with: [.wait(gate), .head(200)])
        let batch = network.manager().enqueueBatch(of: operations(1))
        #expect(batch.results.count == 1 && batch.results[0] == nil)
        gate.open()
        try await batch.waitUntilFinished()
        #expect(batch.results[0] != nil)
    }

    @Test func completionRunsOnManagerQueue() async throws {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "mine")
        queue.setSpecific(key: key, value: "mine")
        let manager = network.manager()
        manager.completionQueue = queue
        let batch = manager.enqueueBatch(
            of: operations(3),
            completion: { [order] _ in order.append(DispatchQueue.getSpecific(key: key) ?? "another") })
        try await batch.waitUntilFinished()
        #expect(order.value == ["mine"])
    }

    @Test func batchCancelsPausesAndResumesAllMembers() async throws {
        let gate = Gate()
        for number in 0..<4 { network.answer("/\(number)", with: [.wait(gate), .head(200)]) }
        let first = network.manager().enqueueBatch(of: operations(4))
        await network.log.sees(.begun(4))
        first.pause()
        #expect(first.operations.allSatisfy { $0.isPaused })
        first.resume()
        #expect(!first.operations.contains { $0.isPaused })
        first.cancel()
        try await first.waitUntilFinished()
        #expect(first.operations.allSatisfy { $0.error?.code == .cancelled })
    }

    @Test func cancellingTheRunningTaskCancelsTheMembers() async {
        network.answer("/0", with: [.wait(Gate())])
        let (manager, batch) = (network.manager(), Batch(of: operations(1)))
        let task = Task { await manager.run(batch) }
        await network.log.sees(.begun(1))
        task.cancel()
        #expect(await task.value.counts.cancelledCount == 1)
        #expect(batch.operations[0].error?.code == .cancelled)
    }

    @Test func cancellingAnObservingTaskEndsOnlyTheWait() async throws {
        let gate = Gate()
        network.answer("/0", with: [.wait(gate), .head(200)])
        let batch = network.manager().enqueueBatch(of: operations(1))
        let task = Task { try await batch.outcome() }
        await network.log.sees(.begun(1))
        task.cancel()
        let error = await #expect(throws: NetworkingError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(error?.underlying is CancellationError)
        gate.open()
        #expect(try await batch.outcome().counts.successCount == 1)
    }

    @Test func waitingForUnenqueuedBatchThrows() async throws {
        let batch = Batch(of: operations(1))
        let error = await #expect(throws: NetworkingError.self) { try await batch.outcome() }
        #expect(error?.code == .notStarted)
    }

    @Test func trailingClosureOfEnqueueIsTheCompletion() async {
        network.answer("/0", with: [.head(200)])
        let told = Observed<[Int]>([])
        network.manager().enqueue(Batch(of: operations(1))) { batch in told.append(batch.operations.count) }
        await told.becomes { $0 == [1] }
    }

    @Test func thousandMembersAllCount() async throws {
        let all = operations(1_000)
        for operation in all { operation.setCompletionBlock { [order] _, _ in order.append("handler") } }
        let completions = Observed(0)
        let batch = network.manager().enqueueBatch(of: all) { [order] _, _ in
            order.append("progress")
        } completion: { _ in
            completions.increment()
        }
        try await batch.waitUntilFinished()
        #expect(completions.value == 1)
        #expect(order.value.filter { $0 == "handler" }.count == 1_000)
        #expect(order.value.filter { $0 == "progress" }.count == 1_000)
        #expect(all.allSatisfy { $0.error == nil })
        #expect(network.log.entries.value.peakCount <= 6)
    }

    @Test func finishedBatchIsReleased() async throws {
        weak var weakBatch: Batch?
        do {
            let batch = network.manager().enqueueBatch(of: operations(3))
            weakBatch = batch
            try await batch.waitUntilFinished()
        }
        await Queues.callbacks.catchesUp()
        await NetworkThread.shared.catchesUp()
        await becomes(true) { weakBatch == nil }
    }
}
