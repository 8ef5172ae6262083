// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Strings: plain text is read as one slice, escapes one by one.
extension JSONParser {
    package mutating func string() throws(JSONSyntaxError) -> String {
        let opening = position
        position += 1
        let isASCII = skipPlainText()
        guard next == UInt8(ascii: "\"") else { return try escapedString(openingAt: opening) }
        position += 1
        let content = bytes[opening + 1..<position - 1]
        if isASCII { return makesValues ? String(decoding: content, as: UTF8.self) : "" }
        return try text(content, openingAt: opening)
    }

    /// Parses a string with escapes, from its first escape on.
    private mutating func escapedString(openingAt opening: Int) throws(JSONSyntaxError) -> String {
        var content = Array(bytes[opening + 1..<position])
        while next != UInt8(ascii: "\"") {
            guard let byte = next else { throw error("the text ends in a string") }
            guard byte == UInt8(ascii: "\\") else { throw error("a string contains a control character") }
            try appendEscape(to: &content)
            let start = position
            skipPlainText()
            content += bytes[start..<position]
        }
        position += 1
        return try text(content, openingAt: opening)
    }

    /// - Returns: whether the skipped text is ASCII.
    @discardableResult private mutating func skipPlainText() -> Bool {
        var union: UInt8 = 0
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
            union |= byte
            position += 1
        }
        return union < 0x80
    }

    private func text(_ content: some Collection<UInt8>, openingAt opening: Int) throws(JSONSyntaxError) -> String {
        guard let text = String(validating: content, as: UTF8.self) else {
            throw JSONSyntaxError(reason: "a string is not UTF-8", offset: opening)
        }
        return text
    }

    private mutating func appendEscape(to content: inout [UInt8]) throws(JSONSyntaxError) {
        position += 1
        guard let byte = next else { throw error("the text ends in a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"): content += String(try isLenient ? lenientScalar() : scalar()).utf8
        default:
            position -= 1
            throw error("a string contains an unknown escape")
        }
    }

    /// Parses the character of a `\u` escape, or of two escapes that form a surrogate pair.
    private mutating func scalar() throws(JSONSyntaxError) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let isPair = UTF16.isLeadSurrogate(first) && bytes[position...].starts(with: "\\u".utf8)
        guard isPair else { throw error("a string contains half a surrogate pair") }
        position += 2
        let second = try codeUnit()
        guard UTF16.isTrailSurrogate(second) else { throw error("a string contains half a surrogate pair") }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    /// Parses the character of a `\u` escape; U+FFFD for half a surrogate pair.
    private mutating func lenientScalar() throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = position
        do throws(JSONSyntaxError) {
            return try scalar()
        } catch {
            position = start
            return Unicode.Scalar(try codeUnit()) ?? "\u{FFFD}"
        }
    }

    private mutating func codeUnit() throws(JSONSyntaxError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else {
                throw error("four hexadecimal digits are expected")
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}
