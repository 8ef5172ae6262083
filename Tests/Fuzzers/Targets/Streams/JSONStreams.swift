// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP

extension FuzzTarget {
    /// JSON lines or a JSON text sequence after three bytes: the format, the size of the slices, the limit of a text.
    static let jsonStreams = FuzzTarget("json-streams") { input in
        var input = input
        let isSequence = input.byte() == UInt8(ascii: "s")
        let sliceByteCount = input.number(below: 32) + 1
        let byteLimit = input.number(below: 64)
        let body = Array(input.rest)
        let format = isSequence ? JSONLinesDecoder.Format.sequence : .lines
        let whole = JSONStreamReading(body, format, sliceByteCount: .max)
        try holdSame(JSONStreamReading(body, format, sliceByteCount: sliceByteCount), whole, "slices change nothing")
        let limited = JSONStreamReading(body, format, sliceByteCount: .max, byteLimit: byteLimit)
        let limitedSlices = JSONStreamReading(body, format, sliceByteCount: sliceByteCount, byteLimit: byteLimit)
        try holdSame(limitedSlices, limited, "slices do not change the error")
        try hold(whole.items.starts(with: limited.items), "a limit does not change the texts before the error")
        try holdSame(whole.items.map(\.number), Array(whole.items.indices.map { $0 + 1 }), "texts are numbered from 1")
        if isSequence || body.first == 0x1E {
            try checkSequence(body, whole)
        } else {
            try holdSame(whole.error, nil, "short lines have no error")
            try holdSame(whole.items.map(\.bytes), simpleLines(body), "a simple decoder finds the same texts")
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func simpleLines(_ body: [UInt8]) -> [[UInt8]] {
        let body = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body[...]
        var lines = body.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        let last = lines.removeLast()
        lines = lines.map { $0.last == 0x0D ? $0.dropLast() : $0 } + [last]
        return lines.filter { !$0.allSatisfy(isSpace) }
    }

    private static func isJSON(_ text: ArraySlice<UInt8>) -> Bool {
        (try? text.withUnsafeBytes { try JSONParser.check($0) }) != nil
    }

    /// Elements that are JSON texts, up to the first other element, are found as they are.
    private static func checkSequence(_ body: [UInt8], _ reading: JSONStreamReading) throws {
        var elements = body.split(separator: 0x1E, omittingEmptySubsequences: false)
        let start = elements.removeFirst()
        guard start.allSatisfy(isSpace) else {
            return try holdSame(reading.error?.number, 1, "text before the first record separator is an error")
        }
        var items = reading.items[...]
        for element in elements where !element.allSatisfy(isSpace) {
            guard !element.starts(with: [0xEF]), isJSON(element) else { return }
            guard let item = items.popFirst() else { throw FuzzFinding("\(element) is missing") }
            let last = element.lastIndex { !isSpace($0) } ?? element.startIndex
            let text = element[...last]
            let first = text.first { !isSpace($0) } ?? 0
            let isClosed = [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\"")].contains(first)
            try holdSame(item.bytes, Array(text), "an element is a text without the white space after it")
            try holdSame(item.isTruncated, !isClosed && text.count == element.count, "only bare values are truncated")
        }
        try hold(items.isEmpty && reading.error == nil, "there are no other texts")
    }
}

/// The JSON texts of a body up to its end or its first error.
private struct JSONStreamReading: Equatable {
    private(set) var items: [JSONStreamItem] = []
    private(set) var error: StreamItemError?

    init(
        _ body: [UInt8], _ format: JSONLinesDecoder.Format, sliceByteCount: Int,
        byteLimit: Int = JSONLinesDecoder.usualByteLimit
    ) {
        var decoder = JSONLinesDecoder(format: format, byteLimit: byteLimit)
        var rest = body[...]
        while !rest.isEmpty, error == nil {
            decoder.append(rest.prefix(sliceByteCount))
            rest = rest.dropFirst(sliceByteCount)
            readItems(&decoder)
        }
        decoder.finish()
        if error == nil { readItems(&decoder) }
    }

    private mutating func readItems(_ decoder: inout JSONLinesDecoder) {
        do throws(StreamItemError) {
            while let item = try decoder.next() { items.append(item) }
        } catch {
            self.error = error
        }
    }
}
