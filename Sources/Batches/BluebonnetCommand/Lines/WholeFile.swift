// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Collects the bytes of a file that can be converted only as a whole.
struct WholeFile {
    /// The largest file: 1 GiB.
    static let usualLimit = 1 << 30

    private let limit: Int
    private var bytes: [UInt8] = []
    private var lines: LineMeasure
    private var isTooLarge = false
    private var isEnded = false

    /// - Parameters:
    ///   - limit: the maximum number of bytes.
    ///   - longestLine: the maximum length of a line. Default no limit.
    init(limit: Int = Self.usualLimit, longestLine: Int = .max) {
        self.limit = limit
        lines = LineMeasure(longestLine: longestLine)
    }

    mutating func append(_ new: [UInt8]) {
        isTooLarge = isTooLarge || new.count > limit - bytes.count
        if isTooLarge { bytes = [] } else { bytes += new }
        lines.add(new)
    }

    mutating func finish() { isEnded = true }

    /// Returns the file once it has ended; nil before. The bytes are removed.
    ///
    /// - Throws: an error as soon as the file, or its last line so far, is too long: it may have no end.
    mutating func removeBytes() throws(ConversionError) -> [UInt8]? {
        guard !isTooLarge else { throw ConversionError(line: 1, "the file has more than \(limit) bytes") }
        guard !lines.isTooLong else { throw ConversionError(line: lines.number, lines.tooLong) }
        guard isEnded else { return nil }
        defer { bytes = [] }
        return bytes
    }
}
