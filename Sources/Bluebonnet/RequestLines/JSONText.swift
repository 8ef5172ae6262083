// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Writes compact JSON text, one token after the other, and keeps the commas right; the caller keeps the nesting right.
struct JSONText {
    private(set) var bytes: [UInt8] = []
    /// Whether a value stands before the next one in the same container.
    private var needsComma = false

    /// Starts a text of about this size.
    init(expectedByteCount: Int = 0) {
        bytes.reserveCapacity(expectedByteCount)
    }

    /// The text so far; it is always valid UTF-8.
    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes `{`, the members and `}`.
    mutating func object(_ writeMembers: (inout JSONText) -> Void) {
        container("{", "}", writeMembers)
    }

    /// Writes `[`, the elements and `]`.
    mutating func array(_ writeElements: (inout JSONText) -> Void) {
        container("[", "]", writeElements)
    }

    /// Writes the name of a member; its value comes next.
    mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func string(_ text: String) {
        beginValue()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { appendEscaped($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes text that is a JSON token already: a number, `true`, `false` or `null`.
    mutating func token(_ text: String) {
        beginValue()
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a time: at most six digits after the point, at least one, never an exponent.
    mutating func seconds(_ seconds: Double) {
        let microseconds = Int64((min(max(seconds.isNaN ? 0 : seconds, 0), 1e12) * 1_000_000).rounded())
        beginValue()
        if microseconds < 1_000_000 {
            bytes.append(UInt8(ascii: "0"))
        } else {
            bytes.append(contentsOf: String(microseconds / 1_000_000).utf8)
        }
        bytes.append(UInt8(ascii: "."))
        var (rest, unit) = (microseconds % 1_000_000, Int64(100_000))
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest / unit))
            (rest, unit) = (rest % unit, unit / 10)
        } while rest > 0
    }

    /// Ends a line of a file.
    mutating func endLine() {
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func container(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ write: (inout JSONText) -> Void
    ) {
        beginValue()
        bytes.append(UInt8(ascii: open))
        needsComma = false
        write(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func beginValue() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Copies runs of bytes that stand for themselves, and escapes what is between them.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var runStart = 0
        for index in text.indices where Self.mustBeEscaped(text[index]) {
            append(text, runStart..<index)
            appendEscape(text[index])
            runStart = index + 1
        }
        append(text, runStart..<text.count)
    }

    private mutating func append(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[range]))
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
        case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
        case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
        case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
        case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
        case 0..<0x20: bytes.append(contentsOf: "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8)
        default: bytes += [UInt8(ascii: "\\"), byte]
        }
    }
}

// MARK: - Values

extension JSONText {
    /// Writes any value, the members of an object in order of their names, so that equal values give equal text.
    mutating func value(_ value: JSONValue) {
        switch value {
        case .null: token("null")
        case .bool(let truth): token(truth ? "true" : "false")
        case .integer(let number): token(String(number))
        case .number(let number): token(Self.numberText(number))
        case .string(let text): string(text)
        case .array(let elements): array { text in for element in elements { text.value(element) } }
        case .object(let members):
            object { text in
                for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                    text.key(name)
                    text.value(member)
                }
            }
        }
    }

    /// The shortest text that reads back as the same number, without a fraction when it is whole and exact.
    private static func numberText(_ number: Double) -> String {
        guard number.isFinite else { return "null" }
        guard number.magnitude < 0x1p53, let whole = Int64(exactly: number) else { return "\(number)" }
        return String(whole)
    }

    /// Compact JSON text of a value.
    static func text(of value: JSONValue) -> String {
        var text = JSONText()
        text.value(value)
        return text.string
    }

    /// Text for an error message: in quotes, escaped, and not too long to read.
    static func quoted(_ text: String, maximumCount: Int = 80) -> String {
        let shown = text.prefix(maximumCount)
        var quoted = JSONText()
        quoted.string(shown.endIndex == text.endIndex ? text : "\(shown)…")
        return quoted.string
    }
}
