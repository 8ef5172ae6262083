// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// A decoder that gets the bytes of a body in pieces.
protocol StreamDecoder: Sendable {
    associatedtype Item: Sendable

    mutating func append(_ bytes: some Collection<UInt8>)
    /// The body is complete.
    mutating func finish()
    /// The next item; nil if more bytes are needed.
    mutating func nextItem() throws(StreamItemError) -> Item?
}

extension LineDecoder: StreamDecoder {
    mutating func nextItem() throws(StreamItemError) -> String? { try nextText() }
}

/// Decodes lines as bytes, which need not be UTF-8.
struct LineBytesDecoder: StreamDecoder {
    private var lines: LineDecoder

    init(byteLimit: Int) { lines = LineDecoder(byteLimit: byteLimit) }

    mutating func append(_ bytes: some Collection<UInt8>) { lines.append(bytes) }

    mutating func finish() { lines.finish() }

    mutating func nextItem() throws(StreamItemError) -> [UInt8]? { try lines.next() }
}

extension JSONLinesDecoder: StreamDecoder {
    mutating func nextItem() throws(StreamItemError) -> JSONStreamItem? {
        guard let item = try next() else { return nil }
        if let truncation = item.truncation { throw truncation }
        return item
    }
}

extension EventStreamDecoder: StreamDecoder {
    mutating func finish() {}

    mutating func nextItem() throws(StreamItemError) -> ServerSentEvent? {
        while let output = try next() { if case .event(let event) = output { return event } }
        return nil
    }
}

/// Reads a body, and decodes its items. The first reader of a response has the bytes: a body can be iterated once.
struct StreamReader<Decoder: StreamDecoder>: ItemReader {
    private var chunks: BodyChunks.Iterator
    private let operation: HTTPRequestOperation
    private(set) var decoder: Decoder
    private var isComplete = false

    init(_ response: StreamResponse, _ decoder: Decoder) {
        (chunks, operation, self.decoder) = (response.body.makeAsyncIterator(), response.operation, decoder)
    }

    mutating func next() async throws(NetworkingError) -> Decoder.Item? {
        while true {
            if let item = try decoded() { return item }
            if isComplete { return nil }
            if let chunk = try await chunks.next() {
                decoder.append(chunk)
            } else {
                isComplete = true
                decoder.finish()
            }
        }
    }

    mutating func nextArrived() throws(NetworkingError) -> Decoder.Item? {
        while true {
            if let item = try decoded() { return item }
            guard let chunk = chunks.nextArrived() else { return nil }
            decoder.append(chunk)
        }
    }

    private mutating func decoded() throws(NetworkingError) -> Decoder.Item? {
        do throws(StreamItemError) {
            return try decoder.nextItem()
        } catch {
            throw unusable("\(error)", error)
        }
    }

    /// The error of an item that cannot be used. The operation is cancelled.
    func unusable(_ reason: String, _ error: any Error) -> NetworkingError {
        operation.cancel()
        return NetworkingError(
            .cannotParseResponse, reason, request: operation.request, response: operation.response, underlying: error)
    }

    /// Reads and drops the rest of the body, so that the connection can be reused: at most 64 KiB, for at most a
    /// second.
    consuming func drain() {
        var chunks = chunks
        let operation = operation
        Task {
            let timer = Task {
                guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
                operation.cancel()
            }
            var byteCount = 0
            while byteCount < 64 << 10, let chunk = try? await chunks.next() { byteCount += chunk.count }
            timer.cancel()
        }
    }
}
