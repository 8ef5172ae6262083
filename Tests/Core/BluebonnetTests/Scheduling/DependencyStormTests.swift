// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import TestSupport
import Testing

@testable import Bluebonnet

/// One thread adds and releases dependents while their dependencies end on another thread.
@Suite(.timeLimit(.minutes(2))) struct DependencyStormTests {
    private let network = ScriptedNetwork()

    @Test func dependentsCanBeReleasedWhileTheirDependencyEnds() async {
        for round in 0..<300 {
            let first = network.operation("/\(round)")
            let dependents = Observed((0..<20).map { network.operation("/\($0)") })
            for (number, dependent) in dependents.value.enumerated() {
                dependent.addDependency(first)
                if number % 2 == 0 { #expect(!dependent.isReady) }  // from now on it must be notified
            }
            first.start()
            let isDone = Task.detached {
                while dependents.update({ $0.popLast() }) != nil {}
            }
            await first.ends()
            await isDone.value
            #expect(first.error == nil)
        }
    }

    @Test(arguments: [false, true])
    func dependentEnqueuedWhileDependencyEndsIsStarted(toPlainQueue: Bool) async {
        let (queue, plainQueue) = (RequestOperationQueue(), OperationQueue())
        for round in 0..<300 {
            let (first, second) = (network.operation("/\(round)"), network.operation("/next"))
            second.addDependency(first)
            let isAdded = Task.detached {
                if toPlainQueue { plainQueue.addOperation(second) } else { queue.addOperation(second) }
            }
            first.start()
            await isAdded.value
            await second.ends()
            #expect(first.isFinished && second.error == nil)
        }
    }

    @Test func edgeAddedWhileDependencyEndsDoesNotBlock() async {
        let queue = RequestOperationQueue()
        for round in 0..<300 {
            let (first, second) = (network.operation("/\(round)"), network.operation("/next"))
            let isAdded = Task.detached {
                second.addDependency(first)
                queue.addOperation(second)
            }
            first.start()
            await isAdded.value
            await second.ends()
            #expect(first.isFinished && second.error == nil)
        }
    }
}

// MARK: - Concurrent edges, ends and deallocations

extension DependencyStormTests {
    /// An operation of the storm, and whether it is already in the queue.
    private struct Slot: Sendable {
        let operation: HTTPRequestOperation
        var isQueued = false
    }

    private struct WeakOperation: Sendable {
        weak let operation: HTTPRequestOperation?
    }

    /// Operations that several threads connect, cancel, query, add to a queue and replace.
    private final class Sea: Sendable {
        static let slotCount = 24
        private let network: ScriptedNetwork
        private let queue = RequestOperationQueue()
        private let created: Observed<[WeakOperation]>
        private let slots: Observed<[Slot]>

        init(_ network: ScriptedNetwork) {
            self.network = network
            let operations = (0..<Self.slotCount).map { network.operation("/\($0)") }
            created = Observed(operations.map { WeakOperation(operation: $0) })
            slots = Observed(operations.map { Slot(operation: $0) })
        }

        func act(_ random: inout SeededGenerator) {
            let number = Int.random(in: 0..<Self.slotCount, using: &random)
            let operation = operation(number)
            let other = self.operation(Int.random(in: 0..<Self.slotCount, using: &random))
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<5: try? operation.addDependency(checking: other)  // a cycle is refused
            case 5: operation.removeDependency(other)
            case 6: operation.dependencies.first.map(operation.removeDependency)
            case 7: _ = operation.isReady
            case 8: operation.cancel()
            case 9, 10: enqueue(number)
            default: replace(number)
            }
        }

        private func operation(_ number: Int) -> HTTPRequestOperation { slots.update { $0[number].operation } }

        private func enqueue(_ number: Int) {
            let added = slots.update { slots -> HTTPRequestOperation? in
                defer { slots[number].isQueued = true }
                return slots[number].isQueued ? nil : slots[number].operation
            }
            if let added { queue.addOperation(added) }
        }

        /// Replaces an operation, and releases the old operation, which may never have been started.
        private func replace(_ number: Int) {
            let made = network.operation("/\(number)")
            created.append(WeakOperation(operation: made))
            let old = slots.update { slots in
                defer { slots[number] = Slot(operation: made) }
                return slots[number]
            }
            withExtendedLifetime(old) {}
        }

        /// Runs all remaining operations, and returns them.
        func runRest() async -> [HTTPRequestOperation] {
            let rest = created.value.compactMap(\.operation)
            for operation in rest where operation.state.isFree {
                queue.addOperation(operation)
            }
            await queue.empties()
            return rest
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func edgesChangeWhileOperationsEndAndAreReleased(seed: UInt64) async {
        for round in 0..<20 {
            let sea = Sea(network)
            await onThreads(4, seed: seed * 100 + UInt64(round)) { _, random in
                for _ in 0..<150 { sea.act(&random) }
            }
            let rest = await sea.runRest()
            #expect(rest.allSatisfy { $0.isFinished && ($0.error == nil || $0.isCancelled) })
            await NetworkThread.shared.catchesUp()
            await Queues.processingCatchesUp()
            #expect(rest.allSatisfy { !$0.dependencyNode.isInGraph && $0.dependencies.isEmpty })
        }
    }
}

// MARK: - The graph's lock

extension DependencyStormTests {
    /// Runs in its own process: the network thread would wait for the graph with operations of other tests.
    @Test func operationWithoutEdgesEndsWhileTheGraphIsInUse() async {
        await #expect(processExitsWith: .success) {
            let (isLocked, mayEnd, hasEnded) = (Gate(), Gate(), Gate())
            Thread.detachNewThread {
                DependencyGraph.read { _ in
                    isLocked.open()
                    mayEnd.waitBlocking()
                }
            }
            await isLocked.wait()
            let (queue, operation) = (RequestOperationQueue(), ScriptedNetwork().operation("/"))
            operation.addCompletionHandler { _ in hasEnded.open() }
            queue.addOperation(operation)
            await hasEnded.wait()
            precondition(operation.error == nil && operation.isFinished)
            mayEnd.open()
        }
    }

    /// Uses the graph again from its `deinit`.
    private final class Probe: Sendable {
        private let dependent: HTTPRequestOperation
        private let other: HTTPRequestOperation
        private let released: Observed<Int>

        init(_ dependent: HTTPRequestOperation, _ other: HTTPRequestOperation, _ released: Observed<Int>) {
            (self.dependent, self.other, self.released) = (dependent, other, released)
        }

        deinit {
            dependent.addDependency(other)
            dependent.removeDependency(other)
            released.increment()
        }
    }

    @Test func releaseByTheGraphCanUseTheGraph() async {
        let released = Observed(0)
        let dependent = network.operation("/")
        for _ in 0..<3 {
            do {
                let dependency = network.operation("/")
                dependency.userInfo["probe"] = Probe(network.operation("/"), network.operation("/"), released)
                dependent.addDependency(dependency)
                #expect(throws: DependencyCycle.self) { try dependency.addDependency(checking: dependent) }
            }
            dependent.removeDependency(dependent.dependencies[0])
        }
        await released.becomes { $0 == 3 }
        #expect(dependent.dependencies.isEmpty)
    }
}
