// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct RequestOperationQueueTests {
    private let network = ScriptedNetwork()
    private let queue = RequestOperationQueue()
    private let gate = Gate()

    init() { network.answer("/held", with: [.head(200), .wait(gate)]) }

    private func operations(_ count: Int, path: String? = nil) -> [HTTPRequestOperation] {
        (0..<count).map { network.operation(path ?? "/\($0)") }
    }

    private func finish(_ operations: [HTTPRequestOperation]) async {
        for operation in operations { await operation.ends() }
    }
}

// MARK: - Members

extension RequestOperationQueueTests {
    @Test func newQueueIsEmptyAndUnlimited() {
        #expect(queue.operations.isEmpty && queue.operationCount == 0)
        #expect(!queue.isSuspended)
        #expect(queue.name?.hasPrefix("RequestOperationQueue 0x") == true)
        #expect(queue.maxConcurrentOperationCount == OperationQueue.defaultMaxConcurrentOperationCount)
        queue.name = "mine"
        #expect(queue.name == "mine")
    }

    @Test func unfinishedOperationsAreListedInOrderOfAddition() async {
        let all = operations(10, path: "/held")
        queue.isSuspended = true
        queue.addOperations(Array(all[0..<5]))
        for operation in all[5...] { queue.addOperation(operation) }
        #expect(queue.operations == all)
        #expect(queue.operationCount == 10)
        queue.isSuspended = false
        gate.open()
        await finish(all)
        await queue.empties()
        #expect(queue.operations.isEmpty && queue.operationCount == 0)
    }

    @Test func concurrencyLimitHolds() async {
        queue.maxConcurrentOperationCount = 3
        let all = operations(60)
        queue.addOperations(all)
        await finish(all)
        #expect(all.allSatisfy { $0.error == nil })
        #expect((1...3).contains(network.log.entries.value.peakCount))
    }

    @Test func limitOfOneKeepsTheOrder() async {
        queue.maxConcurrentOperationCount = 1
        let all = operations(60)
        queue.addOperations(all)
        await finish(all)
        #expect(network.log.entries.value.paths == (0..<60).map { "/\($0)" })
        #expect(network.log.entries.value.peakCount == 1)
    }

    @Test func raisingTheLimitStartsMore() async {
        queue.maxConcurrentOperationCount = 1
        let all = operations(3, path: "/held")
        queue.addOperations(all)
        await network.log.sees(.begun(1))
        queue.maxConcurrentOperationCount = RequestOperationQueue.defaultMaxConcurrentOperationCount
        await network.log.sees(.begun(3))
        gate.open()
        await finish(all)
        #expect(all.allSatisfy { $0.error == nil })
    }

    @Test func limitOfZeroStartsNothing() async {
        queue.maxConcurrentOperationCount = 0
        let all = operations(3)
        queue.addOperations(all)
        await NetworkThread.shared.catchesUp()
        #expect(network.log.requests.isEmpty)
        queue.maxConcurrentOperationCount = 2
        await finish(all)
    }

    @Test func suspendedQueueStartsNothingButRunningOperationsContinue() async {
        let running = network.operation("/held")
        queue.addOperation(running)
        await network.log.sees(.begun(1))
        queue.isSuspended = true
        let waiting = network.operation("/a")
        queue.addOperation(waiting)
        gate.open()
        await running.ends()
        await NetworkThread.shared.catchesUp()
        #expect(running.error == nil)
        #expect(!waiting.isExecuting && network.log.requests.count == 1)
        queue.isSuspended = false
        await waiting.ends()
        #expect(waiting.error == nil)
    }

    @Test func higherPrioritiesStartFirstThenOlderOperations() async {
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let priorities: [Operation.QueuePriority] = [.normal, .veryLow, .veryHigh, .low, .high, .veryHigh, .normal]
        let all = operations(priorities.count)
        for (operation, priority) in zip(all, priorities) { operation.queuePriority = priority }
        queue.addOperations(all)
        queue.isSuspended = false
        await finish(all)
        #expect(network.log.entries.value.paths == ["/2", "/5", "/4", "/0", "/6", "/3", "/1"])
    }

    @Test func prioritiesDecideWhichOperationGetsTheSlot() async {
        let network = ScriptedNetwork(limit: 1)
        network.answer("/held", with: [.wait(gate)])
        let priorities: [Operation.QueuePriority] = [.veryHigh, .low, .normal, .high]
        let all = zip(["/held", "/low", "/normal", "/high"], priorities).map { path, priority in
            let operation = network.operation(path)
            operation.queuePriority = priority
            return operation
        }
        queue.addOperation(all[0])
        await network.log.sees(.begun(1))
        queue.addOperations(Array(all[1...]))
        await NetworkThread.shared.catchesUp()
        gate.open()
        await finish(all)
        #expect(network.log.entries.value.paths == ["/held", "/high", "/normal", "/low"])
    }

    @Test func resumedOperationKeepsItsPlaceInOrder() async {
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let all = operations(3)
        all[0].pause()
        queue.addOperations(all)
        all[0].resume()
        queue.isSuspended = false
        await finish(all)
        #expect(network.log.entries.value.paths == ["/0", "/1", "/2"])
    }
}

// MARK: - Ends

extension RequestOperationQueueTests {
    @Test func cancellingAllWhileSuspendedEndsAll() async {
        queue.isSuspended = true
        let all = operations(20)
        all[3].pause()
        all[5].addDependency(all[4])
        queue.addOperations(all)
        queue.cancelAllOperations()
        await finish(all)
        #expect(all.allSatisfy { $0.error?.code == .cancelled })
        #expect(network.log.requests.isEmpty)
        #expect(queue.operationCount == 0)
    }

    @Test func cancellingAllAtTheLimitEndsAll() async {
        queue.maxConcurrentOperationCount = 1
        let all = operations(20, path: "/held")
        queue.addOperations(all)
        await network.log.sees(.begun(1))
        queue.cancelAllOperations()
        await finish(all)
        #expect(all.allSatisfy { $0.error?.code == .cancelled })
        #expect(network.log.events == [.begun(1), .aborted(1)])
    }

    @Test func operationCancelledBeforeAddingFinishesInSuspendedQueue() async {
        queue.isSuspended = true
        let operation = network.operation("/a")
        operation.cancel()
        queue.addOperation(operation)
        await operation.ends()
        #expect(operation.error?.code == .cancelled)
    }

    @Test func operationCancelledInSuspendedQueueFinishesAlone() async {
        queue.isSuspended = true
        let all = operations(3)
        queue.addOperations(all)
        all[1].cancel()
        await all[1].ends()
        #expect(!all[0].isFinished && !all[2].isFinished)
        queue.isSuspended = false
        await finish(all)
        #expect(all.map { $0.error?.code } == [nil, .cancelled, nil])
    }

    @Test func waitingReturnsWhenAllAreFinished() async {
        let all = operations(50)
        queue.addOperations(all)
        await queue.empties()
        #expect(all.allSatisfy { $0.isFinished })
        #expect(queue.operationCount == 0)
    }

    @Test func addingCanWaitUntilFinished() async {
        let all = operations(50)
        await onThreadOfItsOwn { [queue] in queue.addOperations(all, waitUntilFinished: true) }
        #expect(all.allSatisfy { $0.isFinished })
    }

    @Test func waitingForAnEmptyQueueReturnsAtOnce() async {
        await queue.empties()
        #expect(queue.operations.isEmpty)
    }

    @Test func operationsCanAllBePausedAndResumed() async {
        let running = network.operation("/held", method: "POST", body: "x")
        queue.addOperation(running)
        await network.log.sees(.begun(1))
        let waiting = network.operation("/a")
        queue.isSuspended = true
        queue.addOperation(waiting)
        queue.pauseAllOperations()
        #expect(running.isPaused && waiting.isPaused)
        queue.isSuspended = false
        gate.open()
        await NetworkThread.shared.catchesUp()
        #expect(!running.isFinished && !waiting.isFinished)
        queue.resumeAllOperations()
        await finish([running, waiting])
        #expect(running.error == nil && waiting.error == nil)
    }

    @Test func finishedOperationIsReleased() async {
        weak var weakOperation: HTTPRequestOperation?
        do {
            let operation = network.operation("/a")
            weakOperation = operation
            queue.addOperation(operation)
            await operation.ends()
        }
        await queue.empties()
        await NetworkThread.shared.catchesUp()
        await Queues.processingCatchesUp()
        await becomes(true) { weakOperation == nil }
    }

    @Test func addingOperationTwiceTraps() async {
        await #expect(processExitsWith: .failure) {
            let (queue, operation) = (RequestOperationQueue(), ScriptedNetwork().operation("/a"))
            queue.isSuspended = true
            queue.addOperation(operation)
            RequestOperationQueue().addOperation(operation)
        }
    }

    @Test func addingStartedOperationTraps() async {
        await #expect(processExitsWith: .failure) {
            let operation = ScriptedNetwork().operation("/a")
            operation.start()
            RequestOperationQueue().addOperation(operation)
        }
    }
}
