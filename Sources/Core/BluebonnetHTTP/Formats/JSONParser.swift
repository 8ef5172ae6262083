// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Parses JSON text in UTF-8 (RFC 8259) strictly: no comments, no trailing commas, no lone surrogates.
///
/// If two members have the same name, the later member counts. Numbers keep their text, however large they are. On
/// Linux, `JSONSerialization` accepts trailing commas, rounds some numbers through a decimal type and is many times
/// slower.
package struct JSONParser {
    /// The maximum nesting depth of arrays and objects. Deeper text is refused before the stack overflows.
    package static let maximumDepth = 512

    package let bytes: UnsafeRawBufferPointer
    /// Whether values are made from the text. If not, the methods return empty values.
    private(set) var makesValues: Bool
    /// Whether the parser skips half a surrogate pair, NaN and Infinity, which are not JSON.
    private(set) var isLenient = false
    package var position = 0
    private var depth = 0
    private var hasRepeatedName = false

    private init(_ bytes: UnsafeRawBufferPointer, makesValues: Bool) {
        self.bytes = bytes
        self.makesValues = makesValues
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    private init(_ bytes: UnsafeRawBufferPointer, position: Int, depth: Int) {
        self.bytes = bytes
        makesValues = true
        self.position = position
        self.depth = depth
    }

    /// Parses the value that is the whole text. A byte order mark may precede the value.
    package static func value(of text: UnsafeRawBufferPointer) throws(JSONSyntaxError) -> JSONValue {
        try parse(text).value
    }

    /// Parses a text, and reports whether any object in it has two members with the same name.
    package static func parse(
        _ text: UnsafeRawBufferPointer
    ) throws(JSONSyntaxError) -> (value: JSONValue, hasRepeatedName: Bool) {
        var parser = JSONParser(text, makesValues: true)
        return (try parser.wholeText(), parser.hasRepeatedName)
    }

    /// Throws the errors of `value(of:)`, but makes no values.
    package static func check(_ text: UnsafeRawBufferPointer) throws(JSONSyntaxError) {
        var parser = JSONParser(text, makesValues: false)
        _ = try parser.wholeText()
    }

    /// Parses a value that is a part of a text, and moves the position to the end of the value. White space may precede
    /// the value.
    ///
    /// - Parameter depth: the number of arrays and objects that contain the value.
    package static func value(
        at position: inout Int, in text: UnsafeRawBufferPointer, depth: Int
    ) throws(JSONSyntaxError) -> JSONValue {
        var parser = JSONParser(text, position: position, depth: depth)
        let value = try parser.value()
        position = parser.position
        return value
    }

    private mutating func wholeText() throws(JSONSyntaxError) -> JSONValue {
        let value = try value()
        skipSpace()
        if next != nil { throw error("more text after the value") }
        return value
    }

    package var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    package func error(_ reason: String) -> JSONSyntaxError { JSONSyntaxError(reason: reason, offset: position) }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Skips white space and then the byte, if it comes next. Returns whether it did.
    private mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(JSONSyntaxError) -> JSONValue {
        skipSpace()
        guard let next else { throw error("the text ends where a value is expected") }
        switch next {
        case UInt8(ascii: "{"): return try nested { (parser) throws(JSONSyntaxError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { (parser) throws(JSONSyntaxError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "N") where isLenient: return try literal("NaN", .null)
        case UInt8(ascii: "I") where isLenient: return try literal("Infinity", .null)
        default: throw error("unexpected character")
        }
    }

    private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
        guard bytes[position...].starts(with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        else { throw error("unexpected character") }
        position += word.utf8CodeUnitCount
        return value
    }
}

// MARK: - One value of a text

extension JSONParser {
    /// Finds a value in a text whose other parts may not be JSON: half a surrogate pair, NaN and Infinity are skipped.
    ///
    /// - Parameter path: names of members, and indices of elements.
    /// - Returns: the range of the value, including white space before it; nil if the path leads to no value.
    /// - Throws: the error that makes the text unreadable.
    package static func range(
        of path: [String], in text: UnsafeRawBufferPointer
    ) throws(JSONSyntaxError) -> Range<Int>? {
        var parser = JSONParser(text, makesValues: false)
        parser.isLenient = true
        _ = try parser.wholeText()
        parser.position = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        for name in path {
            guard let place = try parser.place(ofPart: name) else { return nil }
            parser.position = place
        }
        let start = parser.position
        _ = try parser.value()
        return start..<parser.position
    }

    /// Returns where a member or an element of the current value begins. If two members have the same name, the later
    /// member counts.
    private mutating func place(ofPart name: String) throws(JSONSyntaxError) -> Int? {
        if skip(UInt8(ascii: "{")) { return try place(ofMember: name) }
        guard skip(UInt8(ascii: "[")), let wanted = Int(name), String(wanted) == name, wanted >= 0 else { return nil }
        if skip(UInt8(ascii: "]")) { return nil }
        var index = 0
        while index < wanted {
            _ = try value()
            guard skip(UInt8(ascii: ",")) else { return nil }
            index += 1
        }
        return position
    }

    private mutating func place(ofMember name: String) throws(JSONSyntaxError) -> Int? {
        var place: Int?
        if skip(UInt8(ascii: "}")) { return nil }
        repeat {
            skipSpace()
            makesValues = true
            let found = try string()
            makesValues = false
            guard skip(UInt8(ascii: ":")) else { throw error("a colon is expected") }
            if FieldSyntax.isSameText(found, name) { place = position }
            _ = try value()
        } while skip(UInt8(ascii: ","))
        return place
    }
}

// MARK: - Arrays and objects

extension JSONParser {
    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONSyntaxError) -> JSONValue
    ) throws(JSONSyntaxError) -> JSONValue {
        guard depth < Self.maximumDepth else { throw error("more than \(Self.maximumDepth) nested arrays and objects") }
        depth += 1
        position += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func array() throws(JSONSyntaxError) -> JSONValue {
        var elements: [JSONValue] = []
        if skip(UInt8(ascii: "]")) { return .array(elements) }
        repeat {
            let element = try value()
            if makesValues { elements.append(element) }
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { throw error("a comma or the end of the array is expected") }
        return .array(elements)
    }

    private mutating func object() throws(JSONSyntaxError) -> JSONValue {
        var members = JSONObject()
        if skip(UInt8(ascii: "}")) { return .object(members) }
        if makesValues { members.reserveCapacity(3) }  // without it, most would reallocate at their second member
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("a member's name is expected") }
            let name = try string()
            guard skip(UInt8(ascii: ":")) else { throw error("a colon is expected") }
            let member = try value()
            if makesValues, members.updateValue(member, forKey: name) != nil { hasRepeatedName = true }
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "}")) else { throw error("a comma or the end of the object is expected") }
        return .object(members)
    }
}

// MARK: - Numbers

extension JSONParser {
    private mutating func number() throws(JSONSyntaxError) -> JSONValue {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        if isLenient, next == UInt8(ascii: "I") { return try literal("Infinity", .null) }
        if next == UInt8(ascii: "0") {
            position += 1
            if isDigit(next) { throw error("a number starts with a zero") }
        } else {
            try skipDigits()
        }
        let isWhole = try !skipFraction()
        guard makesValues else { return .null }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        // Swift has no integer "-0": an integer would lose the sign.
        let isNegativeZero = bytes[start] == UInt8(ascii: "-") && bytes[start + 1] == UInt8(ascii: "0")
        if isWhole, !isNegativeZero, let integer = Int64(text) { return .integer(integer) }
        return .number(JSONNumber(checked: text))
    }

    /// Skips fraction and exponent. Returns false if there is neither.
    private mutating func skipFraction() throws(JSONSyntaxError) -> Bool {
        let start = position
        if next == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
        return position > start
    }

    private mutating func skipDigits() throws(JSONSyntaxError) {
        guard isDigit(next) else { throw error("a digit is expected") }
        while isDigit(next) { position += 1 }
    }

    private func isDigit(_ byte: UInt8?) -> Bool {
        byte.map { (0x30...0x39).contains($0) } ?? false
    }
}
