// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// Measures the lines of a stream without keeping them, to detect a line without an end. A value type: the caller adds
/// bytes as they arrive.
struct LineMeasure {
    private let longestLine: Int
    /// The number of the unfinished line, from 1.
    private(set) var number = 1
    /// The length of the unfinished line so far.
    private var byteCount = 0

    /// - Parameter longestLine: the maximum length of a line in bytes, without its end.
    init(longestLine: Int = LineSplitter.usualLongestLine) { self.longestLine = longestLine }

    /// Whether the unfinished line exceeds the maximum length.
    var isTooLong: Bool { byteCount > longestLine }

    /// The error of the unfinished line.
    var tooLong: String { "longer than \(longestLine >> 20) MiB" }

    /// Adds the next bytes of the stream.
    mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                let end = memchr(start, 0x0A, rest.count)
            {
                rest = rest.dropFirst(start.distance(to: end) + 1)
                number += 1
                byteCount = 0
            }
            byteCount += rest.count
        }
    }
}
