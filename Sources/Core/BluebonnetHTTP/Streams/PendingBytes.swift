// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Glibc

/// The bytes of a stream that were appended and not yet consumed. Decoders search them for ends of lines and records.
///
/// All offsets are offsets in `bytes`. Appending and consuming take linear time for slices of any size.
struct PendingBytes: Sendable {
    /// A buffer of more bytes is released once its bytes are consumed, so that idle streams use little memory.
    static let keptByteCount = 16 << 10

    private(set) var bytes: [UInt8] = []
    /// The offset of the first byte that was not consumed.
    private(set) var start = 0
    /// The offset of the first byte that was not searched. Long lines that arrive in many slices are searched once.
    private(set) var searchedEnd = 0

    /// The number of bytes that were not consumed.
    var count: Int { bytes.count - start }

    mutating func append(_ newBytes: some Collection<UInt8>) {
        // Moves the rest only when it is smaller than the consumed part: each byte is moved once on average.
        if start > 0, start >= count {
            bytes.removeSubrange(..<start)
            (searchedEnd, start) = (searchedEnd - start, 0)
        }
        bytes.append(contentsOf: newBytes)
    }

    /// Consumes the bytes before an offset.
    mutating func consume(upTo end: Int) {
        start = end
        searchedEnd = max(searchedEnd, end)
    }

    /// Records that the searched bytes do not end the current line or record.
    mutating func markSearched() {
        searchedEnd = bytes.count
        if count == 0, bytes.capacity > Self.keptByteCount { (bytes, start, searchedEnd) = ([], 0, 0) }
    }
}

// Searches that use the C library, which examines many bytes at once.
extension UnsafeBufferPointer<UInt8> {
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns the offset of the first occurrence of a byte in a range of offsets.
    func offset(of byte: UInt8, in range: Range<Int>) -> Int? {
        guard let baseAddress, !range.isEmpty,
            let found = memchr(baseAddress + range.lowerBound, CInt(byte), range.count)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(baseAddress)
    }

    /// Returns the offset of the first LF or CR at or after an offset.
    ///
    /// Searches windows of growing size, first for LF, then for CR before the LF. A stream that uses only one of the
    /// two is still searched in linear time.
    func offsetOfLineEnd(from start: Int) -> Int? {
        var (position, windowByteCount) = (start, 256)
        while position < count {
            let end = Swift.min(position + windowByteCount, count)
            let lineFeed = offset(of: 0x0A, in: position..<end)
            if let found = offset(of: 0x0D, in: position..<(lineFeed ?? end)) ?? lineFeed { return found }
            position = end
            windowByteCount *= 2
        }
        return nil
    }

    /// Returns the bytes in a range of offsets.
    func part(_ range: Range<Int>) -> Self { Self(rebasing: self[range]) }

    /// Returns whether the bytes are this ASCII text.
    func isText(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, text.utf8Start, count) == 0
    }
}
