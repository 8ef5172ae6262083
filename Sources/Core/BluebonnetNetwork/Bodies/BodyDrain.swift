// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

/// Writes the bytes of a pipe to a file or an output stream on a serial queue, because writing may block.
///
/// Either every byte is written, or the pipe is closed with the error. In both cases the pipe is closed after the last
/// write. The writer never blocks. `BodyPipe.requestCapacity` bounds the pending bytes; they exceed the bound by at
/// most the bytes that a decoder produces from one more piece.
final class BodyDrain: Sendable {
    /// Called before the first write.
    typealias Begin = @Sendable () throws(NetworkingError) -> Void
    /// Writes a whole piece at an offset, the number of bytes written before, or throws.
    typealias Write = @Sendable (Data, Int64) throws(NetworkingError) -> Void

    private static let atWork = Atomic(0)

    /// The limit of pending bytes. The piece that reaches the limit is still accepted.
    let capacity: Int
    let pipe: BodyPipe
    private let queue: DispatchQueue
    private let put: Write
    private let end: @Sendable () -> Void
    private let writtenByteCount = Atomic<Int64>(0)

    /// - Parameters:
    ///   - capacity: default a share of the memory for all drains.
    ///   - queue: serial.
    ///   - begin: called on the queue before the first write; its error closes the pipe.
    ///   - put: called on the queue.
    ///   - end: called after the last write, before the pipe is closed.
    init(
        capacity: Int? = nil, on queue: DispatchQueue, begin: Begin? = nil, put: @escaping Write,
        end: @escaping @Sendable () -> Void = {}
    ) {
        let count = Self.atWork.add(1, ordering: .relaxed).newValue
        self.capacity = capacity ?? Self.capacity(atWork: count)
        pipe = BodyPipe(capacity: self.capacity, farEnd: .reader)
        (self.queue, self.put, self.end) = (queue, put, end)
        if let begin { queue.async { [self] in self.begin(begin) } }
        _ = pipe.next { [weak self] in self?.drainSoon() }  // waits for the first bytes
    }

    deinit { Self.atWork.subtract(1, ordering: .relaxed) }

    /// The capacity of the newest of `count` drains: 1 MiB for up to 32 drains, because more is of no use; then less
    /// for each new drain, at least 256 KiB.
    static func capacity(atWork count: Int) -> Int { min(max(32 * 1024 * 1024 / count, 256 * 1024), 1024 * 1024) }

    /// The error with which writing failed; nil otherwise.
    var failure: NetworkingError? {
        if case .failed(let error)? = pipe.readerEnd { error as? NetworkingError } else { nil }
    }

    /// Drops the pending pieces: nothing is written after the write in progress. Does not wait. Network thread only.
    func discard() {
        pipe.whenWoken(nil)
        pipe.finish(.complete, isDropping: true)
    }

    /// Ends the bytes. Calls `action` when all bytes are written, with the error if writing failed; immediately if the
    /// pipe is closed already. Network thread only.
    func close(then action: @escaping (NetworkingError?) -> Void) {
        pipe.finish(.complete)
        guard pipe.readerEnd == nil else {
            pipe.whenWoken(nil)
            return action(failure)
        }
        pipe.whenWoken { [self] in
            guard pipe.readerEnd != nil else { return }
            pipe.whenWoken(nil)
            action(failure)
        }
    }

    /// Does work on the queue after the work that was submitted before. Its error closes the pipe. Network thread only.
    func perform(_ work: @escaping Begin) {
        queue.async { [self] in if pipe.readerEnd == nil { begin(work) } }
    }

    private func drainSoon() { queue.async { [self] in drain() } }

    private func begin(_ begin: Begin) {
        do throws(NetworkingError) { try begin() } catch { finish(.failed(error)) }
    }

    private func drain() {
        while pipe.readerEnd == nil, let item = pipe.next(orCall: { [weak self] in self?.drainSoon() }) {
            do throws(NetworkingError) {
                guard case .chunk(let chunk) = item else { return finish(.complete) }
                let count = Int64(chunk.count)
                try put(chunk, writtenByteCount.wrappingAdd(count, ordering: .relaxed).oldValue)
            } catch {
                finish(.failed(error))
            }
        }
    }

    private func finish(_ closing: BodyPipe.End) {
        end()
        pipe.close(closing)
    }
}
