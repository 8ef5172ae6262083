// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct DependencyCycleTests {
    private let network = ScriptedNetwork()

    private func named(_ names: [String]) -> [HTTPRequestOperation] {
        names.map { name in
            let operation = network.operation("/\(name)")
            operation.name = name
            return operation
        }
    }

    @Test func cycleIsRefusedAndNamed() throws {
        let all = named(["a", "b", "c"])
        try all[0].addDependency(checking: all[1])
        try all[1].addDependency(checking: all[2])
        let error = #expect(throws: DependencyCycle.self) { try all[2].addDependency(checking: all[0]) }
        #expect(error?.names == ["c", "a", "b", "c"])
        #expect(error?.description == "dependency cycle: c -> a -> b -> c")
        #expect(all[2].dependencies.isEmpty && all[2].isReady)
    }

    @Test func cycleErrorNamesUnnamedOperationByRequest() {
        let operation = network.operation("/a?token=secret")
        let error = #expect(throws: DependencyCycle.self) { try operation.addDependency(checking: operation) }
        #expect(error?.names == Array(repeating: "GET http://scripted.test/a", count: 2))
    }

    @Test func longCycleDescriptionIsShortened() throws {
        let all = named((0..<100).map { "o\($0)" })
        for (dependent, dependency) in zip(all, all.dropFirst()) { try dependent.addDependency(checking: dependency) }
        let error = #expect(throws: DependencyCycle.self) { try all[99].addDependency(checking: all[0]) }
        #expect(error?.names.count == 101)
        #expect(
            error?.description
                == "dependency cycle: o99 -> o0 -> o1 -> o2 -> o3 -> o4 -> o5 -> o6 -> o7 -> o8 -> (90 more) -> o99")
    }

    @Test func uncheckedCycleTraps() async {
        await #expect(processExitsWith: .failure) {
            let network = ScriptedNetwork()
            let (a, b) = (network.operation("/a"), network.operation("/b"))
            a.addDependency(b)
            b.addDependency(a)
        }
    }

    @Test func cycleThroughForeignOperationIsRefused() throws {
        let all = named(["a", "b"])
        let block = BlockOperation {}
        block.name = "block"
        block.addDependency(all[1])
        try all[0].addDependency(checking: block)
        let error = #expect(throws: DependencyCycle.self) { try all[1].addDependency(checking: all[0]) }
        #expect(error?.names == ["b", "a", "block", "b"])
    }

    @Test func cycleThroughSeveralForeignOperationsIsRefused() {
        let operation = named(["a"])[0]
        let blocks = (0..<3).map { _ in BlockOperation {} }
        blocks[0].addDependency(blocks[1])
        blocks[1].addDependency(blocks[2])
        blocks[2].addDependency(operation)
        #expect(throws: DependencyCycle.self) { try operation.addDependency(checking: blocks[0]) }
        #expect(operation.isReady)
    }

    @Test func endedOperationFormsNoCycle() async throws {
        let all = named(["a", "b"])
        try all[0].addDependency(checking: all[1])
        all[1].start()
        await all[1].ends()
        try all[1].addDependency(checking: all[0])
        #expect(all[1].dependencies.isEmpty)
    }

    @Test func graphForgetsEndedOperations() async {
        await #expect(processExitsWith: .success) {
            let network = ScriptedNetwork()
            let queue = RequestOperationQueue()
            let all = (0..<100).map { network.operation("/\($0)") }
            let block = BlockOperation {}
            for (dependent, dependency) in zip(all, all.dropFirst()) { dependent.addDependency(dependency) }
            all[99].addDependency(block)
            queue.addOperations(all + [block])
            await queue.empties()
            await NetworkThread.shared.catchesUp()
            precondition(all.allSatisfy { !$0.dependencyNode.isInGraph })
            precondition(DependencyGraph.read { $0.isEmpty })
        }
    }
}
