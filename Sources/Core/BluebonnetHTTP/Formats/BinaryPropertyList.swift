// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Parses a binary property list (`bplist00`). Every offset is checked, and the work is bounded.
///
/// The objects of a list form a table and refer to each other by number. `PropertyListSerialization` follows a
/// reference each time it occurs: 200 bytes, in which each array contains the next array twice, keep it busy forever. A
/// list that was written from values has at most as many values as bytes, which is the bound here.
package struct BinaryPropertyList {
    static let magic = Array("bplist00".utf8)
    private static let trailerByteCount = 32

    private let bytes: [UInt8]
    private let referenceByteCount: Int
    private var objectCount = 0
    private let offsetByteCount: Int
    private var tableStart = 0
    private var budget: Int
    /// Texts and data that were read, by number, so that many references to one object share its memory.
    private var shared: [Int: PropertyListValue] = [:]

    package static func value(of data: Data) throws(PropertyListSyntaxError) -> PropertyListValue {
        var list = try BinaryPropertyList(Array(data))
        let top = try list.integer(at: list.bytes.count - 16, byteCount: 8)
        return try list.value(of: top, depth: 0)
    }

    /// Reads the trailer, which contains the position of the table of offsets.
    private init(_ bytes: [UInt8]) throws(PropertyListSyntaxError) {
        self.bytes = bytes
        budget = bytes.count
        let trailer = bytes.count - Self.trailerByteCount
        guard trailer >= Self.magic.count else { throw PropertyListSyntaxError("it is truncated") }
        offsetByteCount = Int(bytes[trailer + 6])
        referenceByteCount = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount) else {
            throw PropertyListSyntaxError("its trailer has invalid sizes")
        }
        objectCount = try integer(at: trailer + 8, byteCount: 8)
        tableStart = try integer(at: trailer + 24, byteCount: 8)
        guard tableStart <= trailer, objectCount <= (trailer - tableStart) / offsetByteCount else {
            throw PropertyListSyntaxError("its object table is out of bounds")
        }
    }

    private func integer(at start: Int, byteCount: Int) throws(PropertyListSyntaxError) -> Int {
        var value: UInt64 = 0
        for byte in try slice(start, byteCount) { value = value << 8 | UInt64(byte) }
        guard let result = Int(exactly: value) else { throw PropertyListSyntaxError("it has a number out of range") }
        return result
    }

    private func slice(_ start: Int, _ byteCount: Int) throws(PropertyListSyntaxError) -> ArraySlice<UInt8> {
        guard start >= 0, byteCount >= 0, start <= bytes.count, byteCount <= bytes.count - start else {
            throw PropertyListSyntaxError("an object is out of bounds")
        }
        return bytes[start..<start + byteCount]
    }
}

// MARK: - Objects

extension BinaryPropertyList {
    private mutating func value(of number: Int, depth: Int) throws(PropertyListSyntaxError) -> PropertyListValue {
        if let value = shared[number] { return value }
        guard number < objectCount else { throw PropertyListSyntaxError("it refers to a missing object") }
        let start = try integer(at: tableStart + number * offsetByteCount, byteCount: offsetByteCount)
        let marker = try integer(at: start, byteCount: 1)
        let (kind, low) = (marker >> 4, marker & 0x0F)
        switch kind {
        case 0x0 where low == 8 || low == 9: return .bool(low == 9)
        case 0x1 where low <= 4: return try whole(at: start + 1, byteCount: 1 << low)
        case 0x2 where low == 2 || low == 3: return .real(try real(at: start + 1, byteCount: 1 << low))
        case 0x3 where low == 3:
            return .date(Date(timeIntervalSinceReferenceDate: try real(at: start + 1, byteCount: 8)))
        case 0x4, 0x5, 0x6:
            let (count, content) = try length(low, behind: start)
            let value = try text(kind, try slice(content, kind == 0x6 ? try doubled(count) : count))
            shared[number] = value
            return value
        case 0xA: return try array(start, low, depth)
        case 0xD: return try dictionary(start, low, depth)
        default: throw PropertyListSyntaxError("it has an object of the unknown kind \(marker)")
        }
    }

    private func doubled(_ count: Int) throws(PropertyListSyntaxError) -> Int {
        guard count <= bytes.count else { throw PropertyListSyntaxError("an object is out of bounds") }
        return count * 2
    }

    private func text(_ kind: Int, _ content: ArraySlice<UInt8>) throws(PropertyListSyntaxError) -> PropertyListValue {
        if kind == 0x4 { return .data(Data(content)) }
        let units = stride(from: content.startIndex, to: content.endIndex, by: 2)
        let text: String? =
            kind == 0x5
            ? (content.allSatisfy { $0 < 0x80 } ? String(decoding: content, as: UTF8.self) : nil)
            : String(validating: units.map { UInt16(content[$0]) << 8 | UInt16(content[$0 + 1]) }, as: UTF16.self)
        guard let text else { throw PropertyListSyntaxError("it has a string that is not text") }
        return .string(text)
    }

    /// Reads a whole number. Values that need 64 bits without a sign are written as numbers of 16 bytes.
    private func whole(at start: Int, byteCount: Int) throws(PropertyListSyntaxError) -> PropertyListValue {
        let content = try slice(start, byteCount)
        let low = content.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        if byteCount < 8 { return .integer(Int64(low)) }
        if byteCount == 8 { return .integer(Int64(bitPattern: low)) }
        let high = content.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let number = Double(Int64(bitPattern: high)) * 0x1p64 + Double(low)
        return Int64(exactly: number).map { _ in .integer(Int64(bitPattern: low)) } ?? .real(number)
    }

    private func real(at start: Int, byteCount: Int) throws(PropertyListSyntaxError) -> Double {
        let bits = try slice(start, byteCount).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return byteCount == 4 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits)
    }
}

// MARK: - Containers

extension BinaryPropertyList {
    /// Returns the number of elements or bytes of an object, and where they start. The marker contains small counts.
    private func length(_ low: Int, behind start: Int) throws(PropertyListSyntaxError) -> (count: Int, content: Int) {
        if low < 0x0F { return (low, start + 1) }
        let marker = try integer(at: start + 1, byteCount: 1)
        guard marker >> 4 == 0x1, marker & 0x0F <= 3 else {
            throw PropertyListSyntaxError("it has an invalid count")
        }
        let width = 1 << (marker & 0x0F)
        return (try integer(at: start + 2, byteCount: width), start + 2 + width)
    }

    private mutating func references(_ start: Int, _ count: Int) throws(PropertyListSyntaxError) -> [Int] {
        guard count <= budget else { throw PropertyListSyntaxError("it has more values than bytes") }
        budget -= count
        var references: [Int] = []
        for index in 0..<count {
            references.append(
                try integer(at: start + index * referenceByteCount, byteCount: referenceByteCount))
        }
        return references
    }

    private func checkDepth(_ depth: Int) throws(PropertyListSyntaxError) {
        let limit = JSONParser.maximumDepth
        guard depth < limit else { throw PropertyListSyntaxError("more than \(limit) nested arrays and dictionaries") }
    }

    private mutating func array(
        _ start: Int, _ low: Int, _ depth: Int
    ) throws(PropertyListSyntaxError) -> PropertyListValue {
        try checkDepth(depth)
        let (count, content) = try length(low, behind: start)
        var elements: [PropertyListValue] = []
        for reference in try references(content, count) {
            elements.append(try value(of: reference, depth: depth + 1))
        }
        return .array(elements)
    }

    private mutating func dictionary(
        _ start: Int, _ low: Int, _ depth: Int
    ) throws(PropertyListSyntaxError) -> PropertyListValue {
        try checkDepth(depth)
        let (count, content) = try length(low, behind: start)
        let keys = try references(content, count)
        let values = try references(content + count * referenceByteCount, count)
        var members: [String: PropertyListValue] = [:]
        for (key, member) in zip(keys, values) {
            guard case .string(let name) = try value(of: key, depth: depth + 1) else {
                throw PropertyListSyntaxError("it has a dictionary with a key that is not a string")
            }
            members[name] = try value(of: member, depth: depth + 1)
        }
        return .dictionary(members)
    }
}
