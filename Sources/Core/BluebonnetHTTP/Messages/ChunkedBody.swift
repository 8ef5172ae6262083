// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decodes the chunked transfer coding of one body (RFC 9112, 7.1) as its bytes arrive.
///
/// Accepts the grammar and, in addition, any text after the semicolon of an extension, white space after a size, and
/// lines that end without CR.
package struct ChunkedBody: Sendable {
    /// A part of the body, which `next(_:)` returns.
    package enum Part {
        /// The content of a chunk, or a piece of the content.
        case content(UnsafeRawBufferPointer)
        /// A line of the trailer section, including its line end.
        case trailer(line: [UInt8])
        /// The end of the body. The following bytes do not belong to it.
        case end
    }

    /// The maximum length in bytes of the line of a chunk's size or of a trailer field, including the line end.
    /// libcurl's own limit for trailers is slightly higher.
    package static let lineByteLimit = 4000
    /// libcurl accepts no further digits.
    private static let digitLimit = 16

    private enum State {
        case size
        /// White space has followed the size; only an extension may follow.
        case sizeEnd
        /// A semicolon has arrived; the name of an extension must follow.
        case extensionStart
        case extensions
        case sizeLineFeed
        case content
        case contentEnd
        case contentLineFeed
        case trailer
        case end
    }

    private var state = State.size
    /// The chunk's size, and later the number of its bytes that have not arrived yet.
    private var byteCount: Int64 = 0
    private var lineByteCount = 0
    private var trailer: [UInt8] = []

    package init() {}

    /// Whether the whole body has arrived.
    package var hasEnded: Bool { state == .end }

    /// Returns the next part of the body; nil if more bytes are needed.
    ///
    /// - Parameter bytes: the bytes that have arrived. Bytes that were read are removed.
    /// - Throws: `badServerResponse` if the bytes are not a valid chunk, `headersTooLarge` if a trailer field is too
    ///   long.
    package mutating func next(_ bytes: inout UnsafeRawBufferPointer) throws(NetworkingError) -> Part? {
        while !bytes.isEmpty {
            switch state {
            case .content: return .content(consumeContent(&bytes))
            case .end: return nil
            case .trailer:
                guard let line = try consumeTrailer(&bytes) else { return nil }
                guard line.first == 0x0A || line.starts(with: [0x0D, 0x0A]) else { return .trailer(line: line) }
                state = .end
                return .end
            default:
                try consume(bytes[0])
                bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
            }
        }
        return nil
    }

    private mutating func consumeContent(_ bytes: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let count = Int(min(byteCount, Int64(bytes.count)))
        let content = UnsafeRawBufferPointer(rebasing: bytes.prefix(count))
        bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count))
        byteCount -= Int64(count)
        if byteCount == 0 { state = .contentEnd }
        return content
    }

    private mutating func consumeTrailer(_ bytes: inout UnsafeRawBufferPointer) throws(NetworkingError) -> [UInt8]? {
        let end = bytes.firstIndex(of: 0x0A)
        let piece = bytes.prefix(end.map { $0 + 1 } ?? bytes.count)
        guard trailer.count + piece.count <= Self.lineByteLimit else {
            let text = "a trailer field of the response is longer than \(Self.lineByteLimit) bytes"
            throw NetworkingError(.headersTooLarge, text)
        }
        trailer += piece
        bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(piece.count))
        guard end != nil else { return nil }
        defer { trailer = [] }
        return trailer
    }

    /// Consumes a byte that is neither content nor part of a trailer field.
    private mutating func consume(_ byte: UInt8) throws(NetworkingError) {
        switch (state, byte) {
        case (.contentEnd, 0x0D): state = .contentLineFeed
        case (.contentEnd, 0x0A), (.contentLineFeed, 0x0A): (state, byteCount, lineByteCount) = (.size, 0, 0)
        case (.contentEnd, _), (.contentLineFeed, _):
            throw Self.fault("a chunk of the response is longer than its size")
        default: try consumeSizeLineByte(byte)
        }
    }

    private mutating func consumeSizeLineByte(_ byte: UInt8) throws(NetworkingError) {
        lineByteCount += 1
        guard lineByteCount <= Self.lineByteLimit else {
            throw Self.fault("the line of a chunk's size is longer than \(Self.lineByteLimit) bytes")
        }
        if state == .size, let digit = Self.value(ofDigit: byte) {
            guard lineByteCount <= Self.digitLimit, byteCount <= Int64.max >> 4 else {
                throw Self.fault("a chunk of the response has a size over 63 bits or 16 digits")
            }
            byteCount = byteCount << 4 | digit
            return
        }
        guard state != .size || lineByteCount > 1 else {
            throw Self.fault("a chunk of the response has a size that is not hexadecimal")
        }
        switch (state, byte) {
        case (.sizeLineFeed, 0x0A), (.size, 0x0A), (.sizeEnd, 0x0A), (.extensions, 0x0A):
            state = byteCount == 0 ? .trailer : .content
        case (.size, 0x0D), (.sizeEnd, 0x0D), (.extensions, 0x0D): state = .sizeLineFeed
        case (.size, 0x20), (.size, 0x09), (.sizeEnd, 0x20), (.sizeEnd, 0x09): state = .sizeEnd
        case (.size, UInt8(ascii: ";")), (.sizeEnd, UInt8(ascii: ";")), (.extensions, UInt8(ascii: ";")):
            state = .extensionStart
        case (.extensionStart, 0x20), (.extensionStart, 0x09): break
        case (.extensionStart, UInt8(ascii: ";")): break  // may be in a quoted string
        case (.extensionStart, 0x21...0x7E), (.extensionStart, 0x80...): state = .extensions
        case (.extensionStart, 0x0D), (.extensionStart, 0x0A):
            throw Self.fault("a chunk's size is followed by a semicolon without an extension")
        case (.extensions, 0x09), (.extensions, 0x20...0x7E), (.extensions, 0x80...): break
        default: throw Self.fault("a chunk's size is followed by text that is not a chunk extension")
        }
    }

    private static func value(ofDigit byte: UInt8) -> Int64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): Int64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    private static func fault(_ text: String) -> NetworkingError { NetworkingError(.badServerResponse, text) }
}
