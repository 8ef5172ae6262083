// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct StrongValidatorTests {
    private static let noon = "Sat, 21 Nov 2026 12:00:00 GMT"
    private static let aSecondLater = "Sat, 21 Nov 2026 12:00:01 GMT"

    private func head(_ fields: [(name: String, value: String)]) throws -> ResponseHead {
        ResponseHead(url: try #require(URL(string: "http://h/")), statusCode: 200, headers: HeaderFields(fields))
    }

    @Test func strongTagIsPreferred() throws {
        let head = try head([("ETag", "\"a\""), ("Last-Modified", Self.noon), ("Date", Self.aSecondLater)])
        #expect(head.strongValidator == .entityTag("\"a\""))
        #expect(head.strongValidator?.fieldValue == "\"a\"")
    }

    @Test func oneSecondOldLastModifiedIsStrong() throws {
        let head = try head([("Last-Modified", Self.noon), ("Date", Self.aSecondLater)])
        #expect(head.strongValidator == .lastModified(Self.noon))
        #expect(head.strongValidator?.fieldValue == Self.noon)
    }

    @Test(arguments: [
        [("Last-Modified", noon), ("Date", noon)],
        [("Last-Modified", aSecondLater), ("Date", noon)],
        [("Last-Modified", noon)],
        [("Last-Modified", "yesterday"), ("Date", aSecondLater)],
        [("Last-Modified", noon), ("Date", "later")],
        [("Last-Modified", noon), ("Last-Modified", noon), ("Date", aSecondLater)],
        [("ETag", "W/\"a\""), ("Last-Modified", noon), ("Date", aSecondLater)],
        [("ETag", "W/\"a\"")],
        [],
    ])
    func weakOrDoubtfulFieldsGiveNoStrongValidator(fields: [(String, String)]) throws {
        #expect(try head(fields.map { (name: $0.0, value: $0.1) }).strongValidator == nil)
    }

    @Test func validatorIsComparedWithSameField() throws {
        let (tag, date) = (StrongValidator.entityTag("\"a\""), StrongValidator.lastModified(Self.noon))
        #expect(try tag.names(head([("ETag", "\"a\"")])) == true)
        #expect(try tag.names(head([("ETag", "\"b\"")])) == false)
        #expect(try tag.names(head([("ETag", "W/\"a\"")])) == false)
        #expect(try tag.names(head([])) == nil)
        #expect(try date.names(head([("Last-Modified", Self.noon)])) == true)
        #expect(try date.names(head([("Last-Modified", Self.aSecondLater)])) == false)
        #expect(try date.names(head([("ETag", "\"a\""), ("Last-Modified", Self.noon)])) == false)
        #expect(try date.names(head([])) == nil)
    }
}
