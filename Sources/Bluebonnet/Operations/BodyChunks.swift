// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
internal import Synchronization

/// The body of an accepted response as it arrives, piece by piece; made by `RequestOperation.chunks(bufferByteCount:)`.
///
/// The connection is read no faster than the pieces are taken. The sequence ends when the operation is finished, and
/// throws the operation's error when it failed. It can be iterated once; leaving the loop early cancels the operation.
public struct BodyChunks: AsyncSequence, Sendable {
    public typealias Element = Data

    let consumer: Consumer

    public func makeAsyncIterator() -> Iterator { Iterator(loop: Loop(consumer)) }

    /// Takes one piece after another.
    public struct Iterator: AsyncIteratorProtocol {
        let loop: Loop

        /// The next piece; nil behind the last one.
        ///
        /// - Throws: the operation's `NetworkingError`. Cancelling the waiting task cancels the operation.
        public mutating func next() async throws -> Data? { try await loop.consumer.next() }
    }

    /// The one loop over the pieces: when it is left, nobody wants the body any more, though the sequence may still be
    /// somebody's.
    final class Loop: Sendable {
        let consumer: Consumer

        init(_ consumer: Consumer) { self.consumer = consumer }

        deinit { consumer.leave() }
    }

    /// What sequence and loop have in common: when the sequence goes and there was no loop, nobody wants the body
    /// either.
    final class Consumer: Sendable {
        private let channel: BodyChannel
        private let cancel: @Sendable () -> Void

        init(_ channel: BodyChannel, cancel: @escaping @Sendable () -> Void) {
            self.channel = channel
            self.cancel = cancel
        }

        deinit { leave() }

        func leave() {
            cancel()  // of no effect on one that is finished
            channel.abandon()
        }

        func next() async throws -> Data? {
            try await withTaskCancellationHandler {
                while true {
                    switch await item() {
                    case .chunk(let data)?: return data
                    case .end(.complete)?: return nil
                    case .end(.failed(let error))?: throw error
                    case nil: continue
                    }
                }
            } onCancel: {
                cancel()
            }
        }

        /// What there is, after waiting for it if need be; nil when only the waiting is over.
        private func item() async -> BodyChannel.Item? {
            await withCheckedContinuation { (waiter: CheckedContinuation<BodyChannel.Item?, Never>) in
                if let item = channel.next(orCall: { waiter.resume(returning: nil) }) { waiter.resume(returning: item) }
            }
        }
    }
}

extension RequestOperation {
    /// Sends the body of an accepted response to a sequence instead of into memory; call it before the operation is
    /// started, once. `responseData` is nil then.
    ///
    /// - Parameter bufferByteCount: how much may wait for the loop before the connection is read no further. Default
    ///   256 KiB.
    public func chunks(bufferByteCount: Int = 256 * 1024) -> BodyChunks {
        precondition(bufferByteCount > 0, "a buffer holds at least one byte")
        let channel = BodyChannel(capacity: bufferByteCount)
        let isFirst = shared.withLock { state in
            guard state.extras.chunkChannel == nil, [.ready, .pausedBeforeStart].contains(state.lifecycle.state) else {
                return false
            }
            state.extras.chunkChannel = channel
            return true
        }
        precondition(isFirst, "chunks() is for an operation that was not started, once")
        return BodyChunks(consumer: BodyChunks.Consumer(channel) { [weak self] in self?.cancel() })
    }
}
