// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetHTTP
internal import Dispatch
package import Foundation
internal import Synchronization

/// The side of a feed that fills its pipe.
protocol BodyFeedSource: Sendable {
    /// Begins to fill the pipe. Called once.
    func begin()

    /// Stops filling, and releases what is open.
    func cancel()
}

/// Reads the bytes of a stream, a file or a producer for one request: ahead of the transfer, and never on the network
/// thread, which copies the bytes.
///
/// The feed checks a declared length. A stream that ends early is an error. The last byte is withheld until the stream
/// has ended, so that a body that is too long is never sent as if it were complete. A released feed closes its source;
/// a read that blocks then keeps its thread until the read returns.
package final class BodyFeed: Sendable {
    static let chunkByteCount = 64 * 1024

    /// The length that the caller declared, in bytes; nil if it is not known.
    let declaredByteCount: Int64?
    /// The trailer section, which is complete at the end of the bytes; nil if none follows the body.
    private let producedTrailers: ProducedTrailers?
    private let pipe: BodyPipe
    private let source: any BodyFeedSource
    private let isBegun = Atomic(false)

    /// - Parameter makeStream: returns the stream, opened or not; called once, on the feed's queue.
    package convenience init(declaredByteCount: Int64?, makeStream: @escaping @Sendable () throws -> InputStream) {
        self.init(declaredByteCount: declaredByteCount) { pipe in
            BlockingFeed(StreamSource(makeStream), to: pipe, declaredByteCount: declaredByteCount)
        }
    }

    /// Reads a file from an offset.
    package convenience init(_ file: any UploadSource, from offset: Int64) {
        let byteCount = file.byteCount - offset
        self.init(declaredByteCount: byteCount) { pipe in
            BlockingFeed(FileSource(file, from: offset), to: pipe, declaredByteCount: byteCount)
        }
    }

    /// Sends what the producer of a stream makes.
    package convenience init(_ stream: ProducedBodyStream, declaredByteCount: Int64?) {
        let producer = Result { () throws(NetworkingError) in try stream.use() }
        let trailers = ProducedTrailers()
        self.init(declaredByteCount: declaredByteCount, trailers: stream.hasTrailers ? trailers : nil) { pipe in
            ProducerFeed(producer, to: pipe, declaredByteCount: declaredByteCount, trailers: trailers)
        }
    }

    private init(
        declaredByteCount: Int64?, trailers: ProducedTrailers? = nil, _ makeSource: (BodyPipe) -> any BodyFeedSource
    ) {
        self.declaredByteCount = declaredByteCount
        producedTrailers = trailers
        pipe = BodyPipe(capacity: 4 * Self.chunkByteCount, farEnd: .writer)
        source = makeSource(pipe)
    }

    deinit {
        pipe.close(.complete)
        source.cancel()
    }

    /// The trailer section, after the end of the bytes; nil if none follows the body.
    var trailers: HeaderFields? { producedTrailers?.value }

    /// Whether reading has begun, so that the stream cannot be sent from its start again.
    package var isTouched: Bool { isBegun.load(ordering: .acquiring) }

    /// Stops reading.
    package func cancel() {
        pipe.close(.complete)
        source.cancel()
    }

    /// Copies the bytes that are ready. If no bytes are ready, the action of `whenReady` is called when some are.
    /// Network thread only.
    func copyBytes(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkingError) -> TransferBody.Piece {
        if !isBegun.exchange(true, ordering: .acquiringAndReleasing) { source.begin() }
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

/// Fills a pipe from a source whose reads may block, on its own queue.
private final class BlockingFeed: BodyFeedSource {
    private let pipe: BodyPipe
    private let source: QueueBound<any BodySource>
    private let length: BodyLength

    init(_ source: sending any BodySource, to pipe: BodyPipe, declaredByteCount: Int64?) {
        self.pipe = pipe
        self.source = QueueBound(source, on: DispatchQueue(label: "org.bluebonnet.body-stream"))
        length = BodyLength(declaredByteCount)
    }

    func begin() { source.queue.async { [self] in readAhead() } }

    func cancel() { source.queue.async { [source] in source.value.close() } }

    /// Reads until the pipe is full, the source has ended, or the feed is cancelled.
    private func readAhead() {
        while pipe.readerEnd == nil, pipe.writerEnd == nil {
            guard pipe.requestCapacity(orCall: { [weak self] in self?.begin() }) else { return }
            do {
                let chunk = try source.value.read(atMost: BodyFeed.chunkByteCount)
                try length.add(chunk.count)
                if chunk.isEmpty {
                    try length.checkEnd()
                    pipe.finish(.complete)
                } else {
                    pipe.write(chunk)
                }
            } catch {
                pipe.finish(.failed(error))
            }
        }
        source.value.close()
    }
}
