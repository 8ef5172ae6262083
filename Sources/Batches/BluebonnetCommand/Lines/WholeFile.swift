// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Collects the bytes of a file that can be converted only as a whole.
struct WholeFile {
    /// The largest file: 1 GiB.
    static let usualLimit = 1 << 30

    private let limit: Int
    private var bytes: [UInt8] = []
    private var isTooLarge = false
    private(set) var isEnded = false

    init(limit: Int = Self.usualLimit) { self.limit = limit }

    mutating func append(_ new: [UInt8]) {
        isTooLarge = isTooLarge || new.count > limit - bytes.count
        if isTooLarge { bytes = [] } else { bytes += new }
    }

    mutating func finish() { isEnded = true }

    /// Returns the file. Call this once, after its end.
    mutating func removeBytes() throws(ConversionError) -> [UInt8] {
        guard !isTooLarge else { throw ConversionError(line: 1, "the file has more than \(limit) bytes") }
        defer { bytes = [] }
        return bytes
    }
}
