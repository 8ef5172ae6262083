// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Splits a stream of bytes into lines. A value type: the caller adds bytes as they arrive.
struct LineSplitter {
    /// The usual maximum length of a line: 64 MiB.
    static let usualLongestLine = 64 << 20

    /// The maximum length of a line in bytes, without its end. A longer line is a mistake, such as reading from the
    /// wrong device.
    var longestLine = usualLongestLine

    private var rest = Data()

    /// Makes an empty splitter.
    init() {}

    /// Whether the unfinished line exceeds the maximum length.
    var isTooLong: Bool { rest.count > longestLine }

    /// Adds bytes. Returns the lines that they complete, without their ends.
    mutating func add(_ bytes: [UInt8]) -> [Data] {
        var lines: [Data] = []
        var new = bytes[...]
        while let end = new.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(rest + new[..<end])
            rest = Data()
            new = new[(end + 1)...]
        }
        rest.append(contentsOf: new)
        return lines
    }

    /// Returns the last line if the input does not end with a line end; else nil.
    mutating func finish() -> Data? {
        defer { rest = Data() }
        return rest.isEmpty ? nil : rest
    }
}
