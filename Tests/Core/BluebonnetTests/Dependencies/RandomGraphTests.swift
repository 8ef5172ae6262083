// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

/// Random graphs with failures, and with cancellations from several threads, are compared with the sequential model.
///
/// By default, a few small graphs run. Environment variables set other numbers, for instance for the whole run:
/// `BLUEBONNET_GRAPH_SEEDS=200 BLUEBONNET_GRAPH_OPERATIONS=20000 BLUEBONNET_GRAPH_EDGES=100000`.
@Suite(.timeLimit(.minutes(60))) struct RandomGraphTests {
    private static func number(_ name: String, _ fallback: Int) -> Int {
        ProcessInfo.processInfo.environment["BLUEBONNET_GRAPH_" + name].flatMap(Int.init) ?? fallback
    }

    private static let seeds = 1...UInt64(number("SEEDS", 5))
    private static let count = number("OPERATIONS", 2_000)
    private static let edgeCount = number("EDGES", 10_000)
    private static let threadCount = 4

    @Test(arguments: seeds) func operationsEndOnceInOrderLikeTheModel(seed: UInt64) async {
        let model = GraphModel(seed: seed, count: Self.count, edgeCount: Self.edgeCount)
        let network = ScriptedNetwork(limit: 64, limitPerOrigin: 64)
        network.answerOthers { request in request.url.lastPathComponent == "f" ? [.fail(.connectionLost)] : [.head(200)]
        }
        let operations = (0..<model.count).map { number in
            network.operation("/\(number)" + (model.failing.contains(number) ? "/f" : "/s"))
        }
        let endCounts = Observed([Int: Int]())
        for (number, operation) in operations.enumerated() {
            operation.addCompletionHandler { _ in endCounts.update { $0[number, default: 0] += 1 } }
        }
        let gate = BlockOperation {}
        Self.connect(operations, model, gate)
        let queue = RequestOperationQueue()
        await Self.cancel(operations, model, gate, queue)
        await endCounts.becomes(within: .seconds(300)) { $0.count == model.count }
        await queue.empties()
        await Queues.callbacks.catchesUp()
        #expect(endCounts.value.values.allSatisfy { $0 == 1 })
        Self.check(operations, model)
    }

    /// Operations that will be cancelled also wait for the gate, so that they are cancelled while they wait.
    private static func connect(_ operations: [HTTPRequestOperation], _ model: GraphModel, _ gate: Operation) {
        for (number, edges) in model.edges.enumerated() {
            for edge in edges {
                operations[number].addDependency(operations[edge.dependency], ifItFails: edge.policy)
            }
            if model.cancelled.contains(number) { operations[number].addDependency(gate) }
        }
    }

    /// Adds the operations and cancels some of them, from several threads, while the others run.
    private static func cancel(
        _ operations: [HTTPRequestOperation], _ model: GraphModel, _ gate: Operation, _ queue: RequestOperationQueue
    ) async {
        let finished = Observed(0)
        for thread in 0..<threadCount {
            Thread.detachNewThread {
                let mine = stride(from: thread, to: operations.count, by: threadCount)
                queue.addOperations(mine.map { operations[$0] })
                for number in mine where model.cancelled.contains(number) { operations[number].cancel() }
                finished.increment()
            }
        }
        await finished.becomes(threadCount, within: .seconds(300))
        OperationQueue().addOperation(gate)
    }

    private static func check(_ operations: [HTTPRequestOperation], _ model: GraphModel) {
        let endings = operations.map { operation -> GraphModel.Ending in
            switch MemberKind(operation.error) {
            case .success: .success
            case .failure: .failure
            case .skipped: .skipped
            case .cancelled: .cancelled
            }
        }
        let expected = model.endings
        #expect(endings == expected)
        #expect(Set(expected).count == 4, "the graph has no example of one kind of ending")
        let instants = operations.map { $0.state.schedule }.map { (start: $0.startInstant, end: $0.finishInstant) }
        for (number, edges) in model.edges.enumerated() where expected[number] != .cancelled {
            let wasSent = expected[number] != .skipped
            #expect((instants[number].start > 0) == wasSent)
            let begin = wasSent ? instants[number].start : instants[number].end
            #expect(edges.allSatisfy { instants[$0.dependency].end <= begin })
        }
    }
}
