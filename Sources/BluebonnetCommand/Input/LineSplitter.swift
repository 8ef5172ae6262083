// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Cuts a stream of bytes into lines; a value that is fed what arrives.
struct LineSplitter {
    /// The longest line, its end not counted; more is a mistake, such as reading from the wrong device.
    static let longestLine = 64 << 20

    private var rest = Data()
    private var scannedByteCount = 0

    /// Whether the unfinished line is longer than any line may be.
    var isTooLong: Bool { rest.count > Self.longestLine }

    /// Adds bytes and gives the lines that they complete, without their ends.
    mutating func add(_ bytes: [UInt8]) -> [Data] {
        rest.append(contentsOf: bytes)
        var lines: [Data] = []
        while let end = rest[(rest.startIndex + scannedByteCount)...].firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(Data(rest[..<end]))
            rest = rest[(end + 1)...]
            scannedByteCount = 0
        }
        rest = Data(rest)
        scannedByteCount = rest.count
        return lines
    }

    /// Gives the last line, when the input does not end in a line end.
    mutating func finish() -> Data? {
        defer { rest = Data() }
        return rest.isEmpty ? nil : rest
    }
}
