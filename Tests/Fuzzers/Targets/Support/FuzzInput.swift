// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The bytes of one input, consumed from the front. Inputs stay readable: most targets read lines.
struct FuzzInput {
    /// The bytes that have not been consumed.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    /// The next byte; 0 at the end.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number below `bound`, from one byte.
    mutating func number(below bound: Int) -> Int { Int(byte()) % bound }

    /// The bytes up to the next line feed. The line feed is consumed too.
    mutating func line() -> ArraySlice<UInt8> {
        let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
        defer { rest = rest[min(end + 1, rest.endIndex)...] }
        return rest[..<end]
    }

    /// The next line as text. Invalid UTF-8 is repaired.
    mutating func text() -> String { String(decoding: line(), as: UTF8.self) }

    /// The rest as text.
    var remainder: String { String(decoding: rest, as: UTF8.self) }

    /// All remaining lines, without their line ends.
    var lines: [ArraySlice<UInt8>] { rest.split(separator: 0x0A, omittingEmptySubsequences: false) }
}
