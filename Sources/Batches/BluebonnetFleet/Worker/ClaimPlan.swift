// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides how many lines of which batch a worker claims next. A value type.
///
/// Batches of a higher priority come first. Batches of the same priority get equal parts of the worker's capacity; the
/// other batches get the rest of a part that a batch does not use.
struct ClaimPlan {
    struct Step: Equatable {
        let batch: OpenBatch
        let count: Int

        /// The lane at which the search begins: a random lane if the batch has more lanes than one claim can search.
        var firstLane: Int {
            batch.lanes.count > WorkerStore.laneLimit ? Int.random(in: 0..<batch.lanes.count) : 0
        }
    }

    /// The batches with waiting lines, the most urgent batch first.
    private let batches: [OpenBatch]
    private let capacity: Int

    /// - Parameter capacity: the maximum number of lines that the worker has at once.
    init(_ batches: [OpenBatch], capacity: Int) { (self.batches, self.capacity) = (batches, capacity) }

    /// Returns the claims to make: first each batch's part, then the rest.
    ///
    /// - Parameters:
    ///   - openCount: the number of lines that the worker has of a batch.
    ///   - freeCount: the number of lines that the worker can take.
    func steps(openCount: (Int) -> Int, freeCount: Int) -> [Step] {
        var steps: [Step] = []
        for priority in Set(batches.map(\.priority)).sorted(by: >) {
            let peers = batches.filter { $0.priority == priority }.sorted {
                openCount($0.number) < openCount($1.number)
            }
            let part = max(1, capacity / peers.count)
            steps += peers.compactMap { batch in
                let count = min(freeCount, part - openCount(batch.number))
                return count > 0 ? Step(batch: batch, count: count) : nil
            }
            // Lines of a paused origin belong to a batch's part, and must not leave capacity unused.
            let isWhole = peers.count == 1 && steps.last?.count == freeCount
            if !isWhole { steps += peers.map { Step(batch: $0, count: freeCount) } }
        }
        return steps
    }
}
