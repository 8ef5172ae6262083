// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks

extension Batch {
    /// The end of one member.
    public struct Completion: Sendable {
        /// The member's index in the batch's `operations`.
        public let index: Int
        /// The member.
        public let operation: HTTPRequestOperation
        /// The member's result.
        public let result: Result<any Sendable, NetworkingError>
    }

    /// The completions of all members in the order in which they end, each after the member's own handlers. A late
    /// iteration also begins with the first completion.
    ///
    /// The sequence ends with the batch, or when the iterating task is cancelled, which does not cancel the batch.
    public var completions: Completions { Completions(batch: self) }

    /// The sequence of a batch's completions.
    public struct Completions: AsyncSequence, Sendable {
        fileprivate let batch: Batch

        public func makeAsyncIterator() -> Iterator { Iterator(batch: batch) }

        /// Iterates over the completions.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let batch: Batch
            private var position = 0

            fileprivate init(batch: Batch) { self.batch = batch }

            public mutating func next() async -> Completion? {
                await batch.waitForEnding(beyond: position)
                guard let completion = batch.completion(at: position), !Task.isCancelled else { return nil }
                position += 1
                return completion
            }
        }
    }

    fileprivate func completion(at position: Int) -> Completion? {
        let index = state.withLock { state in
            position < state.endings.count ? Int(state.endings[position]) : nil
        }
        guard let index, let result = operations[index].result else { return nil }
        return Completion(index: index, operation: operations[index], result: result)
    }

    fileprivate func waitForEnding(beyond position: Int) async {
        _ = await TaskWait.forEvent { wait in
            state.withLock { $0.keep(wait, beyond: position) }
        } onCancel: { [self] wait in
            giveUp(wait)
        }
    }
}
