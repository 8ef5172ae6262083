// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

extension Batch {
    /// How one member ended.
    public struct Completion: Sendable {
        /// The member's number in the batch's `operations`.
        public let index: Int
        /// The member.
        public let operation: HTTPRequestOperation
        /// Its result.
        public let result: Result<any Sendable, NetworkingError>
    }

    /// The members as they end, each after its own handlers, from the first one on, whenever you begin to look.
    ///
    /// It ends with the batch, or when the task that looks is cancelled, which does not cancel the batch.
    public var completions: Completions { Completions(batch: self) }

    /// The members of a batch as they end.
    public struct Completions: AsyncSequence, Sendable {
        fileprivate let batch: Batch

        public func makeAsyncIterator() -> Iterator { Iterator(batch: batch) }

        /// Goes through the endings; keeps nothing but its place.
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
        let number = state.withLock { $0.makeWaitNumber() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let waits = state.withLock { $0.wait(number, beyond: position, waiter) }
                if !waits { waiter.resume() }
                if waits, Task.isCancelled { giveUpWaiting(number) }
            }
        } onCancel: {
            giveUpWaiting(number)
        }
    }

    private func giveUpWaiting(_ number: Int) {
        state.withLock { $0.giveUpWaiting(number) }?.resume()
    }
}
