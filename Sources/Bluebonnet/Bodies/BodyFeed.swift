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
    private static let aheadByteCount = 4 * chunkByteCount

    /// The length that the caller declared; nil when it is not known.
    let declaredByteCount: Int64?
    private let state = Mutex(State())
    private let reader: QueueBound<Reader>
    private let listener = NetworkBound(Listener())

    fileprivate struct State {
        var chunks = FirstInFirstOut<Data>()
        var takenOfFirst = 0
        var readyByteCount = 0
        var takenByteCount: Int64 = 0
        var isReading = false
        var isWaitedFor = false
        var hasEnded = false
        var isCancelled = false
        var error: NetworkingError?
    }

    private final class Listener {
        var action: (() -> Void)?
    }

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

    /// Whether anything was taken from the stream, so that it cannot be sent from its start again.
    var isTouched: Bool {
        state.withLock { $0.isReading || $0.takenByteCount > 0 || !$0.chunks.isEmpty || $0.hasEnded }
    }

    /// Reads no more.
    func cancel() { state.withLock { $0.isCancelled = true } }
}

// MARK: - The network thread's side

extension BodyFeed {
    /// Takes what is ready. When that is nothing, `whenReady`'s action is called once, as soon as there is more.
    func take(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkingError) -> TransferBody.Piece {
        let (piece, error, mustRead) = state.withLock { state in
            let count = state.take(into: buffer, declaredByteCount: declaredByteCount)
            let isDry = count == 0 && !state.isComplete
            state.isWaitedFor = isDry && state.error == nil
            let mustRead = !state.isReading && !state.hasEnded && state.readyByteCount < Self.aheadByteCount / 2
            if mustRead { state.isReading = true }
            return (isDry ? TransferBody.Piece.wouldBlock : .bytes(count), isDry ? state.error : nil, mustRead)
        }
        if let error { throw error }
        if mustRead { reader.queue.async { [self] in readAhead() } }
        return piece
    }

    /// Network thread only.
    func whenReady(_ action: (() -> Void)?) {
        listener.value.action = action
    }
}

extension BodyFeed.State {
    fileprivate var isComplete: Bool { hasEnded && readyByteCount == 0 }

    fileprivate mutating func take(into buffer: UnsafeMutableRawBufferPointer, declaredByteCount: Int64?) -> Int {
        var limit = min(buffer.count, readyByteCount)
        if let declaredByteCount, !hasEnded {
            limit = Int(min(Int64(limit), max(0, declaredByteCount - 1 - takenByteCount)))
        }
        var count = 0
        while count < limit, let chunk = chunks.first {
            let start = chunk.startIndex + takenOfFirst
            let length = min(limit - count, chunk.endIndex - start)
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + length])
            chunk.copyBytes(to: target, from: start..<start + length)
            count += length
            takenOfFirst += length
            if takenOfFirst == chunk.count {
                chunks.removeFirst()
                takenOfFirst = 0
            }
        }
        readyByteCount -= count
        takenByteCount += Int64(count)
        return count
    }
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

    /// Reads until enough is ready, the stream has ended, or nobody wants it any more.
    private func readAhead() {
        while state.withLock({ $0.mayReadOn(upTo: Self.aheadByteCount) }) {
            let result = Result { try reader.value.read(atMost: Self.chunkByteCount) }
            if note(result) { signal() }
        }
        if state.withLock({ $0.hasEnded || $0.error != nil || $0.isCancelled }) { reader.value.close() }
    }

    private func note(_ result: Result<Data, any Error>) -> Bool {
        let readByteCount = reader.value.readByteCount
        return state.withLock { state in
            switch result {
            case .success(let chunk) where chunk.isEmpty:
                state.error = lengthError(readByteCount, hasEnded: true)
                state.hasEnded = state.error == nil
            case .success(let chunk):
                state.chunks.append(chunk)
                state.readyByteCount += chunk.count
                state.error = lengthError(readByteCount, hasEnded: false)
            case .failure(let error): state.error = Self.streamError(error)
            }
            defer { state.isWaitedFor = false }
            return state.isWaitedFor
        }
    }

    private func signal() {
        NetworkThread.shared.submit { [listener] in listener.value.action?() }
    }

    private func lengthError(_ count: Int64, hasEnded: Bool) -> NetworkingError? {
        guard let declaredByteCount else { return nil }
        if count > declaredByteCount {
            return NetworkingError(
                .invalidRequest, "the body stream has more than the \(declaredByteCount) bytes that Content-Length says"
            )
        }
        guard hasEnded, count < declaredByteCount else { return nil }
        return NetworkingError(
            .invalidRequest,
            "the body stream ended after \(count) of the \(declaredByteCount) bytes that Content-Length says")
    }

    private static func streamError(_ error: any Error) -> NetworkingError {
        error as? NetworkingError
            ?? NetworkingError(.cannotReadFile, "the body stream failed: \(error)", underlying: error)
    }
}

extension BodyFeed.State {
    /// Whether to read another piece; if not, reading has stopped.
    fileprivate mutating func mayReadOn(upTo byteCount: Int) -> Bool {
        isReading = !hasEnded && !isCancelled && error == nil && readyByteCount < byteCount
        return isReading
    }
}
