// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

/// A pipe whose bytes are written on a serial queue, because writing may block: to a file or an output stream. Every
/// byte is written, or the pipe is closed with the reason; either way the pipe is closed once the last write is over.
/// The writer never waits. `BodyPipe.hasRoom` bounds what waits, up to what a decoder makes of one more piece.
final class BodyDrain: Sendable {
    /// What comes before the first write.
    typealias Begin = @Sendable () throws(NetworkingError) -> Void
    /// Writes a piece, behind so many bytes of the pipe: all of it, or throws.
    typealias Write = @Sendable (Data, Int64) throws(NetworkingError) -> Void

    private static let atWork = Atomic(0)

    /// The most pending bytes; the piece that reaches the limit is still taken.
    let capacity: Int
    let pipe: BodyPipe
    private let queue: DispatchQueue
    private let put: Write
    private let end: @Sendable () -> Void
    private let writtenByteCount = Atomic<Int64>(0)

    /// - Parameters:
    ///   - capacity: default a share of the memory for all.
    ///   - queue: serial.
    ///   - begin: called on the queue before the first write; its error closes the pipe.
    ///   - put: called on the queue.
    ///   - end: called behind the last write, before the pipe is closed.
    init(
        capacity: Int? = nil, on queue: DispatchQueue, begin: Begin? = nil, put: @escaping Write,
        end: @escaping @Sendable () -> Void = {}
    ) {
        let count = Self.atWork.add(1, ordering: .relaxed).newValue
        self.capacity = capacity ?? Self.capacity(atWork: count)
        pipe = BodyPipe(capacity: self.capacity, farEnd: .reader)
        (self.queue, self.put, self.end) = (queue, put, end)
        if let begin { queue.async { [self] in self.begin(begin) } }
        _ = pipe.next { [weak self] in self?.drainSoon() }  // it waits for the first bytes
    }

    deinit { Self.atWork.subtract(1, ordering: .relaxed) }

    /// The capacity of the last one of so many: 1 MiB, of which more is of no use; beyond 32 each new one gets less.
    static func capacity(atWork count: Int) -> Int { min(max(32 * 1024 * 1024 / count, 256 * 1024), 1024 * 1024) }

    /// Why the bytes could not be written.
    var failure: NetworkingError? {
        if case .failed(let error)? = pipe.closing { error as? NetworkingError } else { nil }
    }

    /// Drops the pieces that wait: nothing is written once the write in progress is over. Waits for nothing. Network
    /// thread only.
    func discard() {
        pipe.whenWoken(nil)
        pipe.finish(.complete, isDropping: true)
    }

    /// Ends the bytes; `action` is called when all are written, with the error if writing failed: immediately when that
    /// is so already. Network thread only.
    func close(then action: @escaping (NetworkingError?) -> Void) {
        pipe.finish(.complete)
        guard pipe.closing == nil else {
            pipe.whenWoken(nil)
            return action(failure)
        }
        pipe.whenWoken { [self] in
            guard pipe.closing != nil else { return }
            pipe.whenWoken(nil)
            action(failure)
        }
    }

    private func drainSoon() { queue.async { [self] in drain() } }

    private func begin(_ begin: Begin) {
        do throws(NetworkingError) { try begin() } catch { finish(.failed(error)) }
    }

    private func drain() {
        while pipe.closing == nil, let item = pipe.next(orCall: { [weak self] in self?.drainSoon() }) {
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
