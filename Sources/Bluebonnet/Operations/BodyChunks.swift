// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The body of an accepted response as a sequence of pieces, in the order of arrival. Made by
/// `RequestOperation.chunks(bufferByteCount:)`.
///
/// The connection is read only as fast as the pieces are consumed. The sequence ends when the operation is finished,
/// and throws the operation's `NetworkingError` when it failed. It can be iterated once; leaving the loop early cancels
/// the operation.
public struct BodyChunks: AsyncSequence, Sendable {
    public typealias Element = Data

    let consumer: Consumer

    public func makeAsyncIterator() -> Iterator { Iterator(loop: Loop(consumer)) }

    /// Iterates over the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        let loop: Loop

        /// Returns the next piece; nil after the last one.
        ///
        /// - Throws: the operation's `NetworkingError`. Cancelling the waiting task cancels the operation.
        public mutating func next() async throws(NetworkingError) -> Data? { try await loop.consumer.next() }

        /// Returns the next piece; nil after the last one. What `for try await` calls.
        ///
        /// - Throws: the operation's `NetworkingError`. Cancelling the waiting task cancels the operation.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkingError) -> Data? { try await loop.consumer.next() }
    }

    /// The only iteration. Its end cancels the operation, even when the sequence is still referenced.
    final class Loop: Sendable {
        let consumer: Consumer

        init(_ consumer: Consumer) { self.consumer = consumer }

        deinit { consumer.leave() }
    }

    /// State of the sequence and its iteration. The end of a sequence that was never iterated cancels the operation
    /// too.
    final class Consumer: Sendable {
        private let pipe: BodyPipe
        private let cancel: @Sendable () -> Void

        init(_ pipe: BodyPipe, cancel: @escaping @Sendable () -> Void) {
            self.pipe = pipe
            self.cancel = cancel
        }

        deinit { leave() }

        func leave() {
            cancel()  // of no effect on one that is finished
            pipe.close(.complete)
        }

        func next() async throws(NetworkingError) -> Data? {
            let next = await withTaskCancellationHandler {
                while true {
                    if let item = await item() { return item }
                }
            } onCancel: {
                cancel()
            }
            switch next {
            case .chunk(let data): return data
            case .end(.complete): return nil
            case .end(.failed(let error)):
                throw error as? NetworkingError
                    ?? NetworkingError(.connectionLost, "the body ended early: \(error)", underlying: error)
            }
        }

        /// What there is, after waiting for it if need be; nil when only the waiting is over.
        private func item() async -> BodyPipe.Item? {
            await withCheckedContinuation { (waiter: CheckedContinuation<BodyPipe.Item?, Never>) in
                if let item = pipe.next(orCall: { waiter.resume(returning: nil) }) { waiter.resume(returning: item) }
            }
        }
    }
}

extension RequestOperation {
    /// Delivers the body of an accepted response as a sequence instead of in memory; `responseData` is nil then. Call
    /// this once, before the operation is started.
    ///
    /// - Parameter bufferByteCount: the most bytes that wait for the consumer; while so many wait, the connection is
    ///   not read. Default 256 KiB.
    public func chunks(bufferByteCount: Int = 256 * 1024) -> BodyChunks {
        precondition(bufferByteCount > 0, "a buffer holds at least one byte")
        let pipe = BodyPipe(capacity: bufferByteCount, farEnd: .reader)
        let isFirst = state.setChunks(pipe)
        precondition(isFirst, "chunks() is for an operation that was not started, once")
        return BodyChunks(consumer: BodyChunks.Consumer(pipe) { [weak self] in self?.cancel() })
    }
}
