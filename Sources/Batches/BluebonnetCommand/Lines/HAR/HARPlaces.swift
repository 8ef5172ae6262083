// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Finds the lines in which the entries of a HAR file begin, for error messages. A parsed value does not know its
/// place.
struct HARPlaces {
    private var line = 1
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var string: [UInt8] = []
    /// The latest string in the root and in its members: before a container, its name.
    private var names: [Int: [UInt8]] = [:]
    private var isInEntries = false
    /// The numbers of the lines, from 1.
    private(set) var lines: [Int] = []

    /// - Parameters:
    ///   - data: a valid JSON text.
    ///   - count: the number of entries in it.
    init(_ data: Data, count: Int) {
        for byte in data { read(byte) }
        lines = Array(lines.prefix(count))
        while lines.count < count { lines.append(lines.last ?? 1) }
    }

    private mutating func read(_ byte: UInt8) {
        if byte == UInt8(ascii: "\n") { line += 1 }
        guard !isInString else { return readString(byte) }
        switch byte {
        case UInt8(ascii: "\""): (isInString, string) = (true, [])
        case UInt8(ascii: "{"):
            depth += 1
            if depth == 4, isInEntries { lines.append(line) }
        case UInt8(ascii: "["):
            depth += 1
            if depth == 3 { isInEntries = names[1] == Array("log".utf8) && names[2] == Array("entries".utf8) }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth < 3 { isInEntries = false }
        default: break
        }
    }

    private mutating func readString(_ byte: UInt8) {
        if byte == UInt8(ascii: "\""), !isEscaped {
            isInString = false
            if depth < 3 { names[depth] = string }
        } else if depth < 3 {
            string.append(byte)
        }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
}
