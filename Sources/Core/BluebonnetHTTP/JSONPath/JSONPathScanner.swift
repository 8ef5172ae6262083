// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Reads the smallest parts of a path from its text: names, numbers, strings and blank space. It does not know how
/// they form a path.
struct JSONPathScanner {
    /// The largest magnitude of an index: the integers that every JSON parser keeps exactly (RFC 7493, 2.2).
    private static let maximumIndex = 9_007_199_254_740_991

    let bytes: [UInt8]
    var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ reason: String, at offset: Int? = nil) -> JSONPathError {
        JSONPathError(reason: reason, offset: offset ?? position)
    }

    /// The text of a range. The range must begin and end at characters.
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func isNext(_ token: StaticString) -> Bool {
        bytes[position...].starts(with: UnsafeBufferPointer(start: token.utf8Start, count: token.utf8CodeUnitCount))
    }

    /// Skips the token, if it comes next. Returns whether it did.
    mutating func skip(_ token: StaticString) -> Bool {
        guard isNext(token) else { return false }
        position += token.utf8CodeUnitCount
        return true
    }

    mutating func skipBlank() {
        while let byte = next, Self.isBlank(byte) { position += 1 }
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// Whether a name without quotes may begin with this byte: a letter, `_`, or any character beyond ASCII.
    static func isNameStart(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    /// Reads a name without quotes; nil if none comes next.
    mutating func name() -> String? {
        guard let first = next, Self.isNameStart(first) else { return nil }
        let start = position
        while let byte = next, Self.isNameStart(byte) || Self.isDigit(byte) { position += 1 }
        return text(start..<position)
    }

    /// Reads the name of a function or a literal: lower-case letters, digits and `_`.
    mutating func word() -> String {
        let start = position
        while let byte = next, (0x61...0x7A).contains(byte) || Self.isDigit(byte) || byte == UInt8(ascii: "_") {
            position += 1
        }
        return text(start..<position)
    }
}

// MARK: - Numbers

extension JSONPathScanner {
    var isIntegerNext: Bool { next.map { Self.isDigit($0) || $0 == UInt8(ascii: "-") } ?? false }

    /// Reads an index or a part of a slice.
    mutating func integer() throws(JSONPathError) -> Int {
        let start = position
        try skipInteger(allowsNegativeZero: false)
        guard let number = Int(text(start..<position)), number.magnitude <= UInt(Self.maximumIndex) else {
            throw error("an index is at most \(Self.maximumIndex) and at least -\(Self.maximumIndex)", at: start)
        }
        return number
    }

    /// Reads a number of a filter.
    mutating func number() throws(JSONPathError) -> JSONValue {
        let start = position
        try skipInteger(allowsNegativeZero: true)
        let isWhole = try !skipFraction()
        let text = text(start..<position)
        // Swift has no integer "-0".
        if isWhole, text != "-0", let integer = Int64(text) { return .integer(integer) }
        return .number(JSONNumber(checked: text))
    }

    private mutating func skipInteger(allowsNegativeZero: Bool) throws(JSONPathError) {
        let start = position
        let isNegative = skip("-")
        let digits = position
        try skipDigits()
        guard bytes[digits] == UInt8(ascii: "0") else { return }
        if position > digits + 1 { throw error("a number has no leading zeros", at: start) }
        if isNegative, !allowsNegativeZero { throw error("-0 is not an index: use 0", at: start) }
    }

    /// Skips fraction and exponent. Returns false if there is neither.
    private mutating func skipFraction() throws(JSONPathError) -> Bool {
        let start = position
        if skip(".") { try skipDigits() }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            try skipDigits()
        }
        return position > start
    }

    private mutating func skipDigits() throws(JSONPathError) {
        guard let byte = next, Self.isDigit(byte) else { throw error("a digit is expected") }
        while let byte = next, Self.isDigit(byte) { position += 1 }
    }
}

// MARK: - Strings

extension JSONPathScanner {
    /// Reads a string in single or double quotes.
    mutating func string() throws(JSONPathError) -> String {
        let opening = position
        let quote = bytes[position]
        position += 1
        var content: [UInt8] = []
        while let byte = next, byte != quote {
            position += 1
            if byte < 0x20 { throw error("a control character in a string is written as \\u00…", at: position - 1) }
            if byte == UInt8(ascii: "\\") {
                try appendEscape(quote: quote, to: &content)
            } else {
                content.append(byte)
            }
        }
        guard next == quote else { throw error("the string is not closed", at: opening) }
        position += 1
        return String(decoding: content, as: UTF8.self)
    }

    private mutating func appendEscape(quote: UInt8, to content: inout [UInt8]) throws(JSONPathError) {
        let start = position - 1
        guard let byte = next else { throw error("the string is not closed") }
        position += 1
        switch byte {
        case quote, UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"): content += String(try scalar(openingAt: start)).utf8
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            throw error("only the quote that encloses the string is escaped", at: start)
        default: throw error("unknown escape: a backslash is written as \\\\", at: start)
        }
    }

    /// Reads the character of a `\u` escape, or of two escapes that form a surrogate pair.
    private mutating func scalar(openingAt start: Int) throws(JSONPathError) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), skip("\\u") else { throw error("half a surrogate pair", at: start) }
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(second) else { throw error("half a surrogate pair", at: start) }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private mutating func codeUnit() throws(JSONPathError) -> UInt16 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
            let value = UInt16(text(position..<position + 4), radix: 16)
        else { throw error("four hexadecimal digits are expected") }
        position += 4
        return value
    }
}
