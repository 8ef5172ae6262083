// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// Operations of other kinds in a `RequestOperationQueue`.
@Suite(.timeLimit(.minutes(1))) struct ForeignOperationQueueTests {
    private let network = ScriptedNetwork()
    private let queue = RequestOperationQueue()
    private let order = Observed([String]())

    @Test func blockRunsOffTheNetworkThread() async {
        queue.addOperation { [order] in order.append("\(NetworkThread.isCurrent)") }
        await order.becomes(["false"])
        await queue.empties()
        #expect(queue.operationCount == 0)
    }

    @Test func blocksAndRequestsShareOneLimitInOrder() async {
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let operation = network.operation("/a")
        network.answer("/a") { [order] _ in
            order.append("request")
            return [.head(200)]
        }
        queue.addOperation { [order] in order.append("block") }
        queue.addOperation(operation)
        queue.addOperation { [order] in order.append("second block") }
        await foreignReadiness()
        queue.isSuspended = false
        await order.becomes { $0.count == 3 }
        #expect(order.value == ["block", "request", "second block"])
    }

    @Test func blockOccupiesItsSlotUntilItEnds() async {
        queue.maxConcurrentOperationCount = 1
        let mayEnd = Gate()
        queue.addOperation { [order] in
            order.append("begun")
            mayEnd.waitBlocking()
            order.append("ended")
        }
        await order.becomes(["begun"])
        network.answer("/a") { [order] _ in
            order.append("request")
            return [.head(200)]
        }
        let operation = network.operation("/a")
        queue.addOperation(operation)
        await NetworkThread.shared.catchesUp()
        mayEnd.open()
        await operation.ends()
        #expect(order.value == ["begun", "ended", "request"])
    }

    @Test func blockWaitsForItsDependencies() async {
        let first = BlockOperation { [order] in order.append("first") }
        let second = BlockOperation { [order] in order.append("second") }
        second.addDependency(first)
        queue.addOperations([second, first])
        await order.becomes { $0.count == 2 }
        #expect(order.value == ["first", "second"])
        await queue.empties()
    }

    @Test func blocksAndRequestsAreListedAndCountedTogether() async {
        queue.isSuspended = true
        let all: [Operation] = [network.operation("/a"), BlockOperation {}, network.operation("/b")]
        queue.addOperations(all)
        #expect(queue.operations == all)
        #expect(queue.operationCount == 3)
        queue.isSuspended = false
        await queue.empties()
        #expect(queue.operationCount == 0)
    }

    @Test func cancelAllEndsBlocksInSuspendedQueue() async {
        queue.isSuspended = true
        let (block, waiting) = (BlockOperation { [order] in order.append("ran") }, BlockOperation {})
        waiting.addDependency(BlockOperation {})
        queue.addOperations([block, waiting, network.operation("/a")])
        await foreignReadiness()
        queue.cancelAllOperations()
        await queue.empties()
        #expect(block.isFinished && waiting.isFinished)
        #expect(order.value == [])
    }

    @Test func blockStartedByItsOwnerOccupiesItsSlot() async {
        queue.maxConcurrentOperationCount = 1
        let (mayEnd, hasBegun) = (Gate(), Gate())
        let block = BlockOperation { [order] in
            hasBegun.open()
            mayEnd.waitBlocking()
            order.append("ended")
        }
        Thread { block.start() }.start()
        await hasBegun.wait()
        queue.addOperation(block)
        queue.addOperation { [order] in order.append("next") }
        await foreignReadiness()
        await NetworkThread.shared.catchesUp()
        mayEnd.open()
        await order.becomes { $0.count == 2 }
        #expect(order.value == ["ended", "next"])
        await queue.empties()
    }

    @Test func finishedBlocksLeaveTheQueueAtOnce() async {
        for _ in 0..<300 {
            let block = BlockOperation {}
            block.start()
            queue.addOperation(block)
        }
        await queue.empties()
        #expect(queue.operationCount == 0)
    }

    @Test func queueIsReleasedAfterItsOperationsEnd() async {
        weak var gone: RequestOperationQueue?
        do {
            let queue = RequestOperationQueue()
            gone = queue
            queue.addOperation { [order] in order.append("block") }
            queue.addBarrierBlock { [order] in
                order.append(RequestOperationQueue.current == nil ? "barrier of none" : "barrier")
            }
            let (started, cancelled) = (BlockOperation {}, BlockOperation {})
            cancelled.cancel()
            started.start()  // by its owner, before the queue can start it
            queue.addOperations([cancelled, started, network.operation("/a")])
            await queue.empties()
        }
        await order.becomes(["block", "barrier"])
        await becomes(true) { gone == nil }
        #expect(gone == nil)
    }

    /// Returns when the queue knows that its blocks are ready. Foundation notifies the queue of this asynchronously.
    private func foreignReadiness() async {
        let (probe, ran) = (RequestOperationQueue(), Gate())
        probe.addOperation { ran.open() }
        await ran.wait()
    }
}
