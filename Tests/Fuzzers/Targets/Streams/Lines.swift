// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP

extension FuzzTarget {
    /// Lines after two bytes: the size of the slices and the limit of a line.
    static let lines = FuzzTarget("lines") { input in
        var input = input
        let sliceByteCount = input.number(below: 32) + 1
        let byteLimit = input.number(below: 64)
        let text = Array(input.rest)
        let whole = LineReading(text, sliceByteCount: .max)
        try holdSame(whole.error, nil, "a short text has no error")
        try holdSame(whole.lines, simpleLines(text), "a simple decoder finds the same lines")
        try holdSame(LineReading(text, sliceByteCount: sliceByteCount), whole, "slices do not change the lines")
        let limited = LineReading(text, sliceByteCount: .max, byteLimit: byteLimit)
        let limitedSlices = LineReading(text, sliceByteCount: sliceByteCount, byteLimit: byteLimit)
        try holdSame(limitedSlices, limited, "slices do not change the error")
        try hold(whole.lines.starts(with: limited.lines), "a limit does not change the lines before the error")
        try hold(limited.error != nil || limited == whole, "a limit without an error changes nothing")
        try hold(limited.lines.allSatisfy { $0.count <= byteLimit }, "no line is longer than \(byteLimit) bytes")
    }

    private static func simpleLines(_ text: [UInt8]) -> [[UInt8]] {
        let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text[...]
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        let last = lines.removeLast()
        lines = lines.map { $0.last == 0x0D ? $0.dropLast() : $0 }
        return last.isEmpty ? lines : lines + [last]
    }
}

/// The lines of a text up to its end or its first error.
private struct LineReading: Equatable {
    private(set) var lines: [[UInt8]] = []
    private(set) var error: StreamItemError?

    init(_ text: [UInt8], sliceByteCount: Int, byteLimit: Int = LineDecoder.usualByteLimit) {
        var decoder = LineDecoder(byteLimit: byteLimit)
        var rest = text[...]
        while !rest.isEmpty, error == nil {
            decoder.append(rest.prefix(sliceByteCount))
            rest = rest.dropFirst(sliceByteCount)
            readLines(&decoder)
        }
        decoder.finish()
        if error == nil { readLines(&decoder) }
    }

    private mutating func readLines(_ decoder: inout LineDecoder) {
        do throws(StreamItemError) {
            while let line = try decoder.next() { lines.append(line) }
        } catch {
            self.error = error
        }
    }
}
