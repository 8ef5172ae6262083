// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The bytes of a shell script: reads quoted texts and escapes, and counts lines.
struct ShellInput {
    /// The advice for a command substitution.
    static let substitution = "a command substitution: write the text that the command prints"

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    /// The line of the byte that `next()` returned last.
    private(set) var tokenLine = 1

    /// A byte order mark at the start is skipped.
    init(_ bytes: [UInt8]) {
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        self.bytes = hasMark ? Array(bytes.dropFirst(3)) : bytes
    }

    /// The next byte. CR LF outside of quotation marks is one line feed.
    var peek: UInt8? {
        guard position < bytes.count else { return nil }
        let isLineEnd = bytes[position] == UInt8(ascii: "\r") && bytes[position...].dropFirst().first == 0x0A
        return isLineEnd ? UInt8(ascii: "\n") : bytes[position]
    }

    /// Consumes the next byte outside of quotation marks.
    mutating func next() -> UInt8? {
        tokenLine = line
        guard let byte = peek else { return nil }
        if byte != bytes[position] { position += 1 }
        return consumeByte()
    }

    func error(_ message: String) -> ConversionError { ConversionError(line: tokenLine, message) }

    mutating func skipToLineEnd() {
        while let byte = peek, byte != UInt8(ascii: "\n") { _ = consumeByte() }
    }

    /// Consumes one byte as it is.
    private mutating func consumeByte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        if bytes[position] == UInt8(ascii: "\n") { line += 1 }
        return bytes[position]
    }
}

// MARK: - Quoted texts

extension ShellInput {
    private static let unclosed = "a quotation mark that is never closed"

    /// Consumes the rest of a text in single quotes.
    mutating func singleQuoted() throws(ConversionError) -> [UInt8] {
        var text: [UInt8] = []
        while let byte = consumeByte() {
            if byte == UInt8(ascii: "'") { return text }
            text.append(byte)
        }
        throw error(Self.unclosed)
    }

    /// Consumes the rest of a text in double quotes.
    mutating func doubleQuoted() throws(ConversionError) -> [UInt8] {
        var text: [UInt8] = []
        while let byte = consumeByte() {
            switch byte {
            case UInt8(ascii: "\""): return text
            case UInt8(ascii: "`"): throw error(Self.substitution)
            case UInt8(ascii: "$"):
                try refuseExpansion()
                text.append(byte)
            case UInt8(ascii: "\\"):
                guard let next = peek, "$`\"\\\n".utf8.contains(next) else {
                    text.append(byte)
                    continue
                }
                if let escaped = escaped() { text += escaped }
            default: text.append(byte)
            }
        }
        throw error(Self.unclosed)
    }

    /// Consumes the byte after a backslash outside of single quotes; nil for a line end, which continues the line.
    mutating func escaped() -> [UInt8]? {
        guard let byte = peek else { return [UInt8(ascii: "\\")] }
        if byte == UInt8(ascii: "\n"), bytes[position] != byte { position += 1 }
        _ = consumeByte()
        return byte == UInt8(ascii: "\n") ? nil : [byte]
    }

    /// Consumes what follows a dollar sign outside of quotation marks.
    mutating func dollar() throws(ConversionError) -> [UInt8] {
        guard peek == UInt8(ascii: "'") else {
            if peek == UInt8(ascii: "\"") { throw error("$\"…\" is translated by the shell: remove the dollar sign") }
            try refuseExpansion()
            return [UInt8(ascii: "$")]
        }
        _ = consumeByte()
        var text: [UInt8] = []
        while let byte = consumeByte() {
            switch byte {
            case UInt8(ascii: "'"): return text
            case UInt8(ascii: "\\"): text += try escapeOfC()
            default: text.append(byte)
            }
        }
        throw error(Self.unclosed)
    }

    /// Throws an error if a dollar sign begins something that the shell replaces.
    private func refuseExpansion() throws(ConversionError) {
        guard let next = peek else { return }
        if next == UInt8(ascii: "(") { throw error(Self.substitution) }
        let isName = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") }
        guard isName(next) || (0x30...0x39).contains(next) || "{@*#?$!-".utf8.contains(next) else { return }
        let name = bytes[position...].drop { $0 == UInt8(ascii: "{") }
            .prefix { isName($0) || (0x30...0x39).contains($0) }
        let shown = name.isEmpty ? "" : " " + String(decoding: name, as: UTF8.self)
        throw error(
            "the shell variable\(shown) is not known: write its value, or use single quotes and write "
                + "${env:NAME} in the request line")
    }
}

// MARK: - Escapes of $'…'

extension ShellInput {
    private static let controls: [UInt8: UInt8] = [
        UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "e"): 0x1B, UInt8(ascii: "E"): 0x1B,
        UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
        UInt8(ascii: "v"): 0x0B,
    ]

    /// Consumes the rest of an escape. An unknown escape stays as it is.
    private mutating func escapeOfC() throws(ConversionError) -> [UInt8] {
        guard let byte = consumeByte() else { throw error(Self.unclosed) }
        if let control = Self.controls[byte] { return [control] }
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "?"): return [byte]
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            position -= 1
            return [UInt8(truncatingIfNeeded: number(radix: 8, count: 3) ?? 0)]
        case UInt8(ascii: "x"):
            return number(radix: 16, count: 2).map { [UInt8(truncatingIfNeeded: $0)] } ?? [0x5C, byte]
        case UInt8(ascii: "u"): return try scalar(digitCount: 4) ?? [0x5C, byte]
        case UInt8(ascii: "U"): return try scalar(digitCount: 8) ?? [0x5C, byte]
        case UInt8(ascii: "c"):
            guard let letter = consumeByte() else { throw error(Self.unclosed) }
            return [letter & 0x1F]
        default: return [0x5C, byte]
        }
    }

    /// Consumes up to `count` digits; nil without a digit.
    private mutating func number(radix: Int, count: Int) -> Int? {
        let digits = bytes[position...].prefix(count).prefix {
            $0 < 0x80 && Int(String(UnicodeScalar($0)), radix: radix) != nil
        }
        position += digits.count
        return Int(String(decoding: digits, as: UTF8.self), radix: radix)
    }

    /// Consumes the digits of a character. Two halves of a surrogate pair, as browsers write them, are one character.
    private mutating func scalar(digitCount: Int) throws(ConversionError) -> [UInt8]? {
        guard let first = number(radix: 16, count: digitCount) else { return nil }
        if let scalar = UInt32(exactly: first).flatMap(Unicode.Scalar.init) { return Array(String(scalar).utf8) }
        let start = position
        position += 2
        if (0xD800..<0xDC00).contains(first), bytes[start...].starts(with: "\\u".utf8),
            let second = number(radix: 16, count: 4), (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(UInt32(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)))
        {
            return Array(String(scalar).utf8)
        }
        throw error("an escape is not a character: \\u\(String(first, radix: 16))")
    }
}
