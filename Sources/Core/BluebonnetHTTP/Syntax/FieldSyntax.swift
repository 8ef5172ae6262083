// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What RFC 9110 (5.1, 5.5, 5.6.2) allows in methods, field names and field values; it knows bytes, not meanings.
package enum FieldSyntax {
    /// Whether a method or a field name may be made of this byte.
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        byte < 0x80 && ((byte < 0x40 ? lowTokenBytes : highTokenBytes) &>> UInt64(byte & 0x3F)) & 1 == 1
    }

    /// A bit for each byte below 64 and for each from 64 to 127: the digits and ! # $ % & ' * + - . among the ones, the
    /// letters and ^ _ ` | ~ among the others.
    private static let lowTokenBytes: UInt64 = 0x03FF_6CFA_0000_0000
    private static let highTokenBytes: UInt64 = 0x57FF_FFFF_C7FF_FFFE

    /// Whether these bytes are a token: at least one, and only token bytes.
    package static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        let isToken = bytes.withContiguousStorageIfAvailable { !$0.isEmpty && $0.allSatisfy(isTokenByte) }
        return isToken ?? (!bytes.isEmpty && bytes.allSatisfy(isTokenByte))
    }

    /// The first byte that a value must not contain.
    package static func forbiddenByte(inValue bytes: some Collection<UInt8>) -> UInt8? {
        let byte = bytes.withContiguousStorageIfAvailable { $0.first(where: isForbiddenInValue) }
        return byte ?? bytes.first(where: isForbiddenInValue)
    }

    /// Whether a value must not contain this byte: every control but the horizontal tab.
    package static func isForbiddenInValue(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != 0x09) || byte == 0x7F
    }

    /// Whether these bytes are digits, and at least one.
    package static func isNumber(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// The bytes without spaces and tabs around them.
    package static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return bytes.prefix(0) }
        return bytes[...last].drop(while: isSpace)
    }

    /// Whether a field's value is nothing but spaces and tabs, which is sent as an empty one (RFC 9110, 5.5).
    package static func isBlank(_ value: String) -> Bool { value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } }

    /// Whether two field names are the same; ASCII letters are compared without regard to case.
    package static func isSameName(_ first: String, _ second: String) -> Bool {
        guard first.utf8.count == second.utf8.count else { return false }
        var (first, second) = (first, second)
        return first.withUTF8 { first in second.withUTF8 { second in isSameName(first, second) } }
    }

    /// Whether two texts have the same bytes; Swift also takes texts for equal that only look alike.
    package static func isSameText(_ first: String, _ second: String) -> Bool {
        guard first.utf8.count == second.utf8.count else { return false }
        var (first, second) = (first, second)
        return first.withUTF8 { first in second.withUTF8 { second in first.elementsEqual(second) } }
    }

    /// Whether two field names of equal length are the same, given as bytes; ASCII letters are compared without regard
    /// to case.
    package static func isSameName(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in first.indices where first[index] != second[index] {  // most bytes are the same
            guard lowercase(first[index]) == lowercase(second[index]) else { return false }
        }
        return true
    }

    /// Whether a field name begins with these bytes, which are given in lower case.
    package static func begins(_ name: String, with prefix: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        return name.utf8.count >= wanted.count && zip(name.utf8, wanted).allSatisfy { lowercase($0) == $1 }
    }

    /// Whether a line of a header section is a field of that name, which is given in lower case.
    package static func hasName(_ name: StaticString, line: UnsafeRawBufferPointer) -> Bool {
        let count = name.utf8CodeUnitCount
        guard line.count > count, line[count] == UInt8(ascii: ":") else { return false }
        let wanted = UnsafeBufferPointer(start: name.utf8Start, count: count)
        return zip(line, wanted).allSatisfy { lowercase($0) == $1 }
    }

    /// The lower-case letter for an ASCII capital; any other byte as it is.
    package static func lowercase(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    /// How a message names a control character, which must not be printed as it is.
    package static func name(ofControl byte: UInt8) -> String {
        switch byte {
        case 0x00: "a NUL"
        case 0x0A: "a line feed"
        case 0x0D: "a carriage return"
        default: "the control character 0x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }

    /// Text for a message: without control characters, and of a limited length.
    ///
    /// - Parameter control: the replacement of a control character.
    package static func visible(_ text: String, limit: Int = 80, control: Unicode.Scalar = "\u{FFFD}") -> String {
        let scalars = text.unicodeScalars.prefix(limit).map { $0.value < 0x20 || $0.value == 0x7F ? control : $0 }
        return String(String.UnicodeScalarView(scalars)) + (text.unicodeScalars.count > limit ? "…" : "")
    }
}
