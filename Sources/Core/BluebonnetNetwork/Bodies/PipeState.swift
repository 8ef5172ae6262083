// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// The state of a bounded pipe: the bytes between a writer and a reader, and how each end has finished. A value type;
/// it calls nothing and belongs to no thread.
///
/// The writer stops when `capacity` bytes are pending, and continues when at most half of them are left. Either end may
/// finish at any time, once: the writer after its last byte, the reader whenever it stops reading.
package struct PipeState: Sendable {
    /// How an end finished.
    package enum End: Sendable {
        case complete
        case failed(any Error)
    }

    /// The next item for the reader.
    package enum Item: Sendable {
        case chunk(Data)
        case end(End)
    }

    /// Ends of the pipe: the ends to wake, or the ends that are waiting.
    package struct Ends: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        static let writer = Ends(rawValue: 1)
        package static let reader = Ends(rawValue: 2)
    }

    private let capacity: Int
    private var chunks = Deque<Data>()
    private var takenOfFirst = 0
    private(set) var byteCount = 0
    private var takenByteCount: Int64 = 0
    /// How the writer finished; nil while it may write.
    private(set) var writerEnd: End?
    /// How the reader finished; nil while it may read.
    private(set) var readerEnd: End?
    private(set) var waiting: Ends = []

    /// - Parameter capacity: the pending bytes at which the pipe is full; the piece that reaches the capacity is still
    ///   accepted.
    init(capacity: Int) { self.capacity = capacity }
}

// MARK: - The writer's end

extension PipeState {
    /// Whether a piece may be written. If not, the writer is woken when the pipe has capacity again, or when the reader
    /// has closed the pipe.
    mutating func requestCapacity() -> Bool {
        let hasCapacity = byteCount < capacity || readerEnd != nil
        if hasCapacity { waiting.remove(.writer) } else { waiting.insert(.writer) }
        return hasCapacity
    }

    /// Adds a piece after the others. Drops the piece if an end has finished.
    mutating func write(_ chunk: Data) -> Ends {
        guard readerEnd == nil, writerEnd == nil, !chunk.isEmpty else { return [] }
        chunks.append(chunk)
        byteCount += chunk.count
        return wake(.reader)
    }

    /// Ends the bytes. Only the first end counts.
    ///
    /// - Parameter isDropping: whether the pending pieces are dropped.
    mutating func finish(_ end: End, isDropping: Bool = false) -> Ends {
        writerEnd = writerEnd ?? end
        if isDropping { drop() }
        return wake(.reader)
    }
}

// MARK: - The reader's end

extension PipeState {
    /// Returns the next piece, or the end after the last piece. Returns nil if there is neither yet; the reader is then
    /// woken when there is. A reader uses either `next` or `copyBytes`.
    mutating func next() -> (Item?, Ends) {
        guard !chunks.isEmpty else { return (waitForMore().map(Item.end), []) }
        let chunk = chunks.removeFirst()
        return (.chunk(chunk), recordRead(chunk.count))
    }

    /// Returns the next piece; nil if none is pending. The reader does not wait.
    mutating func nextPending() -> (Data?, Ends) {
        guard !chunks.isEmpty else { return (nil, []) }
        let chunk = chunks.removeFirst()
        return (chunk, recordRead(chunk.count))
    }

    /// Copies pending bytes into a buffer. Returns nil if no bytes are pending yet; the reader is woken when some are.
    /// A count of 0 is the end.
    ///
    /// - Parameter declaredByteCount: the declared length of the body. The last byte is withheld until the writer has
    ///   finished, so that a body that is too long never looks complete.
    mutating func copyBytes(
        into buffer: UnsafeMutableRawBufferPointer, declaredByteCount: Int64? = nil
    ) -> (count: Result<Int, any Error>?, Ends) {
        var limit = min(buffer.count, byteCount)
        if let declaredByteCount, !isComplete {
            limit = Int(min(Int64(limit), max(0, declaredByteCount - 1 - takenByteCount)))
        }
        let count = copy(limit, to: buffer)
        if count > 0 { return (.success(count), recordRead(count)) }
        switch waitForMore() {
        case .complete?: return (.success(0), [])
        case .failed(let error)?: return (.failure(error), [])
        case nil: return (nil, wakeWriterIfLow())
        }
    }

    /// Closes the reader's end, and drops the pending bytes. Only the first call counts.
    mutating func close(_ end: End) -> Ends {
        guard readerEnd == nil else { return [] }
        readerEnd = end
        drop()
        waiting.remove(.writer)
        return .writer
    }
}

extension PipeState {
    private var isComplete: Bool { if case .complete? = writerEnd { true } else { false } }

    private mutating func waitForMore() -> End? {
        if writerEnd == nil { waiting.insert(.reader) } else { waiting.remove(.reader) }
        return writerEnd
    }

    private mutating func copy(_ limit: Int, to buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < limit, let chunk = chunks.first {
            let start = chunk.startIndex + takenOfFirst
            let length = min(limit - count, chunk.endIndex - start)
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + length])
            chunk.copyBytes(to: target, from: start..<start + length)
            count += length
            takenOfFirst += length
            guard takenOfFirst == chunk.count else { continue }
            chunks.removeFirst()
            takenOfFirst = 0
        }
        return count
    }

    private mutating func recordRead(_ count: Int) -> Ends {
        byteCount -= count
        takenByteCount += Int64(count)
        waiting.remove(.reader)
        return wakeWriterIfLow()
    }

    private mutating func wakeWriterIfLow() -> Ends { byteCount <= capacity / 2 ? wake(.writer) : [] }

    private mutating func wake(_ end: Ends) -> Ends { waiting.remove(end) == nil ? [] : end }

    private mutating func drop() {
        (chunks, takenOfFirst, byteCount) = (Deque(), 0, 0)
    }
}
