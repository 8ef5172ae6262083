// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Stores the fields of one head as bytes in one buffer, and converts them to text on access.
package struct FieldBlock: Sendable {
    /// The positions of a field's name and value.
    private struct Place {
        let name: Int32
        let nameEnd: Int32
        let value: Int32
        let end: Int32

        var nameRange: Range<Int> { Int(name)..<Int(nameEnd) }
        var valueRange: Range<Int> { Int(value)..<Int(end) }
        var nameByteCount: Int { Int(nameEnd - name) }
    }

    private var bytes: [UInt8] = []
    private var places: [Place] = []
    /// Whether a field that determines the end of the body is folded. libcurl would read only its first line.
    private var isFramingFolded = false

    package init() {}

    /// Makes a block from fields that exist as text.
    package init(_ fields: [HeaderFields.Field]) {
        for field in fields {
            let start = Int32(bytes.count)
            bytes += field.name.utf8
            let middle = Int32(bytes.count)
            bytes += field.value.utf8
            places.append(Place(name: start, nameEnd: middle, value: middle, end: Int32(bytes.count)))
        }
    }

    /// The number of fields.
    package var count: Int { places.count }

    /// Appends one line without its line end: a field, or a continuation of the previous field's value.
    ///
    /// The line is scanned once and stored unchanged. The bytes between name and value belong to no place.
    package mutating func append(_ line: UnsafeRawBufferPointer) throws(NetworkingError) {
        var colon = 0
        while colon < line.count, FieldSyntax.isTokenByte(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else { return try appendOther(line) }
        if let byte = Self.forbiddenByte(in: line, from: colon) { throw Self.badValue(of: line[..<colon], byte) }
        let value = Self.valueRange(of: line, after: colon)
        if places.isEmpty { makeRoom() }
        let start = bytes.count
        bytes += UnsafeRawBufferPointer(rebasing: line[..<value.upperBound])
        places.append(
            Place(
                name: Int32(start), nameEnd: Int32(start + colon), value: Int32(start + value.lowerBound),
                end: Int32(bytes.count)))
    }

    /// Appends a line that does not begin with a name and a colon: a folded line, or an error.
    private mutating func appendOther(_ line: UnsafeRawBufferPointer) throws(NetworkingError) {
        if line.first == 0x20 || line.first == 0x09 { return try fold(line) }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw NetworkingError(.badServerResponse, "a line of the response's header section has no colon")
        }
        throw Self.badName(line[..<colon])
    }

    /// Reserves capacity for as many fields as most responses have. `trimmed` releases the excess.
    private mutating func makeRoom() {
        bytes.reserveCapacity(512)
        places.reserveCapacity(12)
    }

    /// A copy without spare capacity, because a head may be retained for long.
    package var trimmed: FieldBlock {
        var copy = FieldBlock()
        copy.bytes = bytes.withUnsafeBufferPointer(Array.init)
        copy.places = places.withUnsafeBufferPointer(Array.init)
        copy.isFramingFolded = isFramingFolded
        return copy
    }

    /// Joins a folded line (RFC 9112, 5.2) to the previous value with one space.
    private mutating func fold(_ line: UnsafeRawBufferPointer) throws(NetworkingError) {
        guard let last = places.popLast() else {
            throw NetworkingError(.badServerResponse, "the response's header section starts with white space")
        }
        if let byte = Self.forbiddenByte(in: line, from: 0) { throw Self.badValue(of: bytes[last.nameRange], byte) }
        if isName(last, "content-length") || isName(last, "transfer-encoding") { isFramingFolded = true }
        let more = Self.valueRange(of: line, after: -1)
        if !last.valueRange.isEmpty && !more.isEmpty { bytes.append(0x20) }
        bytes += UnsafeRawBufferPointer(rebasing: line[more])
        places.append(Place(name: last.name, nameEnd: last.nameEnd, value: last.value, end: Int32(bytes.count)))
    }

    /// Returns the first byte that no value may contain: a NUL, CR or LF.
    private static func forbiddenByte(in line: UnsafeRawBufferPointer, from start: Int) -> UInt8? {
        for index in start..<line.count {
            let byte = line[index]
            if byte <= 0x0D, byte == 0x0D || byte == 0x0A || byte == 0x00 { return byte }
        }
        return nil
    }

    /// Returns the range of a value without the white space around it.
    private static func valueRange(of line: UnsafeRawBufferPointer, after colon: Int) -> Range<Int> {
        var (start, end) = (colon + 1, line.count)
        while end > start, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
        while start < end, line[start] == 0x20 || line[start] == 0x09 { start += 1 }
        return start..<end
    }

    private static func badValue(of name: some Collection<UInt8>, _ byte: UInt8) -> NetworkingError {
        let control = FieldSyntax.name(ofControl: byte)
        return NetworkingError(.badServerResponse, "the response's field \(text(name)) contains \(control)")
    }

    private static func badName(_ name: Slice<UnsafeRawBufferPointer>) -> NetworkingError {
        let fault = name.last == 0x20 || name.last == 0x09 ? "white space before its colon" : "an invalid name"
        return NetworkingError(.badServerResponse, "a field of the response has \(fault)")
    }
}

// MARK: - As text

extension FieldBlock {
    /// The fields in order.
    package var fields: [HeaderFields.Field] {
        bytes.withUnsafeBufferPointer { bytes in places.map { Self.field(at: $0, in: bytes) } }
    }

    package func field(at index: Int) -> HeaderFields.Field {
        bytes.withUnsafeBufferPointer { Self.field(at: places[index], in: $0) }
    }

    private static func field(at place: Place, in bytes: UnsafeBufferPointer<UInt8>) -> HeaderFields.Field {
        let name = UnsafeBufferPointer(rebasing: bytes[place.nameRange])
        let value = UnsafeBufferPointer(rebasing: bytes[place.valueRange])
        return HeaderFields.Field(
            name: String(decoding: name, as: UTF8.self), value: quickText(value) ?? text(value))
    }

    /// Calls `body` with the bytes of each field, in order.
    package func eachField(_ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            for place in places {
                body(
                    UnsafeBufferPointer(rebasing: bytes[place.nameRange]),
                    UnsafeBufferPointer(rebasing: bytes[place.valueRange]))
            }
        }
    }

    /// Whether all names and values are ASCII.
    package var isASCII: Bool { bytes.reduce(0, |) < 0x80 }

    /// Returns the values of the fields with that name, in order. Case is ignored.
    package func values(for name: String) -> [String] {
        var name = name
        return name.withUTF8 { name in
            var values: [String] = []
            for place in places where isName(place, name) { values.append(Self.text(bytes[place.valueRange])) }
            return values
        }
    }

    /// Returns the values of the fields with that name, joined by ", "; nil if there is none.
    package func value(for name: String) -> String? {
        var name = name
        return name.withUTF8 { name in
            guard let first = places.firstIndex(where: { isName($0, name) }) else { return nil }
            let others = places[(first + 1)...].filter { isName($0, name) }
            return others.reduce(text(of: places[first])) { $0 + ", " + text(of: $1) }
        }
    }

    private func text(of place: Place) -> String {
        bytes.withUnsafeBufferPointer { bytes in
            let value = UnsafeBufferPointer(rebasing: bytes[place.valueRange])
            return Self.quickText(value) ?? Self.text(value)
        }
    }

    /// Whether a name occurs twice, ignoring case. Most heads have few fields, so comparing every pair is faster than
    /// storing the names.
    package var hasRepeatedNames: Bool {
        guard places.count < 50 else { return true }  // perhaps; a wrong answer only costs time
        return places.indices.contains { first in
            places[(first + 1)...].contains { second in
                bytes.withUnsafeBufferPointer { bytes in
                    isName(second, UnsafeBufferPointer(rebasing: bytes[places[first].nameRange]))
                }
            }
        }
    }

    /// Returns whether there is a field with that name. Case is ignored.
    package func hasField(named name: String) -> Bool {
        var name = name
        return name.withUTF8 { name in places.contains { isName($0, name) } }
    }

    /// Returns whether there is a field with that name.
    package func hasField(_ name: StaticString) -> Bool { places.contains { isName($0, name) } }

    /// Whether there may be a field about a server's rate limit: `RateLimit`, `RateLimit-Remaining` or
    /// `X-RateLimit-Remaining`. Checked for each response; in most cases, the lengths of the names give the answer.
    var mayTellRateLimit: Bool {
        places.contains { place in
            switch place.nameByteCount {
            case 9, 19: FieldSyntax.lowercase(bytes[Int(place.name)]) == UInt8(ascii: "r")
            case 21: FieldSyntax.lowercase(bytes[Int(place.name)]) == UInt8(ascii: "x")
            default: false
            }
        }
    }

    /// The values of the fields that determine the framing and the coding of the body.
    struct FramingFields {
        /// The length, if there is only one and it is a plain number.
        var plainLength: Int64?
        /// The other values; nil, in most cases, if there are none.
        package var texts: Texts?
        /// Whether a field that determines the end of the body is folded.
        package var isFolded = false

        package init(plainLength: Int64? = nil, texts: Texts? = nil) {
            self.plainLength = plainLength
            self.texts = texts
        }

        /// The values that need further parsing.
        struct Texts {
            package var lengths: [String] = []
            var transferCodings: [String] = []
            package var contentCodings: [String] = []

            package init(lengths: [String] = [], transferCodings: [String] = [], contentCodings: [String] = []) {
                self.lengths = lengths
                self.transferCodings = transferCodings
                self.contentCodings = contentCodings
            }
        }

        fileprivate mutating func add(_ text: String, to list: WritableKeyPath<Texts, [String]>) {
            var all = texts ?? Texts()
            all[keyPath: list].append(text)
            texts = all
        }
    }

    /// The framing fields, found in one pass. Most fields have names of other lengths.
    var framingFields: FramingFields {
        var found = FramingFields()
        found.isFolded = isFramingFolded
        for place in places {
            switch place.nameByteCount {
            case 14 where isName(place, "content-length"): recordLength(at: place, in: &found)
            case 17 where isName(place, "transfer-encoding"):
                found.add(Self.text(bytes[place.valueRange]), to: \.transferCodings)
            case 16 where isName(place, "content-encoding"):
                found.add(Self.text(bytes[place.valueRange]), to: \.contentCodings)
            default: continue
            }
        }
        return found
    }

    /// Records a length. A second length turns both into texts, which are checked more closely.
    private func recordLength(at place: Place, in found: inout FramingFields) {
        let isFirst = found.plainLength == nil && found.texts?.lengths.isEmpty != false
        if isFirst, let length = number(place.valueRange) {
            found.plainLength = length
            return
        }
        if let first = found.plainLength { found.add(String(first), to: \.lengths) }
        found.plainLength = nil
        found.add(Self.text(bytes[place.valueRange]), to: \.lengths)
    }

    /// Parses up to 15 digits; nil for any other text.
    private func number(_ range: Range<Int>) -> Int64? {
        guard !range.isEmpty, range.count < 16 else { return nil }
        var number: Int64 = 0
        for index in range {
            guard (0x30...0x39).contains(bytes[index]) else { return nil }
            number = number * 10 + Int64(bytes[index]) - 0x30
        }
        return number
    }

    private func isName(_ place: Place, _ name: StaticString) -> Bool {
        isName(place, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    private func isName(_ place: Place, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard place.nameByteCount == name.count else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            FieldSyntax.isSameName(UnsafeBufferPointer(rebasing: bytes[place.nameRange]), name)
        }
    }

    /// The values of `Location`, with non-ASCII bytes escaped, because the bytes matter even if they are not text.
    package var locations: [String] {
        guard hasField("location") else { return [] }
        return places.filter { bytes[$0.nameRange].lazy.map(FieldSyntax.lowercase).elementsEqual("location".utf8) }
            .map { URLText.escapingNonASCII(bytes[$0.valueRange]) }
    }

    /// Returns the text of bytes that are all ASCII, as nearly all are; nil for other bytes.
    private static func quickText(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Decodes UTF-8 if the bytes are valid UTF-8, otherwise ISO 8859-1, which can represent any bytes.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }
}
