// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite struct JSONResponseSerializerTests {
    private func response(_ contentType: String? = "application/json", status: Int = 200) throws -> ResponseHead {
        let fields = contentType.map { [(name: "Content-Type", value: $0)] } ?? []
        return ResponseHead(url: URL(string: "http://h/")!, statusCode: status, headers: HeaderFields(fields))
    }

    private func value(
        _ body: Data, _ contentType: String? = "application/json", with serializer: JSONResponseSerializer = .init()
    ) throws -> JSONValue {
        try serializer.value(for: response(contentType), body: body)
    }

    @Test func threeTypesOfAFNetworkingAreAccepted() {
        let validation = JSONResponseSerializer().validation
        for type in ["application/json", "text/json; charset=utf-8", "Text/JavaScript"] {
            #expect(validation.refusal(status: 200, contentType: type, bodyIsEmpty: false) == nil)
        }
        for type in ["text/html", "application/problem+json", "application/jsonp", ""] {
            let refusal = validation.refusal(status: 200, contentType: type, bodyIsEmpty: false)
            #expect(refusal?.code == .unacceptableContentType)
        }
    }

    @Test func structuredSuffixIsAcceptedOnRequest() {
        let validation = JSONResponseSerializer(acceptsStructuredSuffix: true).validation
        for type in ["application/json", "application/problem+json", "Application/vnd.api+JSON; v=1"] {
            #expect(validation.refusal(status: 200, contentType: type, bodyIsEmpty: false) == nil)
        }
        for type in ["application/+json", "text/x+json", "application/json+xml", "application/x+jsonp"] {
            let refusal = validation.refusal(status: 200, contentType: type, bodyIsEmpty: false)
            #expect(refusal?.code == .unacceptableContentType, "\(type)")
        }
    }

    @Test func bodyIsParsed() throws {
        #expect(try value(Data(#"{"a":[1,true]}"#.utf8)) == .object(["a": .array([.integer(1), .bool(true)])]))
        #expect(try value(Data("\"x\"".utf8)) == .string("x"))
    }

    @Test func emptyBodyAndASingleSpaceAreNull() throws {
        #expect(try value(Data()) == .null)
        #expect(try value(Data(" ".utf8)) == .null)
        #expect(try JSONResponseSerializer().value(for: response(nil, status: 204), body: Data()) == .null)
        #expect(throws: NetworkingError.self) { try value(Data("  ".utf8)) }
    }

    @Test(
        arguments: [
            ("application/json; charset=iso-8859-1", [0x22, 0xE9, 0x22]),
            ("application/json; charset=UTF-16LE", [0x22, 0, 0xE9, 0, 0x22, 0]),
            ("application/json; charset=utf-16", [0, 0x22, 0, 0xE9, 0, 0x22]),
            ("application/json", [0x22, 0, 0xE9, 0, 0x22, 0]),
            ("application/json; charset=x-unknown", [0x22, 0xC3, 0xA9, 0x22]),
            (nil, [0xEF, 0xBB, 0xBF, 0x22, 0xC3, 0xA9, 0x22]),
            ("application/json; charset=utf-8", [0xFE, 0xFF, 0, 0x22, 0, 0xE9, 0, 0x22]),
        ] as [(String?, [UInt8])])
    func textIsDecodedByCharsetOrByItsBytes(contentType: String?, body: [UInt8]) throws {
        #expect(try value(Data(body), contentType) == .string("é"))
    }

    @Test(
        arguments: [
            ("application/json; charset=utf-8", [0x22, 0xE9, 0x22]), ("application/json", [0x22, 0xFF, 0x22]),
            ("application/json; charset=us-ascii", [0x22, 0xC3, 0xA9, 0x22]),
            ("application/json; charset=utf-16be", [0, 0x31, 0]),
            ("application/json", Array("[1,]".utf8)), ("application/json", Array("{\"a\":1,}".utf8)),
            ("application/json", Array("<html>".utf8)),
            ("application/json", [0xEF, 0xBB, 0xBF]),
        ] as [(String, [UInt8])])
    func bodyThatIsNotTextOrJSONIsAnError(contentType: String, body: [UInt8]) {
        expectNoJSON(contentType, body)
    }

    @Test func tooDeeplyNestedBodyIsAnError() {
        expectNoJSON("application/json", [UInt8](repeating: 0x5B, count: 200_000))
    }

    private func expectNoJSON(_ contentType: String, _ body: [UInt8]) {
        let error = #expect(throws: NetworkingError.self) { try value(Data(body), contentType) }
        #expect(error?.code == .cannotParseResponse)
        #expect(error?.message.contains("is not JSON") == true)
        #expect(error?.body == Data(body))
        #expect(error?.response?.statusCode == 200)
        #expect(error?.underlying is JSONSyntaxError)
    }

    @Test func nullMembersAreRemovedOnRequest() throws {
        var serializer = JSONResponseSerializer()
        let body = Data(#"{"a":null,"b":{"c":null,"d":1},"e":[null,{"f":null}],"g":{"h":null}}"#.utf8)
        #expect(try value(body, with: serializer)["a"] == .null)
        serializer.removesKeysWithNullValues = true
        let expected: JSONValue = .object([
            "b": .object(["d": .integer(1)]), "e": .array([.null, .object([:])]), "g": .object([:]),
        ])
        #expect(try value(body, with: serializer) == expected)
        #expect(try value(Data("null".utf8), with: serializer) == .null)
    }
}
