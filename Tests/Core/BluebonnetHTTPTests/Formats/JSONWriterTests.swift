// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct JSONWriterTests {
    private func json(_ value: any Sendable) throws -> String {
        try JSONWriter.text(of: value).string
    }

    @Test func membersAreSortedWithoutWhitespace() throws {
        let parameters: Parameters = [
            "b": [1, 2], "a": ["y": true, "x": NSNull()] as [String: any Sendable], "C": "z",
        ]
        #expect(try json(parameters) == #"{"C":"z","a":{"x":null,"y":true},"b":[1,2]}"#)
    }

    @Test func emptyContainersAreWritten() throws {
        #expect(try json(["a": [Int](), "b": [String: Int]()] as Parameters) == #"{"a":[],"b":{}}"#)
    }

    @Test(arguments: [
        ("a\"b\\c/d", #""a\"b\\c/d""#), ("\n\r\t", #""\n\r\t""#),
        ("\u{0}\u{8}\u{1F}\u{7F}", "\"\\u0000\\b\\u001f\u{7F}\""),
        ("é😀\u{2028}", "\"é😀\u{2028}\""), ("", "\"\""),
    ])
    func stringsAreEscapedWhereJSONRequires(text: String, expected: String) throws {
        #expect(try json(text) == expected)
        #expect(try json([text: 1]) == "{\(expected):1}")
    }

    @Test func writtenValueRoundTrips() throws {
        let value: JSONValue = .object([
            "numbers": .array([
                .integer(.max), .integer(.min), .number(0.1), .number(1e300),
                .number(JSONNumber(.leastNonzeroMagnitude)),
            ]),
            "text": .string("\u{1}\"\\/😀"), "none": .null, "truth": .array([.bool(true), .bool(false)]),
        ])
        #expect(try JSONValue(parsing: try JSONWriter.text(of: value).data) == value)
    }

    @Test func setIsRefusedWithItsPath() {
        let error = #expect(throws: NetworkingError.self) { try json(["k": [Set([1])]]) }
        #expect(error?.message == "parameter k[0] cannot be encoded: a set has no order in JSON, so use an array")
    }

    @Test func nestingBeyond512LevelsIsRefused() throws {
        func nested(_ depth: Int) -> JSONValue { (0..<depth).reduce(.integer(1)) { inner, _ in .array([inner]) } }
        #expect(try json(nested(512)) == String(repeating: "[", count: 512) + "1" + String(repeating: "]", count: 512))
        #expect(throws: NetworkingError.self) { try json(nested(513)) }
    }
}
