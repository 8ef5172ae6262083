// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite struct PropertyListRequestSerializerTests {
    private func body(_ parameters: Parameters, _ format: PropertyListRequestSerializer.Format = .xml) throws -> Data {
        let url = try #require(URL(string: "http://h/"))
        let serializer = PropertyListRequestSerializer(format: format)
        return try #require(try serializer.request(method: "POST", url: url, parameters: parameters).httpBody)
    }

    private func message(_ parameters: Parameters, _ format: PropertyListRequestSerializer.Format = .xml) -> String? {
        let error = #expect(throws: NetworkingError.self) { try body(parameters, format) }
        #expect(error?.code == .invalidRequest)
        return error?.message
    }

    private static let date = Date(timeIntervalSinceReferenceDate: 86_400)

    @Test(arguments: [PropertyListRequestSerializer.Format.xml, .binary])
    func foundationReadsTheWrittenList(format: PropertyListRequestSerializer.Format) throws {
        let parameters: Parameters = [
            "text": "é<&>", "whole": 42, "big": Int64.min, "half": 0.5, "yes": true, "no": false, "date": Self.date,
            "data": Data([0, 255]), "list": [1, "a"] as [any Sendable], "inner": ["k": ["deep": 1]],
            "json": JSONValue.object(["a": .bool(true)]), "url": URL(fileURLWithPath: "/a"),
        ]
        let data = try body(parameters, format)
        var found = PropertyListSerialization.PropertyListFormat.openStep
        let object = try PropertyListSerialization.propertyList(from: data, options: [], format: &found)
        #expect(found == (format == .xml ? .xml : .binary))
        let expected: NSDictionary = [
            "text": "é<&>", "whole": 42, "big": Int64.min, "half": 0.5, "yes": true, "no": false, "date": Self.date,
            "data": Data([0, 255]), "list": [1, "a"] as [Any], "inner": ["k": ["deep": 1]], "json": ["a": true],
            "url": "file:///a",
        ]
        #expect((object as? NSDictionary)?.isEqual(expected) == true)
    }

    @Test func requestHasItsContentType() throws {
        let url = try #require(URL(string: "http://h/"))
        let serializer = PropertyListRequestSerializer()
        let request = try serializer.request(method: "PUT", url: url, parameters: ["a": 1])
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-plist")
        #expect(request.value(forHTTPHeaderField: "User-Agent") == serializer.http.headers["User-Agent"])
        #expect(try serializer.request(method: "GET", url: url, parameters: ["a": 1]).url?.query == "a=1")
        let empty = try serializer.request(method: "POST", url: url, parameters: nil)
        #expect(empty.httpBody == nil)
        #expect(empty.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test func unrepresentableValueIsNamed() {
        #expect(message(["a": ["b": NSNull()]])?.hasPrefix("parameter a.b cannot be encoded: a property list") == true)
        #expect(message(["a": [Set([1])]])?.hasPrefix("parameter a[0] cannot be encoded: a set") == true)
        #expect(message(["a": Double.nan])?.hasPrefix("parameter a cannot be encoded") == true)
    }

    @Test(arguments: ["\u{0}", "a\u{1}", "\r", "\u{FFFE}"])
    func textUnrepresentableInXMLNeedsTheBinaryFormat(text: String) throws {
        #expect(message(["k": text])?.contains("binary") == true)
        #expect(message([text: 1])?.contains("binary") == true)
        let read = try PropertyListSerialization.propertyList(from: body(["k": text], .binary), format: nil)
        #expect((read as? [String: Any])?["k"] as? String == text)
    }

    @Test func tooDeeplyNestedParametersAreRefused() {
        let nested = (0..<600).reduce(JSONValue.integer(1)) { inner, _ in .array([inner]) }
        #expect(message(["k": nested])?.contains("deeper than 512") == true)
    }

    private struct Order: Codable, Equatable {
        var item = "tea"
        var when = PropertyListRequestSerializerTests.date
    }

    @Test func encodableValueBecomesTheBody() throws {
        let request = URLRequest(url: try #require(URL(string: "http://h/")))
        for format in [PropertyListRequestSerializer.Format.xml, .binary] {
            let result = try PropertyListRequestSerializer(format: format).request(request, encoding: Order())
            #expect(try PropertyListDecoder().decode(Order.self, from: #require(result.httpBody)) == Order())
            #expect(result.value(forHTTPHeaderField: "Content-Type") == "application/x-plist")
        }
    }
}
