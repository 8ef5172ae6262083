// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// Request operations in Foundation's own queue.
@Suite(.timeLimit(.minutes(1))) struct PlainOperationQueueTests {
    private let network = ScriptedNetwork()
    private let gate = Gate()
    private let queue = OperationQueue()

    init() { network.answer("/held", with: [.head(200), .wait(gate)]) }

    @Test func operationsRunAndLeaveTheQueue() async {
        let operations = (0..<100).map { network.operation("/\($0)") }
        add(operations)
        for operation in operations { await operation.ends() }
        #expect(operations.allSatisfy { $0.error == nil })
        await queueIsEmpty()
        #expect(queue.operationCount == 0)
    }

    @Test func concurrencyLimitHolds() async {
        queue.maxConcurrentOperationCount = 2
        let operations = (0..<50).map { network.operation("/\($0)") }
        add(operations)
        for operation in operations { await operation.ends() }
        #expect((1...2).contains(network.log.entries.value.peakCount))
    }

    @Test func dependenciesHoldBetweenRequestOperations() async {
        let operations = (0..<20).map { network.operation("/\($0)") }
        for (earlier, later) in zip(operations, operations.dropFirst()) { later.addDependency(earlier) }
        add(operations.reversed())
        for operation in operations { await operation.ends() }
        #expect(network.log.entries.value.paths == (0..<20).map { "/\($0)" })
    }

    /// A caller that has read `isReady` as false is notified of the change, whatever the reason was.
    @Test func dependencyAddedDuringPauseIsReportedWhenItEnds() async {
        queue.isSuspended = true
        let (first, second) = (network.operation("/held"), network.operation("/second"))
        queue.addOperation(second)
        second.pause()
        second.addDependency(first)
        second.resume()
        queue.isSuspended = false
        first.start()
        gate.open()
        await second.ends()
        #expect(first.isFinished && second.error == nil)
    }

    @Test func operationWaitsForBlock() async {
        let ran = Observed([Int]())
        let block = BlockOperation { [network] in ran.append(network.log.requests.count) }
        let operation = network.operation("/a")
        operation.addDependency(block)
        add([operation, block])
        await operation.ends()
        #expect(ran.value == [0])
        #expect(operation.error == nil)
    }

    @Test func blockWaitsForOperation() async {
        let ran = Observed([Bool]())
        let operation = network.operation("/a")
        let block = BlockOperation { ran.append(operation.isFinished) }
        block.addDependency(operation)
        add([block, operation])
        await ran.becomes([true])
    }

    @Test func suspendedQueueStartsNothing() async {
        queue.isSuspended = true
        let operation = network.operation("/a")
        queue.addOperation(operation)
        await NetworkThread.shared.catchesUp()
        #expect(!operation.isExecuting && network.log.requests.isEmpty)
        queue.isSuspended = false
        await operation.ends()
        #expect(operation.error == nil)
    }

    @Test func cancelledWaitingOperationLeavesTheQueue() async {
        let dependency = network.operation("/held")
        let operation = network.operation("/a")
        operation.addDependency(dependency)
        add([dependency, operation])
        await network.log.sees(.begun(1))
        operation.cancel()
        await operation.ends()
        #expect(operation.error?.code == .cancelled)
        gate.open()
        await dependency.ends()
        await queueIsEmpty()
        #expect(network.log.requests.count == 1)
    }

    @Test func cancellingAllEndsAll() async {
        queue.maxConcurrentOperationCount = 1
        let operations = (0..<20).map { _ in network.operation("/held") }
        add(operations)
        await network.log.sees(.begun(1))
        queue.cancelAllOperations()
        for operation in operations { await operation.ends() }
        #expect(operations.allSatisfy { $0.error?.code == .cancelled })
        #expect(network.log.events == [.begun(1), .aborted(1)])
        await queueIsEmpty()
    }

    @Test func pausedOperationResumesInTheQueue() async {
        let before = network.operation("/a")
        before.pause()
        queue.addOperation(before)
        let during = network.operation("/held", method: "POST", body: "x")
        queue.addOperation(during)
        await network.log.sees(.begun(1))
        during.pause()
        await network.log.sees(.paused(1))
        gate.open()
        for operation in [before, during] { operation.resume() }
        for operation in [before, during] {
            await operation.ends()
            #expect(operation.error == nil)
        }
        await queueIsEmpty()
    }

    @Test func completionBlockRunsOnce() async {
        let runs = Observed(0)
        let operation = network.operation("/a")
        operation.completionBlock = { runs.increment() }
        queue.addOperation(operation)
        await runs.becomes(1)
        await queueIsEmpty()
        await Queues.callbacks.catchesUp()
        #expect(runs.value == 1)
    }

    @Test func waitingBlocksUntilTheOperationIsFinished() async {
        let operation = network.operation("/held")
        queue.addOperation(operation)
        await network.log.sees(.begun(1))
        let states = Observed([Bool]())
        Thread.detachNewThread {
            operation.waitUntilFinished()
            states.append(operation.isFinished)
        }
        gate.open()
        await states.becomes([true])
    }

    private func add(_ operations: [Operation]) {
        queue.addOperations(operations, waitUntilFinished: false)
    }

    private func queueIsEmpty() async {
        await onThreadOfItsOwn { [queue] in queue.waitUntilAllOperationsAreFinished() }
    }
}
