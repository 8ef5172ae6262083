// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import Synchronization

/// The body of an accepted response as a sequence of chunks, in the order of arrival. Made by
/// `RequestOperation.chunks(bufferByteCount:)`.
///
/// The connection is read only as fast as the chunks are consumed. Over HTTP/2 the response uses a separate connection,
/// so that it does not delay other responses. The sequence ends when the operation is finished, and throws the
/// operation's `NetworkingError` if the operation failed. It can be iterated once: further iterations throw
/// `invalidRequest` and do not affect the first iteration. Leaving the loop early cancels the operation.
public struct BodyChunks: AsyncSequence, Sendable {
    public typealias Element = Data
    public typealias Failure = NetworkingError

    /// The consumer; an error if the sequence was requested too late.
    let consumer: Result<Consumer, NetworkingError>

    public func makeAsyncIterator() -> Iterator {
        Iterator(loop: consumer.flatMap { $0.beginIteration() })
    }

    /// Iterates over the chunks.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let loop: Result<Loop, NetworkingError>

        /// Returns the next chunk; nil after the last chunk.
        ///
        /// - Throws: the operation's `NetworkingError`; `notStarted` if the operation is in no queue and was not
        ///   started. Cancelling the waiting task cancels the operation.
        public mutating func next() async throws(NetworkingError) -> Data? { try await loop.get().consumer.next() }

        /// Returns the next chunk; nil after the last chunk.
        ///
        /// - Throws: the operation's `NetworkingError`. Cancelling the waiting task cancels the operation.
        public mutating func next(isolation: isolated (any Actor)?) async throws(NetworkingError) -> Data? {
            if let chunk = nextArrived() { return chunk }
            return try await loop.get().consumer.next()
        }

        /// Returns the next chunk if it has arrived. Without it, a loop on an actor would leave the actor and come back
        /// for each chunk.
        package func nextArrived() -> Data? { (try? loop.get())?.consumer.nextArrived() }
    }

    /// The only iteration. Its release cancels the operation, even if the sequence is still referenced.
    final class Loop: Sendable {
        let consumer: Consumer

        init(_ consumer: Consumer) { self.consumer = consumer }

        deinit { consumer.leave() }
    }

    /// The state of the sequence and its iteration. Releasing a sequence that was never iterated also cancels the
    /// operation.
    final class Consumer: Sendable {
        private let pipe: BodyPipe
        private let operation: RequestOperation
        private let isIterated = Atomic(false)
        private let isWaiting = Atomic(false)

        init(_ pipe: BodyPipe, of operation: RequestOperation) { (self.pipe, self.operation) = (pipe, operation) }

        deinit { leave() }

        /// Begins the iteration. Returns an error for any iteration after the first, because concurrent iterations
        /// would take chunks from each other.
        func beginIteration() -> Result<Loop, NetworkingError> {
            guard !isIterated.exchange(true, ordering: .relaxed) else { return .failure(secondReader) }
            return .success(Loop(self))
        }

        private var secondReader: NetworkingError {
            NetworkingError(
                .invalidRequest, "another loop is reading the body's chunks: they can be iterated only once",
                request: operation.request)
        }

        func leave() {
            operation.cancel()  // has no effect on a finished operation
            pipe.close(.complete)
        }

        /// Returns the next chunk if it has arrived; nil while a task waits, and to a cancelled task: `next()` then
        /// cancels the operation.
        func nextArrived() -> Data? {
            isWaiting.load(ordering: .relaxed) || Task.isCancelled ? nil : pipe.nextPending()
        }

        func next() async throws(NetworkingError) -> Data? {
            guard operation.isBegun else { throw .notStarted(operation) }
            // Copies of an iterator that wait at the same time would replace each other's waiter in the pipe.
            guard !isWaiting.exchange(true, ordering: .acquiring) else { throw secondReader }
            defer { isWaiting.store(false, ordering: .releasing) }
            let item = await withTaskCancellationHandler {
                while true {
                    if let item = await self.item() { return item }
                }
            } onCancel: {
                operation.cancel()
            }
            switch item {
            case .chunk(let data): return data
            case .end(.complete): return nil
            case .end(.failed(let error)):
                throw error as? NetworkingError
                    ?? NetworkingError(.badServerResponse, "the body cannot be delivered: \(error)", underlying: error)
            }
        }

        /// Returns the next item, after waiting if necessary; nil if only the wait has ended.
        private func item() async -> BodyPipe.Item? {
            await withCheckedContinuation { (waiter: CheckedContinuation<BodyPipe.Item?, Never>) in
                if let item = pipe.next(orCall: { waiter.resume(returning: nil) }) { waiter.resume(returning: item) }
            }
        }
    }
}

extension RequestOperation {
    /// The body of an accepted response as a sequence instead of in memory, with a buffer of 256 KiB. See
    /// `chunks(bufferByteCount:)`.
    ///
    /// ```swift
    /// let operation = manager.operation("GET", "large.ndjson")
    /// let chunks = operation.chunks
    /// manager.operationQueue.addOperation(operation)
    /// for try await chunk in chunks { print(chunk.count) }
    /// ```
    public var chunks: BodyChunks { chunks(bufferByteCount: 256 * 1024) }

    /// Delivers the body of an accepted response as a sequence instead of in memory; `responseData` is then nil.
    /// Request the sequence once, before the operation is started or added to a queue. A sequence that is requested
    /// later throws `invalidRequest` when it is iterated, and the destination of the body does not change.
    ///
    /// - Parameter bufferByteCount: the maximum number of bytes that wait for the consumer; while the buffer is full,
    ///   the connection is not read. At least 1.
    public func chunks(bufferByteCount: Int) -> BodyChunks {
        precondition(bufferByteCount > 0, "a buffer holds at least one byte")
        let pipe = BodyPipe(capacity: bufferByteCount, farEnd: .reader)
        guard !isBegun, state.setChunks(pipe) else {
            let error = NetworkingError(
                .invalidRequest,
                "the body's chunks were requested twice or too late: call chunks once, before the operation is queued",
                request: request)
            return BodyChunks(consumer: .failure(error))
        }
        return BodyChunks(consumer: .success(BodyChunks.Consumer(pipe, of: self)))
    }
}
