// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Splits slices of bytes of any size into lines.
///
/// Lines end with LF or CR LF. A CR without LF is part of its line. The last line may lack a line end; an empty last
/// line does not count. A UTF-8 byte order mark at the start is dropped.
package struct LineDecoder: Sendable {
    /// The default limit of a line: 16 MiB.
    package static let usualByteLimit = 16 << 20

    /// The number of lines that were returned.
    package private(set) var lineCount = 0

    private let byteLimit: Int
    private var pending = PendingBytes()
    private var isEnded = false
    private var error: StreamItemError?

    /// - Parameter byteLimit: the limit of a line without its end, in bytes. A longer line is an error, so that memory
    ///   is bounded for any input.
    package init(byteLimit: Int = Self.usualByteLimit) { self.byteLimit = byteLimit }

    /// Adds the next bytes.
    package mutating func append(_ bytes: some Collection<UInt8>) { pending.append(bytes) }

    /// Marks the end of the bytes: the last line may lack a line end.
    package mutating func finish() { isEnded = true }

    /// Returns the next line without its end; nil if more bytes are needed, or after the last line.
    ///
    /// - Throws: the error of a line that is too long. Lines before it are returned first; every later call throws the
    ///   same error.
    package mutating func next() throws(StreamItemError) -> [UInt8]? { try next { Array($0) } }

    /// Returns the next line as text. Invalid UTF-8 is replaced by U+FFFD.
    ///
    /// - Throws: the error of a line that is too long, as `next()` does.
    package mutating func nextText() throws(StreamItemError) -> String? {
        try next { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the result of the closure for the bytes of the next line.
    mutating func next<Line>(
        _ line: (UnsafeBufferPointer<UInt8>) -> Line
    ) throws(StreamItemError) -> Line? {
        if let error { throw error }
        let bytes = pending.bytes
        return try bytes.withUnsafeBufferPointer { (bytes) throws(StreamItemError) -> Line? in
            guard var range = try nextRange(in: bytes) else { return nil }
            if lineCount == 0, bytes.part(range).starts(with: UnsafeBufferPointer.byteOrderMark) {
                range = (range.lowerBound + 3)..<range.upperBound
                if range.lowerBound == bytes.count { return nil }  // only the mark has arrived
            }
            lineCount += 1
            return line(bytes.part(range))
        }
    }

    /// Consumes the next line and returns its range.
    private mutating func nextRange(in bytes: UnsafeBufferPointer<UInt8>) throws(StreamItemError) -> Range<Int>? {
        let start = pending.start
        if let lineFeed = bytes.offset(of: 0x0A, in: pending.searchedEnd..<bytes.count) {
            let isAfterCR = lineFeed > start && bytes[lineFeed - 1] == 0x0D
            let range = start..<(isAfterCR ? lineFeed - 1 : lineFeed)
            try checkLength(range.count)
            pending.consume(upTo: lineFeed + 1)
            return range
        }
        // A CR at the end may belong to the line end.
        let mayEndLine = !isEnded && start < bytes.count && bytes[bytes.count - 1] == 0x0D
        try checkLength(bytes.count - start - (mayEndLine ? 1 : 0))
        if isEnded, start < bytes.count {
            pending.consume(upTo: bytes.count)
            return start..<bytes.count
        }
        pending.markSearched()
        return nil
    }

    private mutating func checkLength(_ byteCount: Int) throws(StreamItemError) {
        guard byteCount > byteLimit else { return }
        let error = StreamItemError.tooLong("line", number: lineCount + 1, part: "the line", byteLimit: byteLimit)
        self.error = error
        throw error
    }
}
