// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Cuts a stream of bytes into lines; a value that is fed what arrives.
struct LineSplitter {
    /// The longest line in bytes, its end not counted; more is a mistake, such as reading from the wrong device.
    var longestLine = 64 << 20

    private var rest = Data()

    /// Makes a splitter that was fed nothing yet.
    init() {}

    /// Whether the unfinished line is longer than any line may be.
    var isTooLong: Bool { rest.count > longestLine }

    /// Adds bytes and gives the lines that they complete, without their ends.
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

    /// Gives the last line, when the input does not end in a line end.
    mutating func finish() -> Data? {
        defer { rest = Data() }
        return rest.isEmpty ? nil : rest
    }
}
