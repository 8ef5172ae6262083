// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// JSON text in UTF-8 that a stream searches. It skips values, eight bytes of a string at a time, and checks them as
/// strictly as `JSONParser`. It makes no values and no error messages.
struct JSONPathText {
    /// The text is not JSON. `JSONParser.check` finds the reason.
    struct Invalid: Error {}

    let bytes: UnsafeRawBufferPointer
    var position: Int
    /// Whether a string with an escape was skipped since the caller set the property to false.
    var hasEscape = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The next byte; 0 at the end. JSON contains no such byte.
    @inline(__always) var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

    @inline(__always) mutating func skipSpace() {
        while byte <= 0x20, position < bytes.count, isSpace(byte) {
            position += 1
            // Indented text has long lines of spaces.
            while position + 8 <= bytes.count, word(at: position) == 0x2020_2020_2020_2020 { position += 8 }
        }
    }

    @inline(__always) private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    /// Skips white space and then the byte, if it comes next. Returns whether it did.
    @inline(__always) mutating func skip(_ expected: Unicode.Scalar) -> Bool {
        skipSpace()
        guard byte == UInt8(ascii: expected) else { return false }
        position += 1
        return true
    }

    /// Skips white space and then the byte, which must come next.
    @inline(__always) mutating func expect(_ expected: Unicode.Scalar) throws(Invalid) {
        guard skip(expected) else { throw Invalid() }
    }

    /// Skips a value and white space before it.
    ///
    /// - Parameter depth: the number of arrays and objects that contain the value.
    mutating func skipValue(depth: Int) throws(Invalid) {
        skipSpace()
        switch byte {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "{"): try skipObject(depth: depth)
        case UInt8(ascii: "["): try skipArray(depth: depth)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try skipNumber()
        case UInt8(ascii: "t"): try skipLiteral("true")
        case UInt8(ascii: "f"): try skipLiteral("false")
        case UInt8(ascii: "n"): try skipLiteral("null")
        default: throw Invalid()
        }
    }

    /// Skips the beginning of an array or an object. Returns whether it has elements or members.
    mutating func enter(_ closing: Unicode.Scalar, depth: Int) throws(Invalid) -> Bool {
        guard depth < JSONParser.maximumDepth else { throw Invalid() }
        position += 1
        return !skip(closing)
    }

    private mutating func skipArray(depth: Int) throws(Invalid) {
        guard try enter("]", depth: depth) else { return }
        repeat { try skipValue(depth: depth + 1) } while skip(",")
        try expect("]")
    }

    private mutating func skipObject(depth: Int) throws(Invalid) {
        guard try enter("}", depth: depth) else { return }
        repeat {
            try skipName()
            try skipValue(depth: depth + 1)
        } while skip(",")
        try expect("}")
    }

    /// Skips the name of a member and the colon. Returns the range between the quotes.
    @inline(__always) @discardableResult mutating func skipName() throws(Invalid) -> Range<Int> {
        skipSpace()
        guard byte == UInt8(ascii: "\"") else { throw Invalid() }
        let start = position + 1
        try skipString()
        let end = position - 1
        try expect(":")
        return start..<end
    }

    private mutating func skipLiteral(_ word: StaticString) throws(Invalid) {
        let count = word.utf8CodeUnitCount
        guard position + count <= bytes.count,
            bytes[position..<position + count].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: count))
        else { throw Invalid() }
        position += count
    }
}

// MARK: - Numbers

extension JSONPathText {
    private mutating func skipNumber() throws(Invalid) {
        if byte == UInt8(ascii: "-") { position += 1 }
        if byte == UInt8(ascii: "0") {
            position += 1
            if isDigit(byte) { throw Invalid() }
        } else {
            try skipDigits()
        }
        if byte == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if byte | 0x20 == UInt8(ascii: "e") {
            position += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    @inline(__always) private mutating func skipDigits() throws(Invalid) {
        guard isDigit(byte) else { throw Invalid() }
        repeat { position += 1 } while isDigit(byte)
    }

    @inline(__always) private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}

// MARK: - Strings

extension JSONPathText {
    /// Skips a string, from its opening quote on.
    mutating func skipString() throws(Invalid) {
        position += 1
        while true {
            skipPlainText()
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return
            case UInt8(ascii: "\\"): try skipEscape()
            case 0x80...: try skipMultibyteCharacter()
            default: throw Invalid()
            }
        }
    }

    /// Skips ASCII characters that have no meaning in a string.
    @inline(__always) private mutating func skipPlainText() {
        while position + 8 <= bytes.count {
            let found = Self.specialBytes(in: word(at: position))
            guard found == 0 else {
                position += found.trailingZeroBitCount >> 3
                return
            }
            position += 8
        }
        while byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { position += 1 }
    }

    @inline(__always) private func word(at position: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    /// Marks quotes, backslashes, control characters and bytes beyond ASCII with their highest bit. Only the lowest
    /// mark is exact: a subtraction can borrow from higher bytes.
    @inline(__always) private static func specialBytes(in word: UInt64) -> UInt64 {
        let (ones, highBits): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quotes = (word ^ ones &* 0x22) &- ones
        let backslashes = (word ^ ones &* 0x5C) &- ones
        let controls = word &- ones &* 0x20
        return (((quotes | backslashes | controls) & ~word) | word) & highBits
    }

    private mutating func skipEscape() throws(Invalid) {
        hasEscape = true
        position += 2
        guard position <= bytes.count else { throw Invalid() }
        switch bytes[position - 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return
        case UInt8(ascii: "u"):
            let first = try codeUnit()
            guard UTF16.isLeadSurrogate(first) || UTF16.isTrailSurrogate(first) else { return }
            guard UTF16.isLeadSurrogate(first), bytes[position...].starts(with: "\\u".utf8) else { throw Invalid() }
            position += 2
            guard UTF16.isTrailSurrogate(try codeUnit()) else { throw Invalid() }
        default: throw Invalid()
        }
    }

    private mutating func codeUnit() throws(Invalid) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                digit = (byte | 0x20) - UInt8(ascii: "a") + 10
            default: throw Invalid()
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    /// Skips a character beyond ASCII (Unicode Standard, table 3-7).
    private mutating func skipMultibyteCharacter() throws(Invalid) {
        let (first, second) = (byte, position + 1 < bytes.count ? bytes[position + 1] : 0)
        let secondBytes: ClosedRange<UInt8> =
            switch first {
            case 0xE0: 0xA0...0xBF
            case 0xED: 0x80...0x9F
            case 0xF0: 0x90...0xBF
            case 0xF4: 0x80...0x8F
            default: 0x80...0xBF
            }
        let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard (0xC2...0xF4).contains(first), secondBytes.contains(second), position + count <= bytes.count,
            bytes[position + 2..<position + count].allSatisfy({ $0 & 0xC0 == 0x80 })
        else { throw Invalid() }
        position += count
    }
}
