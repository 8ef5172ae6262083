// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Writes compact JSON text token by token. It inserts the commas; the caller must nest the containers correctly.
///
/// A result line has about forty tokens, most of a few bytes. The growth of an array would be most of the work, so the
/// text manages its own memory.
package struct JSONText: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var byteCount = 0
    /// Whether a value precedes the next value in the same container.
    private var needsComma = false

    /// Starts a text of about this size.
    package init(expectedByteCount: Int = 64) {
        capacity = max(expectedByteCount, 1)
        start = .allocate(capacity: capacity)
    }

    deinit { start.deallocate() }

    /// The text so far, which is always valid UTF-8.
    package var string: String { String(decoding: UnsafeBufferPointer(start: start, count: byteCount), as: UTF8.self) }

    /// The bytes so far.
    package var data: Data { Data(bytes: start, count: byteCount) }

    /// Writes `{`, the members and `}`.
    package mutating func object(_ writeMembers: (inout JSONText) throws -> Void) rethrows {
        try container("{", "}", writeMembers)
    }

    /// Writes `[`, the elements and `]`.
    package mutating func array(_ writeElements: (inout JSONText) throws -> Void) rethrows {
        try container("[", "]", writeElements)
    }

    /// Writes the name of a member. Write its value next.
    package mutating func key(_ name: String) {
        string(name)
        endKey()
    }

    /// Writes the name of a member. The name must need no escapes.
    package mutating func key(_ name: StaticString) {
        beginValue()
        append(scalar: "\"")
        append(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        append(scalar: "\"")
        endKey()
    }

    /// Writes the name of a member in lower case. The name must be ASCII.
    package mutating func key(lowercasing name: UnsafeBufferPointer<UInt8>) {
        let first = byteCount + (needsComma ? 2 : 1)
        string(name)
        for index in first..<byteCount - 1 { start[index] = FieldSyntax.lowercase(start[index]) }
        endKey()
    }

    package mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string($0) }
    }

    /// Writes a string, given as UTF-8.
    package mutating func string(_ text: UnsafeBufferPointer<UInt8>) {
        beginValue()
        append(scalar: "\"")
        appendEscaped(text)
        append(scalar: "\"")
    }

    /// Writes text that is already a JSON token: a number, `true`, `false` or `null`.
    package mutating func token(_ text: String) {
        beginValue()
        append(text)
    }

    /// Writes a time in seconds, with one to six digits after the point and without an exponent.
    package mutating func seconds(_ seconds: Double) {
        let microseconds = Int64((min(max(seconds.isNaN ? 0 : seconds, 0), 1e12) * 1_000_000).rounded())
        beginValue()
        if microseconds < 1_000_000 { append(scalar: "0") } else { append(String(microseconds / 1_000_000)) }
        append(scalar: ".")
        var (rest, unit) = (microseconds % 1_000_000, Int64(100_000))
        repeat {
            append(UInt8(ascii: "0") + UInt8(rest / unit))
            (rest, unit) = (rest % unit, unit / 10)
        } while rest > 0
    }

    /// Ends a line of a file.
    package mutating func endLine() {
        append(scalar: "\n")
    }

    private mutating func container(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ write: (inout JSONText) throws -> Void
    ) rethrows {
        beginValue()
        append(scalar: open)
        needsComma = false
        try write(&self)
        append(scalar: close)
        needsComma = true
    }

    private mutating func beginValue() {
        if needsComma { append(scalar: ",") }
        needsComma = true
    }

    private mutating func endKey() {
        append(scalar: ":")
        needsComma = false
    }
}

// MARK: - Bytes

extension JSONText {
    private mutating func append(scalar: Unicode.Scalar) {
        append(UInt8(ascii: scalar))
    }

    private mutating func append(_ byte: UInt8) {
        makeRoom(for: 1)
        start[byteCount] = byte
        byteCount += 1
    }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        guard let first = text.baseAddress else { return }
        makeRoom(for: text.count)
        (start + byteCount).initialize(from: first, count: text.count)
        byteCount += text.count
    }

    private mutating func makeRoom(for count: Int) {
        if capacity - byteCount < count { grow(by: count) }
    }

    private mutating func grow(by count: Int) {
        capacity = max(2 * capacity, byteCount + count)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        larger.moveInitialize(from: start, count: byteCount)
        start.deallocate()
        start = larger
    }

    /// Copies runs of bytes that need no escape, and escapes the bytes between them.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        guard Self.hasEscapes(text) else { return append(text) }
        var runStart = 0
        for index in text.indices where Self.mustBeEscaped(text[index]) {
            append(UnsafeBufferPointer(rebasing: text[runStart..<index]))
            appendEscape(text[index])
            runStart = index + 1
        }
        append(UnsafeBufferPointer(rebasing: text[runStart...]))
    }

    /// Returns whether any byte must be escaped; in most texts, no byte must. Without an early exit, the loop examines
    /// many bytes at once.
    private static func hasEscapes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var found: UInt8 = 0
        for byte in text { found |= mustBeEscaped(byte) ? 1 : 0 }
        return found != 0
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case 0x08: append(#"\b"#)
        case 0x09: append(#"\t"#)
        case 0x0A: append(#"\n"#)
        case 0x0C: append(#"\f"#)
        case 0x0D: append(#"\r"#)
        case 0..<0x20: append("\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))")
        default:
            append(scalar: "\\")
            append(byte)
        }
    }
}

// MARK: - Values

extension JSONText {
    /// Writes any value. Numbers are written as they were read, and the members of an object are sorted by name.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: token("null")
        case .bool(let truth): token(truth ? "true" : "false")
        case .integer(let number): token(String(number))
        case .number(let number): token(number.isFinite ? number.text : "null")
        case .string(let text): string(text)
        case .array(let elements): array { text in for element in elements { text.value(element) } }
        case .object(let members):
            object { text in
                for (name, member) in members.sorted {
                    text.key(name)
                    text.value(member)
                }
            }
        }
    }

    /// Returns compact JSON text of a value.
    package static func text(of value: JSONValue) -> String {
        var text = JSONText()
        text.value(value)
        return text.string
    }

    /// Returns text for an error message: quoted, escaped and shortened to a readable length.
    package static func quoted(_ text: String, maximumCount: Int = 80) -> String {
        let shown = text.prefix(maximumCount)
        var quoted = JSONText()
        quoted.string(shown.endIndex == text.endIndex ? text : "\(shown)…")
        return quoted.string
    }
}
