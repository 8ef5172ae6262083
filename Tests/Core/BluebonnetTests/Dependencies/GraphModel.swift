// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport

@testable import Bluebonnet

/// A random graph of operations, and the result of running it sequentially.
struct GraphModel: Sendable {
    enum Ending: String, Sendable { case success, failure, skipped, cancelled }

    struct Edge: Sendable {
        let dependency: Int
        let policy: FailedDependencyPolicy
    }

    let count: Int
    /// The dependencies of each operation.
    private(set) var edges: [[Edge]]
    /// The operations that fail when they are sent, and the operations that are cancelled while they wait.
    let failing: Set<Int>
    let cancelled: Set<Int>
    /// An order other than the order of the numbers: a later operation may be a dependency of an earlier operation.
    let ranks: [Int]

    init(seed: UInt64, count: Int, edgeCount: Int) {
        var random = SeededGenerator(seed: seed)
        self.count = count
        ranks = Array(0..<count).shuffled(using: &random)
        edges = Array(repeating: [], count: count)
        var known: Set<Int> = []
        while known.count < edgeCount {
            let (a, b) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
            let (dependent, dependency) = ranks[a] > ranks[b] ? (a, b) : (b, a)
            guard a != b, known.insert(dependent * count + dependency).inserted else { continue }
            let policy: FailedDependencyPolicy = Int.random(in: 0..<3, using: &random) == 0 ? .skip : .runAnyway
            edges[dependent].append(Edge(dependency: dependency, policy: policy))
        }
        failing = Set((0..<count).filter { _ in Int.random(in: 0..<20, using: &random) == 0 })
        cancelled = Set((0..<count).filter { _ in Int.random(in: 0..<20, using: &random) == 0 })
    }

    /// How each operation ends, if the operations run one after the other in an order that the edges allow.
    var endings: [Ending] {
        var endings = [Ending](repeating: .success, count: count)
        for operation in (0..<count).sorted(by: { ranks[$0] < ranks[$1] }) {
            let isSkipped = edges[operation].contains { $0.policy == .skip && endings[$0.dependency] != .success }
            endings[operation] =
                cancelled.contains(operation)
                ? .cancelled : isSkipped ? .skipped : failing.contains(operation) ? .failure : .success
        }
        return endings
    }
}
