// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct DecodableResponseSerializerTests {
    private struct User: Codable, Equatable {
        var name: String
        var logins: [Int]?
    }

    private func response(_ type: String = "application/json", status: Int = 200) throws -> ResponseHead {
        let fields = [(name: "Content-Type", value: type)]
        return try ResponseHead(
            url: #require(URL(string: "http://h/")), statusCode: status, headers: HeaderFields(fields))
    }

    private func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, _ text: String, _ contentType: String = "application/json"
    ) throws -> Value {
        try DecodableResponseSerializer(type).value(for: response(contentType), body: Data(text.utf8))
    }

    private func error<Value: Decodable & Sendable>(_ type: Value.Type, _ text: String) -> NetworkingError? {
        let error = #expect(throws: NetworkingError.self) { try decode(type, text) }
        #expect(error?.code == .cannotParseResponse)
        #expect(error?.body == Data(text.utf8))
        return error
    }

    @Test func bodyBecomesTheType() throws {
        #expect(try decode(User.self, #"{"name":"Ada"}"#) == User(name: "Ada", logins: nil))
        #expect(try decode([Int].self, "[1,2]") == [1, 2])
        #expect(try decode(JSONValue.self, "[1,null]") == .array([.integer(1), .null]))
        #expect(try decode(String.self, "\"x\"") == "x")
    }

    @Test func callerDecoderIsUsed() throws {
        struct Event: Codable, Equatable { var startsAt: Date }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .secondsSince1970
        let serializer = DecodableResponseSerializer(Event.self, decoder: decoder)
        let event = try serializer.value(for: response(), body: Data(#"{"starts_at":60}"#.utf8))
        #expect(event == Event(startsAt: Date(timeIntervalSince1970: 60)))
    }

    @Test func messageNamesTheMember() {
        #expect(error(User.self, #"{"name":"a","logins":[1,"x"]}"#)?.message.contains("member logins[1]") == true)
        #expect(error([User].self, #"[{}]"#)?.message.hasSuffix("member [0].name is missing") == true)
        #expect(error(User.self, #"{"name":null}"#)?.message.contains("member name") == true)
    }

    @Test(arguments: ["[1,]", "{\"name\":\"a\",}", "[1]x", "<html>", "[", "nul", "  "])
    func textThatIsNotJSONIsRefused(text: String) {
        #expect(error([Int].self, text)?.underlying is JSONSyntaxError || error(User.self, text) != nil)
        #expect(error(User?.self, text)?.message.contains("is not JSON") == true)
    }

    @Test func hundredThousandLevelsAreAnError() {
        let text = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(error(JSONValue.self, text)?.message.contains("512") == true)
        #expect(error([Int].self, text)?.message.contains("512") == true)
    }

    @Test func emptyBodyIsNilOrAnError() throws {
        for text in ["", " ", "null"] {
            #expect(try decode(User?.self, text) == nil)
            #expect(error(User.self, text) != nil)
        }
        #expect(try decode(JSONValue.self, "") == .null)
    }

    @Test func encodingsOtherThanUTF8AreRead() throws {
        let latin = Data(#"{"name":""#.utf8) + [0xE9] + Data(#""}"#.utf8)
        let serializer = DecodableResponseSerializer(User.self)
        #expect(try serializer.value(for: response("application/json; charset=iso-8859-1"), body: latin).name == "é")
        let wide = try #require(#"{"name":"é"}"#.data(using: .utf16BigEndian))
        #expect(try serializer.value(for: response(), body: wide).name == "é")
        let marked = Data([0xEF, 0xBB, 0xBF]) + Data(#"{"name":"é"}"#.utf8)
        #expect(try serializer.value(for: response(), body: marked).name == "é")
    }

    @Test func propertyListsAreDecoded() throws {
        let serializer = DecodableResponseSerializer(User.self, propertyListDecoder: PropertyListDecoder())
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            let body = try encoder.encode(User(name: "Ada", logins: [1]))
            #expect(try serializer.value(for: response(), body: body) == User(name: "Ada", logins: [1]))
        }
        let deep = String(repeating: "<array>", count: 100_000) + String(repeating: "</array>", count: 100_000)
        let error = #expect(throws: NetworkingError.self) {
            try serializer.value(for: response(), body: Data("<plist>\(deep)</plist>".utf8))
        }
        #expect(error?.code == .cannotParseResponse)
        let optional = DecodableResponseSerializer(User?.self, propertyListDecoder: PropertyListDecoder())
        #expect(try optional.value(for: response(status: 204), body: Data()) == nil)
    }

    @Test func customFunctionDecodes() throws {
        let serializer = DecodableResponseSerializer<Int> { $0.count }
        #expect(try serializer.value(for: response("any/thing"), body: Data(count: 3)) == 3)
        let failing = DecodableResponseSerializer<Int> { _ in throw CocoaError(.fileReadUnknown) }
        let error = #expect(throws: NetworkingError.self) { try failing.value(for: response(), body: Data()) }
        #expect(error?.underlying is CocoaError)
    }
}
