// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import BluebonnetHTTP

@Suite struct PropertyListValueTests {
    private static let value = PropertyListValue.dictionary([
        "text": .string("é\u{1F408}"), "ascii": .string("abc"), "whole": .integer(-5), "one": .integer(1),
        "big": .integer(.max), "half": .real(0.5), "yes": .bool(true), "no": .bool(false),
        "date": .date(Date(timeIntervalSinceReferenceDate: 86_400)), "data": .data(Data([0, 255])),
        "list": .array([.integer(1), .array([]), .dictionary([:])]), "long": .array((0..<300).map { .integer($0) }),
        String(repeating: "k", count: 300): .string(String(repeating: "x", count: 70_000)),
    ])

    private func written(_ format: PropertyListSerialization.PropertyListFormat, _ value: Any) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func foundationPropertyListIsRead(format: PropertyListSerialization.PropertyListFormat) throws {
        let data = try written(format, Self.value.foundationObject)
        #expect(try PropertyListValue(parsing: data) == Self.value)
    }

    @Test func integersBeyondInt64BecomeReal() throws {
        #expect(try PropertyListValue(parsing: written(.binary, [UInt64.max])) == .array([.real(0x1p64)]))
    }

    @Test(arguments: ["", "hello", "{ a = b; }", "(1, 2)", "<html></html>", "<plist><array></plist>", "bplist00", "{}"])
    func otherFormatsAreRefused(text: String) {
        #expect(throws: PropertyListSyntaxError.self) { try PropertyListValue(parsing: Data(text.utf8)) }
    }

    @Test(arguments: [600, 100_000])
    func deeplyNestedListsAreRefused(depth: Int) {
        let text = ["<plist>", String(repeating: "<array>", count: depth), String(repeating: "</array>", count: depth)]
        let data = Data((text.joined() + "</plist>").utf8)
        #expect(throws: PropertyListSyntaxError.self) { try PropertyListValue(parsing: data) }
        #expect(throws: PropertyListSyntaxError.self) { try PropertyListValue(parsing: Self.nested(depth)) }
    }

    @Test func binaryListNestedToLimitIsRead() throws {
        var value = try PropertyListValue(parsing: Self.nested(512))
        var depth = 1
        while let inner = value[0] { (value, depth) = (inner, depth + 1) }
        #expect(depth == 512)
    }

    /// A binary property list of these objects. References have 4 bytes.
    private static func binary(_ objects: [[UInt8]]) -> Data {
        func big(_ number: Int, _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        var data = Data("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(data.count)
            data += object
        }
        let table = data.count
        for offset in offsets { data += big(offset, 4) }
        return data + [0, 0, 0, 0, 0, 0, 4, 4] + big(objects.count, 8) + big(0, 8) + big(table, 8)
    }

    private static func nested(_ depth: Int) -> Data {
        binary((1..<depth).map { [0xA1] + withUnsafeBytes(of: UInt32($0).bigEndian, Array.init) } + [[0xA0]])
    }

    @Test func selfReferencingListIsRefused() {
        #expect(throws: PropertyListSyntaxError.self) {
            try PropertyListValue(parsing: Self.binary([[0xA1, 0, 0, 0, 0]]))
        }
    }

    @Test func exponentiallyExpandingListIsRefused() {
        let doubling = (1..<64).map { level in [0xA2] + [0, 0, 0, UInt8(level)] + [0, 0, 0, UInt8(level)] } + [[0xA0]]
        let error = #expect(throws: PropertyListSyntaxError.self) {
            try PropertyListValue(parsing: Self.binary(doubling))
        }
        #expect(error?.reason.contains("more values than bytes") == true)
    }

    @Test func damagedListEndsInValueOrError() throws {
        let data = Self.binary([
            [0xD1, 0, 0, 0, 1, 0, 0, 0, 2], [0x51, 0x61], [0xA3, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1], [0x10, 7], [0x09],
        ])
        #expect(
            try PropertyListValue(parsing: data)
                == .dictionary(["a": .array([.integer(7), .bool(true), .string("a")])]))
        for count in 0..<data.count {
            #expect(throws: PropertyListSyntaxError.self) { try PropertyListValue(parsing: data.prefix(count)) }
        }
        for index in data.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = data
                changed[index] = byte
                _ = try? PropertyListValue(parsing: changed)
            }
        }
    }
}
