// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetFleet

@Suite struct SkipPlanTests {
    private static let needs = [(3, 1), (4, 3), (4, 2), (5, 2), (6, 9)].map { SkipPlan.Need(line: $0, needed: $1) }

    @Test(arguments: [
        ([1], [3: 0, 4: 0]), ([2], [4: 0, 5: 0]),
        // The first reason is kept.
        ([1, 2], [3: 0, 4: 0, 5: 1]), ([2, 1], [4: 0, 5: 0, 3: 1]),
        ([7], [:]), ([], [:]),
    ])
    func reasonIsTheFirstRootThatALineDependsOn(roots: [Int], reasons: [Int: Int]) {
        let plan = SkipPlan(Self.needs, roots: roots)
        #expect(Dictionary(uniqueKeysWithValues: zip(plan.positions, plan.rootIndices)) == reasons)
    }

    @Test func longChainIsFollowedToItsEnd() {
        let needs = (1...100_000).map { SkipPlan.Need(line: $0, needed: $0 - 1) }
        #expect(SkipPlan(needs, roots: [0]).positions == Array(1...100_000))
    }
}
