// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Which bytes of a body are stored. It does not contain the bytes.
package struct StoredBody: Sendable, Hashable, Codable {
    /// The stored parts in order. They neither touch nor overlap.
    package private(set) var ranges: [Range<Int64>]
    /// The length of the whole body; nil if it is unknown.
    package private(set) var totalByteCount: Int64?
    /// Whether content codings were removed from the bytes. Then they are complete, and answer no request for a range:
    /// a range counts the bytes as they were sent.
    package private(set) var isDecoded: Bool

    /// The bytes that the response announces and that have not arrived; nil for a whole body.
    private(set) var announcedPart: Range<Int64>?

    /// Makes a body of which nothing has arrived.
    init() { (ranges, totalByteCount, isDecoded) = ([], nil, false) }

    /// Makes a complete body.
    package init(byteCount: Int64, isDecoded: Bool = false) {
        (ranges, totalByteCount, self.isDecoded) = (byteCount > 0 ? [0..<byteCount] : [], byteCount, isDecoded)
    }

    /// Makes a part of a body.
    package init(part: Range<Int64>, totalByteCount: Int64?) {
        (ranges, self.totalByteCount, isDecoded) = (part.isEmpty ? [] : [part], totalByteCount, false)
    }

    /// Whether all bytes are stored.
    package var isComplete: Bool {
        guard let totalByteCount else { return false }
        return totalByteCount == 0 || ranges == [0..<totalByteCount]
    }

    /// Returns whether all these bytes are stored.
    package func contains(_ bytes: Range<Int64>) -> Bool {
        ranges.contains { $0.lowerBound <= bytes.lowerBound && bytes.upperBound <= $0.upperBound }
    }

    /// The bytes that are not stored, if they are in one piece.
    package var gap: Range<Int64>? {
        guard let total = totalByteCount, !isDecoded, let first = ranges.first else { return nil }
        switch (ranges.count, first.lowerBound) {
        case (1, 0): return first.upperBound < total ? first.upperBound..<total : nil
        case (1, let start): return first.upperBound == total ? 0..<start : nil
        case (2, 0): return ranges[1].upperBound == total ? first.upperBound..<ranges[1].lowerBound : nil
        default: return nil
        }
    }

    /// Records that a response announces more bytes.
    mutating func announce(_ part: Range<Int64>, totalByteCount total: Int64?) {
        (announcedPart, totalByteCount) = (part, totalByteCount ?? total)
    }

    /// Adds the first bytes of the announced part, as many as arrived.
    mutating func addAnnounced(byteCount: Int64) {
        guard let part = announcedPart else { return }
        announcedPart = nil
        add(part.lowerBound..<min(part.upperBound, part.lowerBound + byteCount))
    }

    private mutating func add(_ bytes: Range<Int64>) {
        guard !bytes.isEmpty else { return }
        var (merged, apart) = (bytes, [Range<Int64>]())
        for range in ranges {
            if range.upperBound < merged.lowerBound || merged.upperBound < range.lowerBound {
                apart.append(range)
            } else {
                merged = min(range.lowerBound, merged.lowerBound)..<max(range.upperBound, merged.upperBound)
            }
        }
        ranges = (apart + [merged]).sorted { $0.lowerBound < $1.lowerBound }
    }
}
