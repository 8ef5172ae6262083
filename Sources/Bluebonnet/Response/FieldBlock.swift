// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// The fields of one head while it arrives: their bytes in one buffer, made into text when the head is complete.
struct FieldBlock: Sendable {
    private var bytes: [UInt8] = []
    private var ranges: [(name: Range<Int>, value: Range<Int>)] = []

    /// Adds one line without its line end: a field, or more of the value of the field before.
    mutating func append(_ line: UnsafeRawBufferPointer) throws(NetworkingError) {
        if line.first == 0x20 || line.first == 0x09 { return try fold(line) }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw NetworkingError(.badServerResponse, "a line of the response's header section has no colon")
        }
        let name = line[..<colon]
        guard FieldSyntax.isToken(name) else { throw Self.badName(name) }
        let start = bytes.count
        bytes += name
        let value = try Self.value(line[(colon + 1)...], of: name)
        bytes += value
        ranges.append((start..<start + name.count, start + name.count..<bytes.count))
    }

    /// Joins a folded line (RFC 9112, 5.2) to the value before it with one space.
    private mutating func fold(_ line: UnsafeRawBufferPointer) throws(NetworkingError) {
        guard let last = ranges.popLast() else {
            throw NetworkingError(.badServerResponse, "the response's header section starts with white space")
        }
        let more = try Self.value(line[...], of: bytes[last.name])
        if !last.value.isEmpty && !more.isEmpty { bytes.append(0x20) }
        bytes += more
        ranges.append((last.name, last.value.lowerBound..<bytes.count))
    }

    /// A value without the white space around it; one with a NUL or a carriage return in it is refused.
    private static func value<Name: Collection<UInt8>>(
        _ value: Slice<UnsafeRawBufferPointer>, of name: Name
    ) throws(NetworkingError) -> Slice<UnsafeRawBufferPointer> {
        guard let byte = value.first(where: { $0 == 0x00 || $0 == 0x0D || $0 == 0x0A }) else { return trimmed(value) }
        let control = FieldSyntax.name(ofControl: byte)
        throw NetworkingError(.badServerResponse, "the response's field \(text(name)) contains \(control)")
    }

    private static func trimmed(_ value: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        guard let last = value.lastIndex(where: { !isSpace($0) }) else { return value.prefix(0) }
        return value[...last].drop(while: isSpace)
    }

    private static func badName(_ name: Slice<UnsafeRawBufferPointer>) -> NetworkingError {
        let fault = name.last == 0x20 || name.last == 0x09 ? "white space before its colon" : "a name that is no token"
        return NetworkingError(.badServerResponse, "a field of the response has \(fault)")
    }
}

// MARK: - As text

extension FieldBlock {
    /// The fields in order.
    var fields: [(name: String, value: String)] {
        bytes.withUnsafeBufferPointer { bytes in
            ranges.map { range in
                let name = UnsafeBufferPointer(rebasing: bytes[range.name])
                let value = UnsafeBufferPointer(rebasing: bytes[range.value])
                return (String(decoding: name, as: UTF8.self), Self.text(value))
            }
        }
    }

    /// The values of `Location`, whose bytes matter even where they are not text.
    var locations: [String] {
        ranges.filter { bytes[$0.name].lazy.map(FieldSyntax.lowercase).elementsEqual("location".utf8) }
            .map { URLText.escapingNonASCII(bytes[$0.value]) }
    }

    /// UTF-8 where the bytes are UTF-8, else ISO 8859-1, which can show any bytes.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }
}
