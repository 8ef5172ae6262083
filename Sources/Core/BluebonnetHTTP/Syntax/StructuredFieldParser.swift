// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Parses Structured Fields as RFC 9651, 4.2 prescribes: a field with any error has no value.
struct StructuredFieldParser {
    private typealias BareItem = StructuredField.BareItem

    private let bytes: [UInt8]
    private var place = 0

    init(_ lines: [String]) { bytes = Array(lines.joined(separator: ", ").utf8) }

    // MARK: - Lists and dictionaries

    mutating func wholeList() -> [StructuredField.Member]? {
        skipSpaces()
        var members: [StructuredField.Member] = []
        while !isAtEnd {
            guard let member = member() else { return nil }
            members.append(member)
            guard let isLast = separator() else { return nil }
            if isLast { break }
        }
        return members
    }

    mutating func wholeDictionary() -> [String: StructuredField.Member]? {
        skipSpaces()
        var members: [String: StructuredField.Member] = [:]
        while !isAtEnd {
            guard let key = key() else { return nil }
            if accept("=") {
                guard let member = member() else { return nil }
                members[key] = member
            } else {
                guard let parameters = parameters() else { return nil }
                members[key] = .item(StructuredField.Item(.boolean(true), parameters: parameters))
            }
            guard let isLast = separator() else { return nil }
            if isLast { break }
        }
        return members
    }

    /// Skips the comma after a member. Returns whether the member was the last; nil if neither a comma nor the end
    /// follows, or nothing follows the comma.
    private mutating func separator() -> Bool? {
        skipBlanks()
        if isAtEnd { return true }
        guard accept(",") else { return nil }
        skipBlanks()
        return isAtEnd ? nil : false
    }

    private mutating func member() -> StructuredField.Member? {
        peek == UInt8(ascii: "(") ? innerList() : item().map(StructuredField.Member.item)
    }

    private mutating func innerList() -> StructuredField.Member? {
        guard accept("(") else { return nil }
        var items: [StructuredField.Item] = []
        while !isAtEnd {
            skipSpaces()
            if accept(")") { return parameters().map { .innerList(items, parameters: $0) } }
            guard let item = item(), peek == 0x20 || peek == UInt8(ascii: ")") else { return nil }
            items.append(item)
        }
        return nil
    }

    private mutating func item() -> StructuredField.Item? {
        guard let value = bareItem(), let parameters = parameters() else { return nil }
        return StructuredField.Item(value, parameters: parameters)
    }

    private mutating func parameters() -> [String: BareItem]? {
        var parameters: [String: BareItem] = [:]
        while accept(";") {
            skipSpaces()
            guard let key = key() else { return nil }
            guard accept("=") else {
                parameters[key] = .boolean(true)
                continue
            }
            guard let value = bareItem() else { return nil }
            parameters[key] = value
        }
        return parameters
    }

    private mutating func key() -> String? {
        guard let first = peek, Self.isLower(first) || first == UInt8(ascii: "*") else { return nil }
        return text { Self.isLower($0) || Self.isDigit($0) || "_-.*".utf8.contains($0) }
    }

    // MARK: - Items

    private mutating func bareItem() -> BareItem? {
        guard let first = peek else { return nil }
        switch first {
        case UInt8(ascii: "-"), 0x30...0x39: return number()
        case UInt8(ascii: "\""): return string().map(BareItem.string)
        case UInt8(ascii: ":"): return byteSequence().map(BareItem.bytes)
        case UInt8(ascii: "?"): return boolean().map(BareItem.boolean)
        case UInt8(ascii: "@"): return date()
        case UInt8(ascii: "%"): return displayString().map(BareItem.displayString)
        default:
            guard StructuredField.isAlpha(first) || first == UInt8(ascii: "*") else { return nil }
            return .token(text(StructuredField.isTokenByte))
        }
    }

    private mutating func number() -> BareItem? {
        let isNegative = accept("-")
        let digits = text(Self.isDigit)
        guard !digits.isEmpty, digits.utf8.count <= 15 else { return nil }
        guard accept(".") else { return Int64(digits).map { .integer(isNegative ? -$0 : $0) } }
        let fraction = text(Self.isDigit)
        guard digits.utf8.count <= 12, (1...3).contains(fraction.utf8.count) else { return nil }
        return Double("\(digits).\(fraction)").map { .decimal(isNegative ? -$0 : $0) }
    }

    private mutating func date() -> BareItem? {
        guard accept("@"), case .integer(let seconds)? = number() else { return nil }
        return .date(seconds)
    }

    private mutating func boolean() -> Bool? {
        guard accept("?") else { return nil }
        return accept("1") ? true : accept("0") ? false : nil
    }

    private mutating func string() -> String? {
        guard accept("\"") else { return nil }
        var content: [UInt8] = []
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = next(), escaped == byte || escaped == UInt8(ascii: "\"") else { return nil }
                content.append(escaped)
            case 0x20...0x7E: content.append(byte)
            default: return nil
            }
        }
        return nil
    }

    private mutating func byteSequence() -> [UInt8]? {
        guard accept(":") else { return nil }
        let encoded = text { $0 != UInt8(ascii: ":") }
        guard accept(":"), let data = Data(base64Encoded: encoded) else { return nil }
        return Array(data)
    }

    private mutating func displayString() -> String? {
        guard accept("%"), accept("\"") else { return nil }
        let encoded = text { $0 != UInt8(ascii: "\"") && (0x20...0x7E).contains($0) }
        let hasCapitals = encoded.utf8.split(separator: UInt8(ascii: "%")).dropFirst().contains { escape in
            escape.prefix(2).contains { (0x41...0x46).contains($0) }
        }
        guard accept("\""), !hasCapitals, let bytes = PercentText.bytes(encoded.utf8) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    // MARK: - Bytes

    private var isAtEnd: Bool { place == bytes.count }
    private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func next() -> UInt8? {
        guard place < bytes.count else { return nil }
        defer { place += 1 }
        return bytes[place]
    }

    private mutating func accept(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func text(_ belongs: (UInt8) -> Bool) -> String {
        let start = place
        while let byte = peek, belongs(byte) { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func skipSpaces() { while peek == 0x20 { place += 1 } }
    private mutating func skipBlanks() { while peek == 0x20 || peek == 0x09 { place += 1 } }

    private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
