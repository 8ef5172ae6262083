// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

/// The members that both queues have, as Foundation documents them.
protocol AnyOperationQueue: AnyObject, Sendable {
    var operations: [Operation] { get }
    var operationCount: Int { get }
    var isSuspended: Bool { get set }
    var maxConcurrentOperationCount: Int { get set }
    var name: String? { get set }
    var qualityOfService: QualityOfService { get set }
    var underlyingQueue: DispatchQueue? { get set }
    var progress: Progress { get }
    func addOperation(_ operation: Operation)
    func addOperation(_ block: @escaping @Sendable () -> Void)
    func addOperations(_ operations: [Operation], waitUntilFinished: Bool)
    func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void)
    func cancelAllOperations()
    func waitUntilAllOperationsAreFinished()
}

extension OperationQueue: AnyOperationQueue {}
extension RequestOperationQueue: AnyOperationQueue {}

/// One suite for Foundation's queue and Bluebonnet's. Where Foundation's queue on Linux deviates from its
/// documentation, only Bluebonnet's queue is tested.
@Suite(.timeLimit(.minutes(1))) struct QueueMembersTests {
    enum Kind: CaseIterable {
        case foundation, bluebonnet

        func make() -> any AnyOperationQueue {
            switch self {
            case .foundation: OperationQueue()
            case .bluebonnet: RequestOperationQueue()
            }
        }
    }

    private let network = ScriptedNetwork()
    private let order = Observed([String]())

    private func recording(_ text: String) -> @Sendable () -> Void { { [order] in order.append(text) } }

    private func waitUntilEmpty(_ queue: any AnyOperationQueue) async {
        await onThreadOfItsOwn { queue.waitUntilAllOperationsAreFinished() }
    }

    @Test(arguments: Kind.allCases) func blocksAndOperationsRun(kind: Kind) async {
        let queue = kind.make()
        let request = network.operation("/a")
        request.completionBlock = recording("request")
        queue.addOperation(recording("block"))
        queue.addOperation(BlockOperation(block: recording("operation")))
        queue.addOperation(request)
        await waitUntilEmpty(queue)
        await order.becomes { $0.count == 3 }
        #expect(Set(order.value) == ["block", "operation", "request"])
        #expect(queue.operationCount == 0 && queue.operations.isEmpty)
    }

    @Test(arguments: Kind.allCases) func suspendedQueueStartsNothing(kind: Kind) async {
        let queue = kind.make()
        queue.isSuspended = true
        queue.addOperation(recording("block"))
        queue.addOperation(network.operation("/a"))
        #expect(queue.operationCount == 2 && queue.isSuspended)
        await NetworkThread.shared.catchesUp()
        #expect(order.value.isEmpty && network.log.requests.isEmpty)
        queue.isSuspended = false
        await waitUntilEmpty(queue)
        #expect(order.value == ["block"])
    }

    @Test(arguments: Kind.allCases) func limitOfOneKeepsTheOrder(kind: Kind) async {
        let queue = kind.make()
        queue.maxConcurrentOperationCount = 1
        #expect(queue.maxConcurrentOperationCount == 1)
        let all = (0..<30).map { network.operation("/\($0)") }
        queue.addOperations(all, waitUntilFinished: false)
        await waitUntilEmpty(queue)
        #expect(network.log.entries.value.paths == (0..<30).map { "/\($0)" })
        #expect(network.log.entries.value.peakCount == 1)
    }

    @Test(arguments: Kind.allCases) func higherPrioritiesStartFirst(kind: Kind) async {
        let queue = kind.make()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        for (name, priority) in [("low", -4), ("normal", 0), ("high", 4), ("very high", 8)] {
            let operation = BlockOperation(block: recording(name))
            operation.queuePriority = Operation.QueuePriority(rawValue: priority) ?? .normal
            queue.addOperation(operation)
        }
        queue.isSuspended = false
        await waitUntilEmpty(queue)
        #expect(order.value == ["very high", "high", "normal", "low"])
    }

    @Test(arguments: Kind.allCases) func priorityCanChangeWhileOperationWaits(kind: Kind) async {
        let queue = kind.make()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let all = (0..<3).map { network.operation("/\($0)") }
        queue.addOperations(all, waitUntilFinished: false)
        all[2].queuePriority = .high
        if kind == .bluebonnet { all[0].queuePriority = .low }  // a plain queue does not see the second change
        queue.isSuspended = false
        await waitUntilEmpty(queue)
        let expected = kind == .bluebonnet ? ["/2", "/1", "/0"] : ["/2", "/0", "/1"]
        #expect(network.log.entries.value.paths == expected)
    }

    @Test(arguments: Kind.allCases) func barrierSeparatesEarlierFromLaterOperations(kind: Kind) async {
        let queue = kind.make()
        queue.isSuspended = true
        for _ in 0..<5 { queue.addOperation(recording("before")) }
        queue.addBarrierBlock(recording("barrier"))
        for _ in 0..<5 { queue.addOperation(recording("after")) }
        #expect(queue.operationCount == 10)
        queue.isSuspended = false
        await waitUntilEmpty(queue)
        await order.becomes { $0.count == 11 }
        let expected = Array(repeating: "before", count: 5) + ["barrier"] + Array(repeating: "after", count: 5)
        #expect(order.value == expected)
    }

    @Test(arguments: Kind.allCases) func barrierInEmptyQueueRuns(kind: Kind) async {
        let queue = kind.make()
        queue.addBarrierBlock(recording("barrier"))
        await order.becomes(["barrier"])
    }

    @Test(arguments: Kind.allCases) func cancellingAllEndsAll(kind: Kind) async {
        let queue = kind.make()
        queue.maxConcurrentOperationCount = 1
        let paths = (0...20).map { "/\($0)" }
        for path in paths { network.answer(path, with: [.wait(Gate())]) }
        let all = paths.map { network.operation($0) }
        queue.addOperations(all, waitUntilFinished: false)
        await network.log.sees(.begun(1))
        queue.cancelAllOperations()
        await waitUntilEmpty(queue)
        #expect(all.allSatisfy { $0.isCancelled && $0.isFinished && $0.error?.code == .cancelled })
        // Foundation's queue cancels one operation after another. The end of one operation may start the next before
        // the next is cancelled.
        #expect(kind == .foundation || network.log.requests.count == 1)
    }

    @Test(arguments: Kind.allCases) func addingCanWaitUntilFinished(kind: Kind) async {
        let queue = kind.make()
        let all = (0..<20).map { network.operation("/\($0)") }
        await onThreadOfItsOwn { queue.addOperations(all, waitUntilFinished: true) }
        #expect(all.allSatisfy { $0.isFinished })
    }

    @Test(arguments: Kind.allCases) func nameAndQualityOfServiceCanBeSet(kind: Kind) {
        let queue = kind.make()
        #expect(queue.name?.contains("Queue 0x") == true)
        queue.name = "mine"
        #expect(queue.name == "mine")
        #expect(queue.qualityOfService == .default)
        queue.qualityOfService = .utility
        #expect(queue.qualityOfService == .utility)
    }

    @Test(arguments: Kind.allCases) func blocksRunOnTheUnderlyingQueue(kind: Kind) async {
        let queue = kind.make()
        let key = DispatchSpecificKey<String>()
        let underlying = DispatchQueue(label: "mine")
        underlying.setSpecific(key: key, value: "mine")
        queue.underlyingQueue = underlying
        #expect(queue.underlyingQueue === underlying)
        queue.addOperation { [order] in order.append(DispatchQueue.getSpecific(key: key) ?? "another") }
        await order.becomes(["mine"])
        await waitUntilEmpty(queue)
    }

    @Test(arguments: Kind.allCases) func progressCountsBlocksOnceItsTotalIsSet(kind: Kind) async {
        let queue = kind.make()
        // In Foundation's queue, blocks that end together change a set of its progress at the same time, and crash.
        if kind == .foundation { queue.maxConcurrentOperationCount = 1 }
        #expect(queue.progress.totalUnitCount == 0)
        queue.progress.totalUnitCount = 10
        for _ in 0..<10 { queue.addOperation(recording("block")) }
        await waitUntilEmpty(queue)
        #expect(queue.progress.completedUnitCount == 10)
        #expect(queue.progress.isFinished)
    }

    @Test(arguments: Kind.allCases) func operationsWaitForOneAnotherAcrossQueues(kind: Kind) async {
        let (queue, other) = (kind.make(), RequestOperationQueue())
        let (first, second) = (network.operation("/1"), network.operation("/2"))
        let (before, after) = (BlockOperation(block: recording("before")), BlockOperation(block: recording("after")))
        first.addDependency(before)
        second.addDependency(first)
        after.addDependency(second)
        second.completionBlock = recording("second")
        queue.addOperations([after, first], waitUntilFinished: false)
        other.addOperations([second, before])
        await waitUntilEmpty(queue)
        await order.becomes { $0.count == 3 }
        #expect(order.value.first == "before" && network.log.entries.value.paths == ["/1", "/2"])
    }
}

// MARK: - Bluebonnet's queue only

extension QueueMembersTests {
    @Test func requestsCountInProgress() async {
        let queue = RequestOperationQueue()
        queue.progress.totalUnitCount = 20
        queue.addOperations((0..<20).map { network.operation("/\($0)") })
        await waitUntilEmpty(queue)
        #expect(queue.progress.fractionCompleted == 1)
    }

    /// An observer or a parent of the progress may take long.
    @Test func slowProgressDelaysNeitherNetworkThreadNorRequests() async {
        let queue = RequestOperationQueue()
        queue.progress.totalUnitCount = 5
        queue.reporting.queue.suspend()
        let operations = (0..<5).map { network.operation("/\($0)") }
        queue.addOperations(operations)
        for operation in operations { await operation.ends() }
        await NetworkThread.shared.catchesUp()
        #expect(queue.progress.completedUnitCount == 0)
        queue.reporting.queue.resume()
        await waitUntilEmpty(queue)
        #expect(queue.progress.completedUnitCount == 5)
    }

    @Test func progressWithoutTotalCountsNothing() async {
        let queue = RequestOperationQueue()
        _ = queue.progress
        queue.addOperations((0..<5).map { network.operation("/\($0)") })
        await waitUntilEmpty(queue)
        #expect(queue.progress.completedUnitCount == 0)
    }

    @Test func barriersDelayLaterRequestsAndAreAwaited() async {
        let queue = RequestOperationQueue()
        let gate = Gate()
        network.answer("/held", with: [.head(200), .wait(gate)])
        queue.addOperation(network.operation("/held"))
        for number in 0..<3 {
            queue.addBarrierBlock { [order, network] in
                order.append("\(number) \(network.log.requests.count)")
            }
            queue.addOperation(network.operation("/\(number)"))
        }
        await network.log.sees(.begun(1))
        await NetworkThread.shared.catchesUp()
        #expect(network.log.requests.count == 1 && order.value.isEmpty)
        gate.open()
        await waitUntilEmpty(queue)
        #expect(order.value == ["0 1", "1 2", "2 3"])
    }

    @Test func cancelEndsOperationWaitingForBarrier() async {
        let queue = RequestOperationQueue()
        queue.isSuspended = true
        queue.addOperation(recording("before"))
        queue.addBarrierBlock(recording("barrier"))
        let behind = network.operation("/a")
        queue.addOperation(behind)
        behind.cancel()
        await behind.ends()
        #expect(order.value.isEmpty)
        queue.isSuspended = false
        await waitUntilEmpty(queue)
        #expect(order.value == ["before", "barrier"])
    }

    @Test func currentQueueOfBlockIsItsQueue() async {
        let queue = RequestOperationQueue()
        #expect(RequestOperationQueue.current == nil)
        queue.addOperation { [order] in
            order.append(RequestOperationQueue.current === queue ? "mine" : "another")
        }
        await order.becomes(["mine"])
    }

    @Test func mainQueueIsSerialAndImmutable() {
        let main = RequestOperationQueue.main
        #expect(main.underlyingQueue?.label == DispatchQueue.main.label && main.maxConcurrentOperationCount == 1)
        main.maxConcurrentOperationCount = 5
        main.isSuspended = true
        main.name = "mine"
        #expect(main.maxConcurrentOperationCount == 1 && !main.isSuspended && main.name != "mine")
    }

    @Test func mainQueueAsUnderlyingQueueTraps() async {
        await #expect(processExitsWith: .failure) { RequestOperationQueue().underlyingQueue = .main }
    }

    @Test func changingUnderlyingQueueWithOperationsTraps() async {
        await #expect(processExitsWith: .failure) {
            let queue = RequestOperationQueue()
            queue.isSuspended = true
            queue.addOperation {}
            queue.underlyingQueue = DispatchQueue(label: "mine")
        }
    }

    /// Runs in its own process: a round sorts a limited number of operations, including operations of other tests.
    @Test func singleOperationIsStartedEarlyDespiteHugeBatch() async {
        await #expect(processExitsWith: .success) {
            let network = ScriptedNetwork()
            let queue = RequestOperationQueue()
            queue.maxConcurrentOperationCount = 1
            queue.isSuspended = true
            let batch = (0..<5_000).map { network.operation("/\($0)") }
            for operation in batch { operation.state.enterBatch(flow: 7, policy: nil) }
            queue.addOperations(batch)
            queue.addOperation(network.operation("/single"))
            queue.isSuspended = false
            await queue.empties()
            let place = network.log.entries.value.paths.firstIndex(of: "/single")
            #expect(place.map { $0 <= 1 } == true)
        }
    }
}
