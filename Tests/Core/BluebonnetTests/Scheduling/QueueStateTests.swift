// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

/// The state of a queue as a value, with operations that never run. The behaviour of the queue is tested elsewhere.
@Suite struct QueueStateTests {
    private let bench = GateBench()

    private func isLookedAt(_ state: inout QueueState) -> Bool { state.claimScheduling() }

    @Test(arguments: [1, 3, 200]) func emptiedQueueCanBeReused(count: Int) {
        let queue = bench.queue()
        for _ in 0..<3 {
            let operations = (0..<count).map { _ in queue.add() }
            #expect(queue.operations == operations)
            #expect(bench.turn() == operations)
            for operation in operations.reversed() { queue.end(operation) }
            #expect(queue.count == 0 && queue.operations.isEmpty)
            #expect(bench.turn().isEmpty)
        }
    }

    /// A stale entry belongs to a removed operation, not to the next operation with the same index.
    @Test func staleEntryDoesNotStartTheNextOperation() {
        let queue = bench.queue()
        let gone = queue.add(priority: 4)
        queue.change { $0.changePriority(of: gone, to: 8) }
        #expect(bench.turn() == [gone])
        queue.end(gone)

        let waiting = queue.add(isReady: false)
        #expect(bench.turn().isEmpty)
        queue.makeReady(waiting)
        #expect(bench.turn() == [waiting])
    }

    @Test func queueWithNothingReadyIsNotScheduled() {
        var state = QueueState()
        let (waiting, ready) = (Operation(), Operation())
        _ = state.add(waiting, flow: 0, priority: 0, needsSlot: false)
        #expect(!isLookedAt(&state))
        _ = state.add(ready, flow: 0, priority: 0, needsSlot: false)
        state.makeReady(ready, priority: 0, isCancelled: false)
        #expect(isLookedAt(&state))
        #expect(!isLookedAt(&state), "it is known already")
    }

    @Test func openingTheGateSchedulesTheQueue() {
        var state = QueueState()
        let operation = Operation()
        state.isSuspended = true
        _ = state.add(operation, flow: 0, priority: 0, needsSlot: false)
        state.makeReady(operation, priority: 0, isCancelled: false)
        #expect(isLookedAt(&state))
        let changes = state.removeChanges(limit: 10)
        #expect(changes.arrivals.count == 1 && !changes.isOpen)
        #expect(!isLookedAt(&state))
        state.isSuspended = false
        #expect(isLookedAt(&state))
        let opened = state.removeChanges(limit: 10)
        #expect(opened.arrivals.isEmpty && opened.isOpen)
        #expect(!isLookedAt(&state))
    }

    @Test func changesAreTakenUpToTheLimit() {
        var state = QueueState()
        for _ in 0..<5 {
            let operation = Operation()
            _ = state.add(operation, flow: 0, priority: 0, needsSlot: false)
            state.makeReady(operation, priority: 0, isCancelled: false)
        }
        let pieces = (0..<3).map { _ in state.removeChanges(limit: 2) }
        #expect(pieces.map(\.arrivals.count) == [2, 2, 1])
        #expect(pieces.map(\.hasMore) == [true, true, false])
    }

    @Test func barrierDividesEmptiedQueue() {
        let queue = bench.queue()
        for _ in 0..<2 {
            let first = queue.add()
            let barrier = Operation()
            queue.change { $0.addBarrier(barrier) }
            let second = queue.add()
            #expect(bench.turn() == [first])
            queue.end(first)
            #expect(bench.turn() == [barrier])
            queue.end(barrier)
            #expect(bench.turn() == [second])
            queue.end(second)
        }
    }

    @Test func retainedSlotIsFreed() {
        let queue = bench.queue()
        queue.change { $0.limit = 1 }
        let first = queue.add()
        #expect(bench.turn() == [first])
        guard case .holdsSlot = queue.change({ $0.remove(first) }) else {
            Issue.record("the only place has to be held")
            return
        }
        let second = queue.add()
        #expect(bench.turn().isEmpty)
        queue.change { $0.freeSlot() }
        #expect(bench.turn() == [second])
    }
}
