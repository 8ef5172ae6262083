// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(2))) struct DependencyTests {
    private let network = ScriptedNetwork()
    private let queue = RequestOperationQueue()
    private let gate = Gate()

    init() { network.answer("/held", with: [.head(200), .wait(gate)]) }

    private func run(_ operations: [HTTPRequestOperation]) async {
        queue.addOperations(operations)
        for operation in operations { await operation.ends() }
    }

    /// Makes each operation depend on the one before it.
    private static func chain(_ operations: [HTTPRequestOperation]) {
        for (earlier, later) in zip(operations, operations.dropFirst()) { later.addDependency(earlier) }
    }

    @Test func chainRunsInOrder() async {
        let operations = (0..<50).map { network.operation("/\($0)") }
        Self.chain(operations)
        await run(operations.reversed())
        #expect(network.log.entries.value.paths == (0..<50).map { "/\($0)" })
        #expect(network.log.entries.value.peakCount == 1)
    }

    @Test func diamondRunsSidesBetweenTopAndBottom() async {
        let (top, left, right, bottom) = (
            network.operation("/top"), network.operation("/left"), network.operation("/right"),
            network.operation("/bottom")
        )
        for side in [left, right] {
            side.addDependency(top)
            bottom.addDependency(side)
        }
        await run([bottom, right, left, top])
        let paths = network.log.entries.value.paths
        #expect(paths.first == "/top" && paths.last == "/bottom" && paths.count == 4)
    }

    @Test func operationCanDependOnThousandOthers() async {
        let operations = (0..<1_000).map { network.operation("/\($0)") }
        let last = network.operation("/last")
        for operation in operations { last.addDependency(operation) }
        #expect(last.dependencies.count == 1_000)
        await run([last] + operations)
        #expect(network.log.entries.value.paths.last == "/last")
    }

    @Test func thousandOperationsCanDependOnOne() async {
        let operations = (0..<1_000).map { network.operation("/\($0)") }
        let first = network.operation("/first")
        for operation in operations { operation.addDependency(first) }
        await run(operations + [first])
        #expect(network.log.entries.value.paths.first == "/first")
    }

    @Test func dependentCanUseResponseOfDependency() async {
        network.answer("/login", with: [.head(200), .body("token")])
        let login = network.operation("/login")
        let seen = Observed([String]())
        let next = HTTPRequestOperation(
            plan: RequestPlan(
                recipe: RequestPlan.Recipe { [network] plan in
                    seen.append(String(decoding: login.responseObject as? Data ?? Data(), as: UTF8.self))
                    try plan.setRequest(network.request("/next"))
                }, options: ResolvedOptions(TransferOptions())),
            serializer: ResolvedSerializer(HTTPResponseSerializer()), services: network.services)
        next.addDependency(login)
        await run([next, login])
        #expect(seen.value == ["token"])
    }

    @Test func dependentStartsAfterFailedOrCancelledDependency() async {
        network.answer("/bad", with: [.fail(.cannotConnect)])
        let (failed, cancelled) = (network.operation("/bad"), network.operation("/a"))
        let last = network.operation("/last")
        for operation in [failed, cancelled] { last.addDependency(operation) }
        cancelled.cancel()
        await run([last, failed, cancelled])
        #expect(last.error == nil)
    }
}

// MARK: - Readiness

extension DependencyTests {
    @Test func waitingOperationIsNotReadyAndCannotBeStarted() async {
        let (first, second) = (network.operation("/1"), network.operation("/2"))
        second.addDependency(first)
        #expect(!second.isReady && first.isReady)
        second.start()
        #expect(!second.isExecuting)
        first.start()
        await first.ends()
        #expect(second.isReady)
        second.start()
        await second.ends()
        #expect(network.log.entries.value.paths == ["/1", "/2"])
    }

    @Test func finishedDependencyDoesNotBlock() async {
        let (first, second) = (network.operation("/1"), network.operation("/2"))
        first.start()
        await first.ends()
        second.addDependency(first)
        #expect(second.isReady)
        #expect(second.dependencies == [first])
    }

    @Test func removingTheLastDependencyMakesReady() async {
        let (first, other, second) = (network.operation("/1"), network.operation("/o"), network.operation("/2"))
        second.addDependency(first)
        second.addDependency(other)
        queue.addOperation(second)
        second.removeDependency(first)
        #expect(!second.isReady)
        #expect(second.dependencies == [other])
        second.removeDependency(other)
        await second.ends()
        #expect(second.error == nil)
        #expect(!first.isFinished && !other.isFinished)
    }

    @Test func removingAnUnknownDependencyChangesNothing() {
        let (first, second) = (network.operation("/1"), network.operation("/2"))
        second.removeDependency(first)
        #expect(second.isReady)
        second.addDependency(first)
        second.removeDependency(network.operation("/3"))
        #expect(!second.isReady)
    }

    @Test func dependencyAddedTwiceCountsOnce() async {
        let (first, second) = (network.operation("/1"), network.operation("/2"))
        second.addDependency(first)
        second.addDependency(first)
        #expect(second.dependencies == [first])
        await run([first, second])
        #expect(second.error == nil)
    }

    @Test func dependenciesKeepOrderAndAreReleasedAtTheEnd() async {
        let operations = (0..<5).map { network.operation("/\($0)") }
        let last = network.operation("/last")
        for operation in operations { last.addDependency(operation) }
        #expect(last.dependencies == operations)
        last.removeDependency(operations[1])
        #expect(last.dependencies == [operations[0], operations[2], operations[3], operations[4]])
        await run(operations + [last])
        #expect(last.dependencies.isEmpty)
    }

    @Test func cancelledOperationDoesNotWaitForDependencies() async {
        let (first, second) = (network.operation("/held"), network.operation("/2"))
        second.addDependency(first)
        queue.addOperations([first, second])
        second.cancel()
        await second.ends()
        #expect(second.error?.code == .cancelled)
        #expect(!first.isFinished)
        gate.open()
        await first.ends()
    }

    @Test func dependencyAddedToQueuedOperationApplies() async {
        let (first, second) = (network.operation("/1"), network.operation("/2"))
        queue.isSuspended = true
        queue.addOperation(second)
        second.addDependency(first)
        queue.isSuspended = false
        await NetworkThread.shared.catchesUp()
        #expect(!second.isExecuting)
        queue.addOperation(first)
        await second.ends()
        #expect(network.log.entries.value.paths == ["/1", "/2"])
    }

    @Test func operationCannotDependOnItself() async {
        await #expect(processExitsWith: .failure) {
            let operation = ScriptedNetwork().operation("/a")
            operation.addDependency(operation)
        }
    }
}

// MARK: - Foreign operations

extension DependencyTests {
    @Test func requestWaitsForForeignDependency() async {
        let order = Observed([String]())
        let block = BlockOperation { order.append("block") }
        let operation = network.operation("/a")
        operation.setCompletionBlock { _, _ in order.append("request") }
        operation.addDependency(block)
        #expect(!operation.isReady)
        queue.addOperation(operation)
        OperationQueue().addOperation(block)
        await order.becomes { $0.count == 2 }
        #expect(order.value == ["block", "request"])
    }

    @Test func foreignOperationWaitsForRequest() async {
        let order = Observed([String]())
        let operation = network.operation("/a")
        let block = BlockOperation { order.append("block after \(operation.isFinished)") }
        block.addDependency(operation)
        queue.addOperations([block, operation])
        await order.becomes { $0.count == 1 }
        #expect(order.value == ["block after true"])
    }

    @Test func foreignDependencyCanBeRemoved() async {
        let block = BlockOperation {}
        let operation = network.operation("/a")
        operation.addDependency(block)
        operation.removeDependency(block)
        #expect(operation.isReady)
        await run([operation])
        #expect(operation.error == nil)
    }

    @Test func finishedForeignDependencyDoesNotBlock() async {
        let block = BlockOperation {}
        block.start()
        let operation = network.operation("/a")
        operation.addDependency(block)
        await run([operation])
        #expect(operation.error == nil)
    }
}

// MARK: - Lifetimes

extension DependencyTests {
    @Test func unstartedDependentIsReleased() async {
        let first = network.operation("/held")
        first.start()
        weak var weakDependent: HTTPRequestOperation?
        do {
            let dependent = network.operation("/2")
            dependent.addDependency(first)
            weakDependent = dependent
        }
        #expect(weakDependent == nil)
        gate.open()
        await first.ends()
        #expect(first.error == nil)
    }

    @Test func dependencyIsRetainedByItsDependent() async {
        let second = network.operation("/2")
        do { second.addDependency(network.operation("/1")) }
        #expect(second.dependencies.count == 1)
        #expect(!second.isReady)
    }

    @Test func unstartedChainOfHundredThousandIsReleased() async {
        await #expect(processExitsWith: .success) {
            let network = ScriptedNetwork()
            weak var first: HTTPRequestOperation?
            do {
                var last = network.operation("/a")
                first = last
                for _ in 0..<100_000 {
                    let next = network.operation("/a")
                    next.addDependency(last)
                    last = next
                }
            }
            precondition(first == nil, "the first of the chain was not released")
        }
    }

    @Test func longChainRunsAndIsReleased() async {
        weak var first: HTTPRequestOperation?
        do {
            let operations = (0..<2_000).map { _ in network.operation("/a") }
            first = operations.first
            Self.chain(operations)
            await run(operations)
            #expect(operations.allSatisfy { $0.error == nil && $0.dependencies.isEmpty })
        }
        await NetworkThread.shared.catchesUp()
        await becomes(true) { first == nil }
    }
}
