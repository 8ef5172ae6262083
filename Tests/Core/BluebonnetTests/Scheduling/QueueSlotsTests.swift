// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import Bluebonnet

/// A queue starts as many operations as there are slots, and never stalls.
@Suite(.timeLimit(.minutes(1))) struct QueueSlotsTests {
    private let queue = RequestOperationQueue()
    private let gate = Gate()

    private func network(limit: Int, limitPerOrigin: Int = 100) -> ScriptedNetwork {
        let network = ScriptedNetwork(limit: limit, limitPerOrigin: limitPerOrigin)
        network.answer("/held", with: [.head(200), .wait(gate)])
        return network
    }

    private func operation(_ network: ScriptedNetwork, _ url: String) throws -> HTTPRequestOperation {
        HTTPRequestOperation(
            plan: RequestPlan(
                URLRequest(url: try #require(URL(string: url))), options: ResolvedOptions(TransferOptions())),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
    }

    private func finish(_ operations: [HTTPRequestOperation]) async {
        for operation in operations { await operation.ends() }
    }

    @Test func operationWithoutSlotIsNotStarted() async {
        let network = network(limit: 2)
        let all = (0..<10).map { _ in network.operation("/held") }
        queue.addOperations(all)
        await network.log.sees(.begun(2))
        await NetworkThread.shared.catchesUp()
        #expect(all.map(\.isExecuting) == [true, true] + [Bool](repeating: false, count: 8))
        gate.open()
        await finish(all)
        #expect(all.allSatisfy { $0.error == nil } && network.log.entries.value.peakCount == 2)
    }

    @Test func originAtItsLimitDoesNotDelayOthers() async throws {
        let network = network(limit: 4, limitPerOrigin: 2)
        let blocked = try (0..<50).map { _ in try operation(network, "http://full.test/held") }
        let other = try operation(network, "http://free.test/")
        queue.addOperations(blocked + [other])
        await other.ends()
        #expect(blocked.filter(\.isFinished).isEmpty)
        gate.open()
        await finish(blocked)
    }

    /// Operations that end before they have a slot leave the slot to the next operations.
    @Test func queueContinuesAfterUnsendableOperations() async throws {
        let network = network(limit: 1)
        let bad = try (0..<300).map { _ in try operation(network, "ftp://scripted.test/") }
        let good = network.operation("/good")
        queue.addOperations(bad + [good])
        await finish(bad + [good])
        #expect(bad.allSatisfy { $0.error != nil } && good.error == nil)
    }

    /// More operations than one round may start. The round ends while other operations are ready.
    @Test(arguments: [192, 254, 255, 256, 257, 510]) func queueContinuesAfterManyBlocksWithoutSlots(count: Int) async {
        let network = network(limit: 2)
        queue.isSuspended = true
        let blocked = (0..<10).map { _ in network.operation("/held") }
        let blockCount = Observed(0)
        queue.addOperations(blocked)
        for _ in 0..<count { queue.addOperation { blockCount.update { $0 += 1 } } }
        queue.isSuspended = false
        await blockCount.becomes(count)
        #expect(blockCount.value == count)
        gate.open()
        await finish(blocked)
        await queue.empties()
        #expect(blocked.allSatisfy { $0.error == nil })
    }

    @Test func skippedOperationNeedsNoSlot() async {
        let network = network(limit: 1)
        let (running, failing) = (network.operation("/held"), network.operation("/failing"))
        network.answer("/failing", with: [.fail(.timedOut)])
        let skipped = network.operation("/skipped")
        skipped.addDependency(failing, ifItFails: .skip)
        queue.addOperations([failing, running, skipped])
        await skipped.ends()
        #expect(!running.isFinished && skipped.error?.code == .dependencyFailed)
        gate.open()
        await finish([running, failing])
    }

    @Test func queueContinuesAfterOperationsCancelledWhileTheyWait() async {
        let network = network(limit: 1)
        let others = RequestOperationQueue()
        let running = network.operation("/held")
        others.addOperation(running)
        await network.log.sees(.begun(1))
        let all = (0..<20).map { network.operation("/\($0)") }
        queue.addOperations(all)
        await NetworkThread.shared.catchesUp()
        for operation in all[..<10] { operation.cancel() }
        await finish(Array(all[..<10]))
        gate.open()
        await finish(all + [running])
        #expect(all[..<10].allSatisfy { $0.error?.code == .cancelled } && all[10...].allSatisfy { $0.error == nil })
    }

    @Test func twoQueuesShareOneSlot() async {
        let network = network(limit: 1)
        let other = RequestOperationQueue()
        queue.isSuspended = true
        other.isSuspended = true
        let first = (0..<20).map { network.operation("/a\($0)") }
        let second = (0..<20).map { network.operation("/b\($0)") }
        queue.addOperations(first)
        other.addOperations(second)
        let running = network.operation("/held")
        let third = RequestOperationQueue()
        third.addOperation(running)
        await network.log.sees(.begun(1))
        queue.isSuspended = false
        other.isSuspended = false
        await NetworkThread.shared.catchesUp()
        gate.open()
        await finish(first + second)
        let paths = network.log.entries.value.paths.dropFirst()
        for count in stride(from: 2, through: 40, by: 2) {
            let own = paths.prefix(count).filter { $0.hasPrefix("/a") }.count
            #expect(abs(own - count / 2) <= 1, "they take turns")
        }
    }

    @Test func managersSharingAQueueDoNotDelayEachOther() async {
        let (full, free) = (network(limit: 1), network(limit: 1))
        let blocked = (0..<20).map { _ in full.operation("/held") }
        let others = (0..<20).map { free.operation("/\($0)") }
        queue.addOperations(blocked + others)
        await finish(others)
        #expect(blocked.filter(\.isFinished).isEmpty)
        gate.open()
        await finish(blocked)
    }

    @Test func timeInTheQueueCountsAsQueued() async {
        let network = network(limit: 1)
        let (running, waiting) = (network.operation("/held"), network.operation("/a"))
        queue.addOperations([running, waiting])
        await network.log.sees(.begun(1))
        let began = ContinuousClock.now
        await NetworkThread.shared.catchesUp()
        let waited = ContinuousClock.now - began
        gate.open()
        await finish([running, waiting])
        #expect(waiting.summary.timings.queued >= waited && waited > .zero)
    }

    /// Combines everything that keeps an operation from its slot, at random. All operations end, and the limits hold.
    @Test(arguments: 1...5) func randomOperationsAllEndWithinLimits(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let network = ScriptedNetwork(limit: 3, limitPerOrigin: 2)
        let other = RequestOperationQueue()
        let schemes = ["http", "http", "http", "ftp"]
        let all = try (0..<400).map { number in
            let scheme = schemes.randomElement(using: &generator) ?? "http"
            let operation = try operation(network, "\(scheme)://host\(number % 4).test/\(number)")
            let priorities: [Operation.QueuePriority] = [.veryLow, .low, .normal, .high, .veryHigh]
            operation.queuePriority = priorities.randomElement(using: &generator) ?? .normal
            return operation
        }
        for (number, operation) in all.enumerated() {
            if number > 0, Int.random(in: 0..<5, using: &generator) == 0 { operation.addDependency(all[number - 1]) }
            (Bool.random(using: &generator) ? queue : other).addOperation(operation)
            let victim = all[Int.random(in: 0...number, using: &generator)]
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: victim.cancel()
            case 1: victim.pause()
            case 2: victim.queuePriority = .high
            default: break
            }
        }
        for operation in all { operation.resume() }
        await finish(all)
        #expect(queue.operationCount == 0 && other.operationCount == 0)
        #expect(network.log.entries.value.peakCount <= 3 && network.log.entries.value.peakPerOrigin <= 2)
    }
}
