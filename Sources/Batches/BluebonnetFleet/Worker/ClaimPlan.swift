// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How many lines of which batch a worker claims next. A value.
///
/// A batch of a higher priority is asked first; those of the same priority have equal parts of the worker's hand, and
/// what one of them leaves goes to the others.
struct ClaimPlan {
    struct Step: Equatable {
        let batch: OpenBatch
        let count: Int

        /// Where the search begins: with more lanes than a claim looks at, each claim begins with other ones.
        var firstLane: Int {
            batch.lanes.count > WorkerStore.laneLimit ? Int.random(in: 0..<batch.lanes.count) : 0
        }
    }

    /// The batches of which lines wait, the most urgent one first.
    private let batches: [OpenBatch]
    private let capacity: Int

    /// - Parameter capacity: the lines that the worker has in its hands at most.
    init(_ batches: [OpenBatch], capacity: Int) { (self.batches, self.capacity) = (batches, capacity) }

    /// The claims to be made: first each batch's part, then what is left over.
    ///
    /// - Parameters:
    ///   - held: the lines of each batch in the worker's hands.
    ///   - room: the lines that the worker takes.
    func steps(held: (Int) -> Int, room: Int) -> [Step] {
        var steps: [Step] = []
        for priority in Set(batches.map(\.priority)).sorted(by: >) {
            let peers = batches.filter { $0.priority == priority }.sorted { held($0.number) < held($1.number) }
            let part = max(1, capacity / peers.count)
            steps += peers.compactMap { batch in
                let count = min(room, part - held(batch.number))
                return count > 0 ? Step(batch: batch, count: count) : nil
            }
            // What is in the hand of a held origin is part of a batch's part, and no reason to leave room unused.
            let isWhole = peers.count == 1 && steps.last?.count == room
            if !isWhole { steps += peers.map { Step(batch: $0, count: room) } }
        }
        return steps
    }
}
