// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
package import Foundation
internal import Synchronization

/// Reads the bytes of a stream or a file for one request: ahead of the transfer on the feed's own queue, because
/// reading may block. The network thread copies the bytes.
///
/// The feed checks a declared length. A stream that ends early is an error. The last byte is withheld until the stream
/// has ended, so that a body that is too long is never sent as if it were complete. A released feed closes its source;
/// a read that blocks then keeps its thread until the read returns.
package final class BodyFeed: Sendable {
    private static let chunkByteCount = 64 * 1024

    /// The length that the caller declared, in bytes; nil if it is not known.
    let declaredByteCount: Int64?
    private let pipe = BodyPipe(capacity: 4 * chunkByteCount, farEnd: .writer)
    private let source: QueueBound<any BodySource>
    private let readByteCount = Atomic<Int64>(0)
    private let isBegun = Atomic(false)

    /// - Parameter makeStream: returns the stream, opened or not; called once, on the feed's queue.
    package convenience init(declaredByteCount: Int64?, makeStream: @escaping @Sendable () throws -> InputStream) {
        self.init(declaredByteCount: declaredByteCount, source: StreamSource(makeStream))
    }

    /// Reads a file from an offset.
    package convenience init(_ file: any UploadSource, from offset: Int64) {
        self.init(declaredByteCount: file.byteCount - offset, source: FileSource(file, from: offset))
    }

    private init(declaredByteCount: Int64?, source: sending any BodySource) {
        self.declaredByteCount = declaredByteCount
        self.source = QueueBound(source, on: DispatchQueue(label: "org.bluebonnet.body-stream"))
    }

    deinit {
        let source = source
        source.queue.async { source.value.close() }
    }

    /// Whether reading has begun, so that the stream cannot be sent from its start again.
    package var isTouched: Bool { isBegun.load(ordering: .acquiring) }

    /// Stops reading.
    package func cancel() { pipe.close(.complete) }

    /// Copies the bytes that are ready. If no bytes are ready, the action of `whenReady` is called when some are.
    /// Network thread only.
    func copyBytes(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkingError) -> TransferBody.Piece {
        if !isBegun.exchange(true, ordering: .acquiringAndReleasing) { readSoon() }
        do {
            let count = try pipe.copyBytes(into: buffer, declaredByteCount: declaredByteCount)
            return count.map(TransferBody.Piece.bytes) ?? .wouldBlock
        } catch {
            throw error as? NetworkingError
                ?? NetworkingError(.cannotReadFile, "the body stream failed: \(error)", underlying: error)
        }
    }

    /// Network thread only.
    func whenReady(_ action: (() -> Void)?) { pipe.whenWoken(action) }
}

// MARK: - The source's side

extension BodyFeed {
    private func readSoon() { source.queue.async { [self] in readAhead() } }

    /// Reads until the pipe is full, the source has ended, or the feed is cancelled.
    private func readAhead() {
        while pipe.readerEnd == nil, pipe.writerEnd == nil {
            guard pipe.requestCapacity(orCall: { [weak self] in self?.readSoon() }) else { return }
            do {
                let chunk = try source.value.read(atMost: Self.chunkByteCount)
                let count = readByteCount.add(Int64(chunk.count), ordering: .relaxed).newValue
                try checkLength(count, hasEnded: chunk.isEmpty)
                if chunk.isEmpty { pipe.finish(.complete) } else { pipe.write(chunk) }
            } catch {
                pipe.finish(.failed(error))
            }
        }
        source.value.close()
    }

    /// - Parameter count: the number of bytes read so far.
    private func checkLength(_ count: Int64, hasEnded: Bool) throws(NetworkingError) {
        guard let declaredByteCount else { return }
        if count > declaredByteCount {
            throw NetworkingError(
                .invalidRequest, "the body stream has more than the \(declaredByteCount) bytes of Content-Length"
            )
        }
        guard hasEnded, count < declaredByteCount else { return }
        throw NetworkingError(
            .invalidRequest,
            "the body stream ended after \(count) of the \(declaredByteCount) bytes of Content-Length")
    }
}
