// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
import Foundation

/// Splits a file into lines, without empty lines and comments.
struct NumberedLines {
    struct Line {
        /// The number of the line, from 1; empty lines and comments count.
        let number: Int
        /// The line without its end.
        let bytes: Data
    }

    private static let byteOrderMark = Data([0xEF, 0xBB, 0xBF])

    private var splitter: LineSplitter
    private var complete: ArraySlice<Data> = []
    private var count = 0

    init(longestLine: Int? = nil) {
        splitter = LineSplitter()
        if let longestLine { splitter.longestLine = longestLine }
    }

    mutating func append(_ bytes: [UInt8]) { complete += splitter.add(bytes) }

    mutating func finish() {
        if let last = splitter.finish() { complete.append(last) }
    }

    /// Returns the next line with a request; nil if more bytes are needed, or after the last line.
    mutating func next() throws(ConversionError) -> Line? {
        while let text = complete.popFirst() {
            count += 1
            var bytes = text.last == UInt8(ascii: "\r") ? text.dropLast() : text
            if count == 1, bytes.starts(with: Self.byteOrderMark) { bytes = bytes.dropFirst(3) }
            if !RequestLineParser.isWithoutRequest(bytes) { return Line(number: count, bytes: bytes) }
        }
        guard !splitter.isTooLong else {
            throw ConversionError(line: count + 1, "longer than \(splitter.longestLine >> 20) MiB")
        }
        return nil
    }
}
