// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Checks the syntax that RFC 9110 (5.1, 5.5, 5.6.2) permits in methods, field names and field values. It checks bytes,
/// not their meaning.
package enum FieldSyntax {
    /// Returns whether a method or a field name may contain this byte.
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        byte < 0x80 && ((byte < 0x40 ? lowTokenBytes : highTokenBytes) &>> UInt64(byte & 0x3F)) & 1 == 1
    }

    /// One bit for each token byte: `lowTokenBytes` for the bytes below 64 (the digits and ! # $ % & ' * + - .), and
    /// `highTokenBytes` for the bytes from 64 to 127 (the letters and ^ _ ` | ~).
    private static let lowTokenBytes: UInt64 = 0x03FF_6CFA_0000_0000
    private static let highTokenBytes: UInt64 = 0x57FF_FFFF_C7FF_FFFE

    /// Returns whether the bytes are a token: at least one byte, and only token bytes.
    package static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        let isToken = bytes.withContiguousStorageIfAvailable { !$0.isEmpty && $0.allSatisfy(isTokenByte) }
        return isToken ?? (!bytes.isEmpty && bytes.allSatisfy(isTokenByte))
    }

    /// Returns the first byte that a value must not contain.
    package static func forbiddenByte(inValue bytes: some Collection<UInt8>) -> UInt8? {
        let byte = bytes.withContiguousStorageIfAvailable { $0.first(where: isForbiddenInValue) }
        return byte ?? bytes.first(where: isForbiddenInValue)
    }

    /// Returns whether a value must not contain this byte: every control character except the horizontal tab.
    package static func isForbiddenInValue(_ byte: UInt8) -> Bool {
        (byte < 0x20 && byte != 0x09) || byte == 0x7F
    }

    /// Returns whether the bytes are digits, and at least one.
    package static func isNumber(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns the bytes without leading and trailing spaces and tabs.
    package static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return bytes.prefix(0) }
        return bytes[...last].drop(while: isSpace)
    }

    /// Returns whether a field value consists of spaces and tabs only. Such a value is sent as an empty value
    /// (RFC 9110, 5.5).
    package static func isBlank(_ value: String) -> Bool { value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } }

    /// Returns whether two field names are the same, ignoring the case of ASCII letters.
    package static func isSameName(_ first: String, _ second: String) -> Bool {
        guard first.utf8.count == second.utf8.count else { return false }
        var (first, second) = (first, second)
        return first.withUTF8 { first in second.withUTF8 { second in isSameName(first, second) } }
    }

    /// Returns whether two texts have the same bytes. Swift's `==` also accepts texts that only look alike.
    package static func isSameText(_ first: String, _ second: String) -> Bool {
        guard first.utf8.count == second.utf8.count else { return false }
        var (first, second) = (first, second)
        return first.withUTF8 { first in second.withUTF8 { second in first.elementsEqual(second) } }
    }

    /// Returns whether two field names of equal length, given as bytes, are the same, ignoring the case of ASCII
    /// letters.
    package static func isSameName(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in first.indices where first[index] != second[index] {  // most bytes are the same
            guard lowercase(first[index]) == lowercase(second[index]) else { return false }
        }
        return true
    }

    /// Returns whether a field name begins with these bytes, which must be in lower case.
    package static func begins(_ name: String, with prefix: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
        return name.utf8.count >= wanted.count && zip(name.utf8, wanted).allSatisfy { lowercase($0) == $1 }
    }

    /// Returns whether a line of a header section is a field of that name, which must be in lower case.
    package static func hasName(_ name: StaticString, line: UnsafeRawBufferPointer) -> Bool {
        let count = name.utf8CodeUnitCount
        guard line.count > count, line[count] == UInt8(ascii: ":") else { return false }
        let wanted = UnsafeBufferPointer(start: name.utf8Start, count: count)
        return zip(line, wanted).allSatisfy { lowercase($0) == $1 }
    }

    /// Returns the lower-case letter for an upper-case ASCII letter, and any other byte unchanged.
    package static func lowercase(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    /// Returns the name of a control character for messages, which must not contain the character itself.
    package static func name(ofControl byte: UInt8) -> String {
        switch byte {
        case 0x00: "a NUL"
        case 0x0A: "a line feed"
        case 0x0D: "a carriage return"
        default: "the control character 0x" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }

    /// Returns text for a message: without control characters, and of a limited length.
    ///
    /// - Parameter control: the replacement for a control character.
    package static func visible(_ text: String, limit: Int = 80, control: Unicode.Scalar = "\u{FFFD}") -> String {
        let scalars = text.unicodeScalars.prefix(limit).map { $0.value < 0x20 || $0.value == 0x7F ? control : $0 }
        return String(String.UnicodeScalarView(scalars)) + (text.unicodeScalars.count > limit ? "…" : "")
    }
}
