// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// The fields of one head: their bytes in one buffer, made into text when somebody looks.
struct FieldBlock: Sendable {
    /// Where a field's name begins, where its value begins, and where that ends.
    private struct Place {
        let name: Int32
        let value: Int32
        let end: Int32

        var nameRange: Range<Int> { Int(name)..<Int(value) }
        var valueRange: Range<Int> { Int(value)..<Int(end) }
    }

    private var bytes: [UInt8] = []
    private var places: [Place] = []

    init() {}

    /// The fields of a head that is not just arriving.
    init(_ fields: [(name: String, value: String)]) {
        for field in fields { add(name: field.name.utf8, value: field.value.utf8) }
    }

    /// Adds one line without its line end: a field, or more of the value of the field before.
    mutating func append(_ line: UnsafeRawBufferPointer) throws(NetworkingError) {
        if line.first == 0x20 || line.first == 0x09 { return try fold(line) }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw NetworkingError(.badServerResponse, "a line of the response's header section has no colon")
        }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        guard FieldSyntax.isToken(name) else { throw Self.badName(line[..<colon]) }
        let value = try Self.value(line[(colon + 1)...], of: name)
        if places.isEmpty { makeRoom() }
        add(name: name, value: UnsafeRawBufferPointer(rebasing: value))
    }

    /// For as many fields as most responses have.
    private mutating func makeRoom() {
        bytes.reserveCapacity(512)
        places.reserveCapacity(12)
    }

    private mutating func add(name: some Collection<UInt8>, value: some Collection<UInt8>) {
        let start = Int32(bytes.count)
        bytes += name
        let middle = Int32(bytes.count)
        bytes += value
        places.append(Place(name: start, value: middle, end: Int32(bytes.count)))
    }

    /// Joins a folded line (RFC 9112, 5.2) to the value before it with one space.
    private mutating func fold(_ line: UnsafeRawBufferPointer) throws(NetworkingError) {
        guard let last = places.popLast() else {
            throw NetworkingError(.badServerResponse, "the response's header section starts with white space")
        }
        let more = try Self.value(line[...], of: bytes[last.nameRange])
        if !last.valueRange.isEmpty && !more.isEmpty { bytes.append(0x20) }
        bytes += more
        places.append(Place(name: last.name, value: last.value, end: Int32(bytes.count)))
    }

    /// A value without the white space around it; one with a NUL or a carriage return in it is refused.
    private static func value<Name: Collection<UInt8>>(
        _ value: Slice<UnsafeRawBufferPointer>, of name: Name
    ) throws(NetworkingError) -> Slice<UnsafeRawBufferPointer> {
        guard let byte = forbiddenByte(in: UnsafeRawBufferPointer(rebasing: value)) else { return trimmed(value) }
        let control = FieldSyntax.name(ofControl: byte)
        throw NetworkingError(.badServerResponse, "the response's field \(text(name)) contains \(control)")
    }

    private static func forbiddenByte(in value: UnsafeRawBufferPointer) -> UInt8? {
        guard let start = value.baseAddress else { return nil }
        if memchr(start, 0x00, value.count) != nil { return 0x00 }
        if memchr(start, 0x0D, value.count) != nil { return 0x0D }
        return memchr(start, 0x0A, value.count) == nil ? nil : 0x0A
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
        places.map { (String(decoding: bytes[$0.nameRange], as: UTF8.self), Self.text(bytes[$0.valueRange])) }
    }

    /// The values of the fields with that name, whatever its case, in order.
    func values(for name: String) -> [String] {
        var name = name
        return name.withUTF8 { name in places(named: name).map { Self.text(bytes[$0.valueRange]) } }
    }

    /// Whether a name comes twice, whatever its case. Most heads have few fields, so that comparing each with each is
    /// quicker than remembering them.
    var hasRepeatedNames: Bool {
        guard places.count < 50 else { return true }  // perhaps; it only costs time
        return places.indices.contains { first in
            places[(first + 1)...].contains { second in
                bytes.withUnsafeBufferPointer { bytes in
                    isName(second, UnsafeBufferPointer(rebasing: bytes[places[first].nameRange]))
                }
            }
        }
    }

    /// Whether there is a field with that name.
    func hasField(_ name: StaticString) -> Bool { places.contains { isName($0, name) } }

    /// The values of the fields that say how the body is framed and coded.
    struct FramingFields {
        /// The one length, when there is one and it is a plain number.
        var plainLength: Int64?
        var lengths: [String] = []
        var transferCodings: [String] = []
        var contentCodings: [String] = []
    }

    /// Found in one pass over the fields, most of which have names of other lengths.
    var framingFields: FramingFields {
        var found = FramingFields()
        for place in places {
            switch place.value - place.name {
            case 14 where isName(place, "content-length"): note(lengthAt: place, in: &found)
            case 17 where isName(place, "transfer-encoding"):
                found.transferCodings.append(Self.text(bytes[place.valueRange]))
            case 16 where isName(place, "content-encoding"):
                found.contentCodings.append(Self.text(bytes[place.valueRange]))
            default: continue
            }
        }
        return found
    }

    /// A second length makes texts of both, to be looked at more closely.
    private func note(lengthAt place: Place, in found: inout FramingFields) {
        let digits = bytes[place.valueRange]
        if found.lengths.isEmpty, found.plainLength == nil, digits.count < 16, FieldSyntax.isNumber(digits) {
            found.plainLength = digits.reduce(0) { $0 * 10 + Int64($1) - 0x30 }
            return
        }
        if let first = found.plainLength { found.lengths.append(String(first)) }
        found.plainLength = nil
        found.lengths.append(Self.text(digits))
    }

    private func isName(_ place: Place, _ name: StaticString) -> Bool {
        isName(place, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    private func places(named name: UnsafeBufferPointer<UInt8>) -> [Place] {
        places.filter { isName($0, name) }
    }

    private func isName(_ place: Place, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard Int(place.value - place.name) == name.count else { return false }
        for index in 0..<name.count
        where FieldSyntax.lowercase(bytes[Int(place.name) + index]) != FieldSyntax.lowercase(name[index]) {
            return false
        }
        return true
    }

    /// The values of `Location`, whose bytes matter even where they are not text.
    var locations: [String] {
        guard hasField("location") else { return [] }
        return places.filter { bytes[$0.nameRange].lazy.map(FieldSyntax.lowercase).elementsEqual("location".utf8) }
            .map { URLText.escapingNonASCII(bytes[$0.valueRange]) }
    }

    /// UTF-8 where the bytes are UTF-8, else ISO 8859-1, which can show any bytes.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }
}
