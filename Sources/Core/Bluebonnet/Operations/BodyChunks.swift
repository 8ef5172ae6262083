// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import Synchronization

/// The body of an accepted response as a sequence of pieces, in the order of arrival. Made by
/// `RequestOperation.chunks(bufferByteCount:)`.
///
/// The connection is read only as fast as the pieces are consumed; over HTTP/2 the response has a connection of its
/// own, so that it holds back no other one. The sequence ends when the operation is finished, and throws the
/// operation's `NetworkingError` when it failed. It can be iterated once: further iterations throw `invalidRequest`,
/// and change nothing for the first one. Leaving the loop early cancels the operation.
public struct BodyChunks: AsyncSequence, Sendable {
    public typealias Element = Data
    public typealias Failure = NetworkingError

    /// The failure is for a sequence that was asked for too late.
    let consumer: Result<Consumer, NetworkingError>

    public func makeAsyncIterator() -> Iterator {
        Iterator(loop: consumer.flatMap { $0.beginIteration() })
    }

    /// Iterates over the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        let loop: Result<Loop, NetworkingError>

        /// Returns the next piece; nil after the last one.
        ///
        /// - Throws: the operation's `NetworkingError`; `notStarted` when the operation is in no queue and was not
        ///   started. Cancelling the waiting task cancels the operation.
        public mutating func next() async throws(NetworkingError) -> Data? { try await loop.get().consumer.next() }

        /// Returns the next piece; nil after the last one.
        ///
        /// - Throws: the operation's `NetworkingError`. Cancelling the waiting task cancels the operation.
        public mutating func next(isolation: isolated (any Actor)?) async throws(NetworkingError) -> Data? {
            try await loop.get().consumer.next()
        }
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
        private let operation: RequestOperation
        private let isIterated = Atomic(false)
        private let isWaiting = Atomic(false)

        init(_ pipe: BodyPipe, of operation: RequestOperation) { (self.pipe, self.operation) = (pipe, operation) }

        deinit { leave() }

        /// The iteration; an error for all but the first, which would take pieces from each other.
        func beginIteration() -> Result<Loop, NetworkingError> {
            guard !isIterated.exchange(true, ordering: .relaxed) else { return .failure(secondReader) }
            return .success(Loop(self))
        }

        private var secondReader: NetworkingError {
            NetworkingError(
                .invalidRequest, "another loop reads the body's chunks: a sequence of chunks can be iterated once",
                request: operation.request)
        }

        func leave() {
            operation.cancel()  // of no effect on one that is finished
            pipe.close(.complete)
        }

        func next() async throws(NetworkingError) -> Data? {
            guard operation.isBegun else { throw .notStarted(operation) }
            // Copies of an iterator that wait at the same time would displace each other in the pipe.
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

        /// What there is, after waiting for it if need be; nil when only the waiting is over.
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

    /// Delivers the body of an accepted response as a sequence instead of in memory; `responseData` is nil then. Ask
    /// for the sequence once, before the operation is started or added to a queue: a sequence that comes later throws
    /// `invalidRequest` when it is iterated, and the body stays where it is.
    ///
    /// - Parameter bufferByteCount: the most bytes that wait for the consumer; while so many wait, the connection is
    ///   not read. At least 1.
    public func chunks(bufferByteCount: Int) -> BodyChunks {
        precondition(bufferByteCount > 0, "a buffer holds at least one byte")
        let pipe = BodyPipe(capacity: bufferByteCount, farEnd: .reader)
        guard !isBegun, state.setChunks(pipe) else {
            let error = NetworkingError(
                .invalidRequest,
                "the body's chunks were asked for twice, or too late: ask once, before the operation is added to a queue",
                request: request)
            return BodyChunks(consumer: .failure(error))
        }
        return BodyChunks(consumer: .success(BodyChunks.Consumer(pipe, of: self)))
    }
}
