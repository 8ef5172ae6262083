// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

/// A stream's bytes on their way into one request: read ahead on a queue of the feed's, because a read may block, and
/// taken on the network thread.
///
/// It holds a declared length to account: a stream that ends early is an error, and the last byte is not handed out
/// before the stream has ended, so that what is too long is never sent as if it were whole. Let go, it closes the
/// stream; a read that blocks then keeps its thread until it returns.
final class BodyFeed: Sendable {
    /// Makes the stream; called once, on the feed's queue.
    typealias Source = @Sendable () throws -> InputStream

    private static let chunkByteCount = 64 * 1024

    /// The length that the caller declared; nil when it is not known.
    let declaredByteCount: Int64?
    private let pipe = BodyPipe(capacity: 4 * chunkByteCount, farEnd: .writer)
    private let reader: QueueBound<Reader>
    private let isBegun = Atomic(false)

    /// - Parameter source: gives the stream, opened or not.
    init(declaredByteCount: Int64?, source: @escaping Source) {
        self.declaredByteCount = declaredByteCount
        let queue = DispatchQueue(label: "org.bluebonnet.body-stream")
        reader = QueueBound(Reader(source: source), on: queue)
    }

    deinit {
        let reader = reader
        reader.queue.async { reader.value.close() }
    }

    /// Whether the stream was touched, so that it cannot be sent from its start again.
    var isTouched: Bool { isBegun.load(ordering: .acquiring) }

    /// Reads no more.
    func cancel() { pipe.close(.complete) }

    /// Takes what is ready. When that is nothing, `whenReady`'s action is called once, as soon as there is more.
    /// Network thread only.
    func take(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkingError) -> TransferBody.Piece {
        if !isBegun.exchange(true, ordering: .acquiringAndReleasing) { readSoon() }
        do {
            let count = try pipe.take(into: buffer, declaredByteCount: declaredByteCount)
            return count.map(TransferBody.Piece.bytes) ?? .wouldBlock
        } catch {
            throw error as? NetworkingError
                ?? NetworkingError(.cannotReadFile, "the body stream failed: \(error)", underlying: error)
        }
    }

    /// Network thread only.
    func whenReady(_ action: (() -> Void)?) { pipe.whenWoken(action) }
}

// MARK: - The stream's side

extension BodyFeed {
    /// The stream, opened when it is first read. On the feed's queue only.
    private final class Reader {
        private var source: Source?
        private var stream: InputStream?
        private(set) var readByteCount: Int64 = 0

        init(source: @escaping Source) { self.source = source }

        func read(atMost byteCount: Int) throws -> Data {
            let stream = try openStream()
            var chunk = Data(count: byteCount)
            let count = chunk.withUnsafeMutableBytes { buffer in
                buffer.withMemoryRebound(to: UInt8.self) { bytes in
                    bytes.baseAddress.map { stream.read($0, maxLength: byteCount) } ?? 0
                }
            }
            guard count >= 0 else { throw stream.errorIfAny ?? POSIXError(.EIO) }
            readByteCount += Int64(count)
            return chunk.prefix(count)
        }

        private func openStream() throws -> InputStream {
            if let stream { return stream }
            guard let made = try source?() else { throw POSIXError(.EBADF) }
            source = nil
            stream = made
            if made.streamStatus == .notOpen { made.open() }
            if let error = made.errorIfAny { throw error }
            return made
        }

        func close() {
            source = nil
            stream?.close()
            stream = nil
        }
    }

    private func readSoon() { reader.queue.async { [self] in readAhead() } }

    /// Reads until enough is ready, the stream has ended, or nobody wants it any more.
    private func readAhead() {
        while pipe.closing == nil, pipe.end == nil {
            guard pipe.hasRoom(orCall: { [weak self] in self?.readSoon() }) else { return }
            do {
                let chunk = try reader.value.read(atMost: Self.chunkByteCount)
                try checkLength(hasEnded: chunk.isEmpty)
                if chunk.isEmpty { pipe.finish(.complete) } else { pipe.write(chunk) }
            } catch {
                pipe.finish(.failed(error))
            }
        }
        reader.value.close()
    }

    private func checkLength(hasEnded: Bool) throws(NetworkingError) {
        let count = reader.value.readByteCount
        guard let declaredByteCount else { return }
        if count > declaredByteCount {
            throw NetworkingError(
                .invalidRequest, "the body stream has more than the \(declaredByteCount) bytes that Content-Length says"
            )
        }
        guard hasEnded, count < declaredByteCount else { return }
        throw NetworkingError(
            .invalidRequest,
            "the body stream ended after \(count) of the \(declaredByteCount) bytes that Content-Length says")
    }
}
