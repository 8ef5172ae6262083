// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct PropertyListResponseSerializerTests {
    private func written(_ format: PropertyListSerialization.PropertyListFormat, _ value: Any) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0)
    }

    private func response(_ status: Int, _ fields: [(name: String, value: String)] = []) throws -> ResponseHead {
        try ResponseHead(url: #require(URL(string: "http://h/")), statusCode: status, headers: HeaderFields(fields))
    }

    @Test func bothFormatsAreParsed() throws {
        let serializer = PropertyListResponseSerializer()
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let body = try written(format, ["a": 1])
            #expect(try serializer.value(for: response(200), body: body) == .dictionary(["a": .integer(1)]))
        }
        #expect(
            serializer.validation.refusal(status: 200, contentType: "Application/X-Plist", bodyIsEmpty: false) == nil)
        let refusal = serializer.validation.refusal(status: 200, contentType: "text/xml", bodyIsEmpty: false)
        #expect(refusal?.code == .unacceptableContentType)
    }

    @Test func emptyBodyIsNilOnlyIfNoBodyIsExpected() throws {
        let serializer = PropertyListResponseSerializer()
        #expect(try serializer.value(for: response(204), body: Data()) == nil)
        #expect(try serializer.value(for: response(205), body: Data()) == nil)
        #expect(try serializer.value(for: response(200, [("Content-Length", "9")]), body: Data()) == nil)
        for fields in [[], [(name: "Content-Length", value: "0")]] {
            let error = #expect(throws: NetworkingError.self) {
                try serializer.value(for: response(200, fields), body: Data())
            }
            #expect(error?.code == .cannotParseResponse)
        }
    }

    @Test func nonListBodyIsAnErrorWithTheBody() throws {
        let error = #expect(throws: NetworkingError.self) {
            try PropertyListResponseSerializer().value(for: response(200), body: Data("hello".utf8))
        }
        #expect(error?.code == .cannotParseResponse)
        #expect(error?.body == Data("hello".utf8))
        #expect(error?.underlying is PropertyListSyntaxError)
    }
}
