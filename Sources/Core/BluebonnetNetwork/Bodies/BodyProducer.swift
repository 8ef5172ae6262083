// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import BluebonnetHTTP
internal import BluebonnetLocks
package import Foundation

/// Produces the pieces of a body asynchronously, for instance from an `AsyncSequence`.
package protocol BodyProducer: Sendable {
    /// Whether `produce` may be called again for a retry or a redirect.
    var isRestartable: Bool { get }
    /// Whether a trailer section follows the body.
    var hasTrailers: Bool { get }

    /// Sends all pieces, and returns at the end of the body.
    ///
    /// - Parameter send: sends the next piece when there is capacity for it. Returns false if the body is not needed.
    func produce(_ send: @Sendable (_ piece: Data) async throws -> Bool) async throws

    /// Returns the trailer section. Called after `produce` has returned, if `hasTrailers`.
    func trailers() async throws -> HeaderFields
}

/// Writes the pieces of a producer to a pipe, as fast as the pipe is read.
final class ProducerFeed: BodyFeedSource {
    private let producer: Result<any BodyProducer, NetworkingError>
    private let writer: PieceWriter
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter trailers: receives the trailer section before the end of the body.
    init(
        _ producer: Result<any BodyProducer, NetworkingError>, to pipe: BodyPipe, declaredByteCount: Int64?,
        trailers: ProducedTrailers
    ) {
        self.producer = producer
        writer = PieceWriter(pipe, BodyLength(declaredByteCount), trailers)
    }

    func begin() {
        task.withLock { task in
            task = Task { [producer, writer] in await writer.run(producer) }
        }
    }

    func cancel() { task.withLock { $0.take() }?.cancel() }
}

/// The trailer section of a body, once it is known.
final class ProducedTrailers: Sendable {
    private let fields = Mutex(HeaderFields())

    /// The fields; empty before the end of the body.
    var value: HeaderFields { fields.withLock { $0 } }

    fileprivate func store(_ trailers: HeaderFields) { fields.withLock { $0 = trailers } }
}

/// The writing end of a pipe, for one producer.
private final class PieceWriter: Sendable {
    private let pipe: BodyPipe
    private let length: BodyLength
    private let trailers: ProducedTrailers

    init(_ pipe: BodyPipe, _ length: BodyLength, _ trailers: ProducedTrailers) {
        (self.pipe, self.length, self.trailers) = (pipe, length, trailers)
    }

    func run(_ producer: Result<any BodyProducer, NetworkingError>) async {
        do {
            let producer = try producer.get()
            try await producer.produce { [self] piece in try await send(piece) }
            try Task.checkCancellation()  // a sequence may end, as if it were complete, when its task is cancelled
            try length.checkEnd()
            if producer.hasTrailers, isOpen {
                let fields = try await producer.trailers()
                try TrailerCheck.check(fields)
                trailers.store(fields)
            }
            pipe.finish(.complete)
        } catch {
            pipe.finish(.failed(error))
        }
    }

    private func send(_ piece: Data) async throws -> Bool {
        guard !piece.isEmpty else { return isOpen }
        try length.add(piece.count)
        while isOpen {
            if await waitForCapacity() {
                pipe.write(piece)
                return isOpen
            }
        }
        return false
    }

    private var isOpen: Bool { pipe.readerEnd == nil && pipe.writerEnd == nil && !Task.isCancelled }

    /// Returns whether there was capacity at once. If not, waits until there may be.
    private func waitForCapacity() async -> Bool {
        await withCheckedContinuation { (waiter: CheckedContinuation<Bool, Never>) in
            if pipe.requestCapacity(orCall: { waiter.resume(returning: false) }) { waiter.resume(returning: true) }
        }
    }
}
