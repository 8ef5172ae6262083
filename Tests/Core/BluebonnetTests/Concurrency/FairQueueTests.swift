// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct FairQueueTests {
    @Test func virtualTimesOfAFlowAreConsecutive() {
        var fairQueue = FairQueue()
        #expect((0..<4).map { _ in fairQueue.assignTime(flow: 1, priority: 0) } == [0, 1, 2, 3])
        #expect((0..<2).map { _ in fairQueue.assignTime(flow: 2, priority: 0) } == [0, 1])
    }

    @Test func laterFlowJoinsAtTheServedVirtualTime() {
        var fairQueue = FairQueue()
        let many = (0..<100_000).map { _ in fairQueue.assignTime(flow: 1, priority: 0) }
        for virtualTime in many.prefix(500) { fairQueue.serve(virtualTime, priority: 0) }
        #expect(fairQueue.assignTime(flow: 2, priority: 0) == 499)
        #expect(fairQueue.assignTime(flow: 1, priority: 0) == 100_000)
    }

    @Test func everyPriorityHasItsOwnVirtualTime() {
        var fairQueue = FairQueue()
        for _ in 0..<1_000 { fairQueue.serve(fairQueue.assignTime(flow: 1, priority: 8), priority: 8) }
        #expect(fairQueue.assignTime(flow: 2, priority: 0) == 0)
        #expect(fairQueue.assignTime(flow: 2, priority: 8) == 999)
    }

    @Test func servedFlowsAreForgotten() {
        var fairQueue = FairQueue()
        for flow in 0..<10_000 {
            let virtualTime = fairQueue.assignTime(flow: flow, priority: 0)
            fairQueue.serve(virtualTime + 1, priority: 0)
        }
        #expect(fairQueue.flowCount < 200)
    }
}
