// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Finds the end of one JSON text of a sequence as its bytes arrive. It follows brackets and strings only: a parser has
/// to check the text.
struct JSONTextEnd: Sendable {
    private enum State {
        /// White space before the text.
        case blank
        /// A number, `true`, `false` or `null`. White space ends it.
        case bare
        case string, escape
        /// An array or an object, outside of strings.
        case container
        case complete
    }

    /// The byte that precedes each text of a sequence (RFC 7464).
    static let recordSeparator: UInt8 = 0x1E

    private var state = State.blank
    /// The number of open brackets.
    private var depth = 0

    /// Whether there is only white space so far.
    var isBlank: Bool { state == .blank }

    /// Whether the text is whole although no white space follows it. A number, `true`, `false` and `null` are never:
    /// further bytes may be missing (RFC 7464, 2.4).
    var isComplete: Bool { state == .complete }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// Returns the offset of the byte that ends the text: a record separator, or white space after a value. The bytes
    /// before it are consumed.
    mutating func offset(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        for offset in start..<bytes.count {
            let byte = bytes[offset]
            if byte == Self.recordSeparator { return offset }
            if state == .bare || state == .complete, Self.isSpace(byte) {
                state = .complete
                return offset
            }
            consume(byte)
        }
        return nil
    }

    private mutating func consume(_ byte: UInt8) {
        switch state {
        case .blank: begin(with: byte)
        case .bare: break
        case .string:
            if byte == UInt8(ascii: "\"") {
                state = depth == 0 ? .complete : .container
            } else if byte == UInt8(ascii: "\\") {
                state = .escape
            }
        case .escape: state = .string
        case .container: consumeInContainer(byte)
        case .complete: state = .bare  // not a JSON text: the parser reports it
        }
    }

    private mutating func begin(with byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): (state, depth) = (.container, 1)
        case UInt8(ascii: "\""): state = .string
        default: if !Self.isSpace(byte) { state = .bare }
        }
    }

    private mutating func consumeInContainer(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == 0 { state = .complete }
        case UInt8(ascii: "\""): state = .string
        default: break
        }
    }
}
