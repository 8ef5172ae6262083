// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

/// A queue's state as a value, with operations that never run. The queue's behaviour is tested with the queue.
@Suite struct QueueStateTests {
    private func ready(_ operation: Operation, in state: inout QueueState, priority: Int = 0) {
        _ = state.add(operation, flow: 0, priority: priority, needsSlot: true)
        state.makeReady(operation, priority: priority, isCancelled: false)
    }

    private func takeAll(_ state: inout QueueState) -> [Operation] {
        state.takeStartable(limit: 1000) { _, _ in .max }.operations.all
    }

    @Test(arguments: [1, 3, 200]) func aQueueThatWasEmptyIsUsedAgain(count: Int) {
        var state = QueueState()
        for _ in 0..<3 {
            let operations = (0..<count).map { _ in Operation() }
            for operation in operations { ready(operation, in: &state) }
            #expect(state.operations == operations)
            #expect(takeAll(&state) == operations)
            for operation in operations.reversed() { _ = state.remove(operation) }
            #expect(state.count == 0 && state.operations.isEmpty)
            #expect(takeAll(&state).isEmpty)
        }
    }

    /// A stale rank belongs to an operation that was removed, not to the next one with its index.
    @Test func aStaleRankIsNotTheNextEntrys() {
        var state = QueueState()
        let gone = Operation()
        ready(gone, in: &state, priority: 4)
        state.changePriority(of: gone, to: 8)
        #expect(state.takeStartable(limit: 1) { _, _ in .max }.operations.all == [gone])
        _ = state.remove(gone)

        let waiting = Operation()
        _ = state.add(waiting, flow: 0, priority: 0, needsSlot: true)
        let isNeeded = state.takeScheduling()
        #expect(!isNeeded)
        #expect(takeAll(&state).isEmpty)
        state.makeReady(waiting, priority: 0, isCancelled: false)
        #expect(takeAll(&state) == [waiting])
    }

    @Test func aBarrierDividesAQueueThatWasEmpty() {
        var state = QueueState()
        let (first, barrier, second) = (Operation(), Operation(), Operation())
        for _ in 0..<2 {
            ready(first, in: &state)
            state.addBarrier(barrier)
            ready(second, in: &state)
            #expect(takeAll(&state) == [first])
            _ = state.remove(first)
            #expect(takeAll(&state) == [barrier])
            _ = state.remove(barrier)
            #expect(takeAll(&state) == [second])
            _ = state.remove(second)
        }
    }

    @Test func aSlotThatIsHeldIsFreed() {
        var state = QueueState()
        state.limit = 1
        let (first, second) = (Operation(), Operation())
        ready(first, in: &state)
        #expect(takeAll(&state) == [first])
        guard case .holdsSlot = state.remove(first) else {
            Issue.record("the only place has to be held")
            return
        }
        ready(second, in: &state)
        #expect(takeAll(&state).isEmpty)
        state.freeSlot()
        #expect(takeAll(&state) == [second])
    }
}
