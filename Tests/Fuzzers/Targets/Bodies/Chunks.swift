// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP

extension FuzzTarget {
    /// A chunked body, read in slices of different sizes. The first byte chooses one of the sizes.
    static let chunks = FuzzTarget("chunks") { input in
        var input = input
        let sliceByteCount = 1 + input.number(below: 64)
        let bytes = Array(input.rest)
        let whole = Reading(bytes, sliceByteCount: max(bytes.count, 1))
        for count in [1, sliceByteCount] {
            try holdSame(Reading(bytes, sliceByteCount: count), whole, "what is read in slices of \(count)")
        }
        guard let end = whole.end else { return }
        try hold(whole.fault == nil, "a body that is complete has no fault")
        try hold(whole.content.count + 3 <= end, "\(whole.content.count) bytes of content come of \(end) bytes")
        for trailer in whole.trailers { try hold(trailer.last == 0x0A, "a trailer line has its end") }
        let again = written(whole)
        var other = Reading(again, sliceByteCount: again.count)
        try holdSame(other.end, again.count, "a body that is written again ends where its bytes end")
        other.end = end
        try holdSame(other, whole, "a body that is written again says the same")
        let cut = Reading(Array(bytes.prefix(end - 1)), sliceByteCount: end)
        try hold(cut.end == nil && cut.fault == nil, "a body that is cut short is not complete")
    }

    private static func written(_ reading: Reading) -> [UInt8] {
        var bytes: [UInt8] = []
        if !reading.content.isEmpty {
            bytes += Array("\(String(reading.content.count, radix: 16))\r\n".utf8) + reading.content + [0x0D, 0x0A]
        }
        return bytes + Array("0\r\n".utf8) + reading.trailers.joined() + [0x0D, 0x0A]
    }
}

/// The result of reading a body.
private struct Reading: Equatable {
    var content: [UInt8] = []
    var trailers: [[UInt8]] = []
    /// The byte count of the body; nil if its end did not arrive.
    var end: Int?
    /// The code of the error; nil without an error.
    var fault: String?

    init(_ bytes: [UInt8], sliceByteCount: Int) {
        var body = ChunkedBody()
        for start in stride(from: 0, to: bytes.count, by: sliceByteCount) where end == nil {
            let slice = bytes[start..<min(start + sliceByteCount, bytes.count)]
            do {
                let left = try slice.withUnsafeBytes { try read($0, &body) }
                if end != nil { end = start + slice.count - left }
            } catch {
                fault = (error as? NetworkingError)?.code.rawValue ?? "\(error)"
                return
            }
        }
    }

    /// - Returns: the number of unread bytes.
    private mutating func read(_ bytes: UnsafeRawBufferPointer, _ body: inout ChunkedBody) throws -> Int {
        var bytes = bytes
        while let part = try body.next(&bytes) {
            switch part {
            case .content(let piece): content += piece
            case .trailer(let line): trailers.append(line)
            case .end: end = 0
            }
        }
        return bytes.count
    }
}
