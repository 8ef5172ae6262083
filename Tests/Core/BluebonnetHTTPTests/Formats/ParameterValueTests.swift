// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct ParameterValueTests {
    /// A value with its forms in JSON and in a query. The kind of the value determines both.
    struct Scalar: Sendable {
        let value: any Sendable
        let json: String
        let query: String
    }

    private static let identifier = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"

    @Test(arguments: [
        Scalar(value: true, json: "true", query: "1"), Scalar(value: false, json: "false", query: "0"),
        Scalar(value: 1, json: "1", query: "1"), Scalar(value: Int8(-128), json: "-128", query: "-128"),
        Scalar(value: UInt8(255), json: "255", query: "255"), Scalar(value: Int16(-1), json: "-1", query: "-1"),
        Scalar(value: UInt16(1), json: "1", query: "1"), Scalar(value: Int32(0), json: "0", query: "0"),
        Scalar(value: UInt32.max, json: "4294967295", query: "4294967295"),
        Scalar(value: Int64.min, json: "-9223372036854775808", query: "-9223372036854775808"),
        Scalar(value: UInt64.max, json: "18446744073709551615", query: "18446744073709551615"),
        Scalar(value: UInt(7), json: "7", query: "7"),
        Scalar(
            value: Int128(1) << 100, json: "1267650600228229401496703205376", query: "1267650600228229401496703205376"),
    ])
    func integersAndBooleansKeepTheirKind(scalar: Scalar) throws { try expect(scalar) }

    @Test(arguments: [
        Scalar(value: 1.0, json: "1", query: "1"), Scalar(value: -2.5, json: "-2.5", query: "-2.5"),
        Scalar(value: 0.1, json: "0.1", query: "0.1"), Scalar(value: Float(0.1), json: "0.1", query: "0.1"),
        Scalar(value: 1e16, json: "1e+16", query: "1e%2B16"),
        Scalar(value: Double.leastNonzeroMagnitude, json: "5e-324", query: "5e-324"),
        Scalar(value: -0.0, json: "-0", query: "-0"),
        Scalar(value: Decimal(string: "12.50")!, json: "12.5", query: "12.5"),
        Scalar(value: CGFloat(1.5), json: "1.5", query: "1.5"),
    ])
    func fractionsAreWrittenInTheirShortestForm(scalar: Scalar) throws { try expect(scalar) }

    @Test(arguments: [
        Scalar(value: NSNumber(value: true), json: "true", query: "1"),
        Scalar(value: NSNumber(value: 1), json: "1", query: "1"),
        Scalar(value: NSNumber(value: Int8(1)), json: "1", query: "1"),
        Scalar(value: NSNumber(value: 2.0), json: "2", query: "2"),
        Scalar(value: NSNumber(value: Float(0.1)), json: "0.1", query: "0.1"),
        Scalar(value: NSNumber(value: UInt64.max), json: "18446744073709551615", query: "18446744073709551615"),
        Scalar(
            value: NSDecimalNumber(string: "3.14159265358979323846"), json: "3.14159265358979323846",
            query: "3.14159265358979323846"),
    ])
    func foundationNumbersKeepTheirKind(scalar: Scalar) throws { try expect(scalar) }

    @Test(arguments: [
        Scalar(value: "x", json: "\"x\"", query: "x"), Scalar(value: "xyz".dropFirst(), json: "\"yz\"", query: "yz"),
        Scalar(value: URL(string: "http://h/p")!, json: "\"http://h/p\"", query: "http%3A//h/p"),
        Scalar(value: UUID(uuidString: identifier)!, json: "\"\(identifier)\"", query: identifier),
        Scalar(value: JSONValue.string("x"), json: "\"x\"", query: "x"),
        Scalar(value: String?.some("x"), json: "\"x\"", query: "x"),
        Scalar(value: Int??.some(.some(3)), json: "3", query: "3"),
        Scalar(value: Date?.none, json: "null", query: ""),
    ])
    func stringsAndOptionalsAreWrittenAsTheirContent(scalar: Scalar) throws { try expect(scalar) }

    private func expect(_ scalar: Scalar) throws {
        #expect(try JSONWriter.text(of: scalar.value).string == scalar.json)
        #expect(try QueryEncoder().encode(["k": scalar.value]) == (scalar.query.isEmpty ? "k" : "k=\(scalar.query)"))
    }

    struct Custom: Sendable {}

    @Test(
        arguments: [
            Double.nan, Double.infinity, -Float.infinity, JSONValue.number(JSONNumber(.nan)),
            NSNumber(value: Double.nan),
            Decimal.nan,
            Date(), Data([1]), Custom(), Character("x"), [1: Date()], [Custom(): 1], Optional(Date()),
        ] as [any Sendable])
    func unsupportedParameterValueIsRefusedWithPath(value: any Sendable) {
        for encode: (Parameters) throws -> Void in [
            { _ = try QueryEncoder().encode($0) }, { _ = try JSONWriter.text(of: $0) },
        ] {
            let error = #expect(throws: NetworkingError.self) { try encode(["outer": ["inner": value]]) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.hasPrefix("parameter outer.inner") == true, "\(error?.message ?? "")")
        }
    }
}

extension ParameterValueTests.Custom: Hashable {}
