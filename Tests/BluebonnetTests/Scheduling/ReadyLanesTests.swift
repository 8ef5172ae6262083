// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import Bluebonnet

/// What of a queue is started when there is no place for all of it. With operations that never run.
@Suite struct ReadyLanesTests {
    private let network = ScriptedNetwork()

    private func add(_ operations: [Operation], priority: Int = 0, to state: inout QueueState) {
        for operation in operations {
            let request = operation as? RequestOperation
            let index = state.add(operation, flow: 0, priority: priority, needsSlot: request != nil)
            request?.queueIndex.store(index, ordering: .relaxed)
            state.makeReady(operation, priority: priority, isCancelled: false)
        }
    }

    private func requests(_ count: Int, _ network: ScriptedNetwork? = nil) -> [HTTPRequestOperation] {
        (0..<count).map { (network ?? self.network).operation("/\($0)") }
    }

    /// Takes with so many places in every admission.
    private func take(_ count: Int, from state: inout QueueState) -> (operations: [Operation], fullCount: Int) {
        let taken = state.takeStartable(limit: 100) { _, _ in count }
        return (taken.operations.all, taken.full.count)
    }

    @Test func operationsStartWhileThereArePlaces() {
        var state = QueueState()
        let all = requests(5)
        add(all, to: &state)
        var taken = take(2, from: &state)
        #expect(taken.operations == Array(all[..<2]) && taken.fullCount == 1)
        taken = take(0, from: &state)
        #expect(taken.operations.isEmpty && taken.fullCount == 1)
        taken = take(10, from: &state)
        #expect(taken.operations == Array(all[2...]) && taken.fullCount == 0)
    }

    @Test func queueIsNotLookedThroughAgainBeforeThereMayBeAPlace() {
        var state = QueueState()
        add(requests(3), to: &state)
        _ = take(1, from: &state)
        var isNeeded = state.takeScheduling()
        #expect(!isNeeded)
        add(requests(1), to: &state)
        isNeeded = state.takeScheduling()
        #expect(!isNeeded, "one more of the same priority")
        state.clearBlockedPriorities()
        isNeeded = state.takeScheduling()
        #expect(isNeeded)
    }

    @Test func aHigherPriorityIsLookedAt() {
        var state = QueueState()
        add(requests(3), to: &state)
        _ = take(0, from: &state)
        let urgent = requests(1)
        add(urgent, priority: 4, to: &state)
        let isNeeded = state.takeScheduling()
        #expect(isNeeded)
        let taken = state.takeStartable(limit: 100) { _, priority in priority > 0 ? 1 : 0 }
        #expect(taken.operations.all == urgent)
    }

    /// Those that were taken have a place that the next one cannot have, whatever its priority.
    @Test func slotsOfHigherPrioritiesAreTaken() {
        var state = QueueState()
        let (urgent, usual) = (requests(2), requests(5))
        add(usual, to: &state)
        add(urgent, priority: 4, to: &state)
        let taken = state.takeStartable(limit: 100) { _, priority in priority > 0 ? 10 : 3 }
        #expect(taken.operations.all == urgent + usual[..<1])
    }

    @Test func operationThatNeedsNoPlaceIsNotHeldUp() {
        var state = QueueState()
        let block = Operation()
        add(requests(3), to: &state)
        add([block], to: &state)
        #expect(take(0, from: &state).operations == [block])
    }

    @Test func operationsOfAnotherManagerAreNotHeldUp() {
        var state = QueueState()
        let other = ScriptedNetwork()
        let (full, free) = (requests(3), requests(2, other))
        add(full, to: &state)
        add(free, to: &state)
        let taken = state.takeStartable(limit: 100) { operation, _ in operation.services === other.services ? 5 : 0 }
        #expect(taken.operations.all == free && taken.full.count == 1)
    }

    @Test func lanesAreServedInOneOrder() {
        var state = QueueState()
        let other = ScriptedNetwork()
        let all: [Operation] = [requests(1)[0], Operation(), requests(1, other)[0], requests(1)[0], Operation()]
        add(all, to: &state)
        #expect(take(5, from: &state).operations == all)
    }

    @Test func removedOperationsTakeNoPlace() {
        var state = QueueState()
        let all = requests(3)
        add(all, to: &state)
        _ = state.remove(all[0])
        #expect(take(1, from: &state).operations == [all[1]])
    }
}
