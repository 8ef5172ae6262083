// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite struct JSONRequestSerializerTests {
    private let serializer = JSONRequestSerializer()

    private func address() throws -> URL { try #require(URL(string: "http://h/")) }

    @Test func parametersBecomeAJSONBody() throws {
        let request = try serializer.request(method: "POST", url: address(), parameters: ["b": [1, 2], "a": "x"])
        #expect(request.httpBody == Data(#"{"a":"x","b":[1,2]}"#.utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(request.value(forHTTPHeaderField: "User-Agent") == serializer.http.headers["User-Agent"])
    }

    @Test(arguments: ["GET", "HEAD", "DELETE"])
    func methodsWithoutBodyGetAQuery(method: String) throws {
        let request = try serializer.request(method: method, url: address(), parameters: ["a": true])
        #expect(request.url?.absoluteString == "http://h/?a=1")
        #expect(request.httpBody == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test func requestWithoutParametersHasNeitherBodyNorContentType() throws {
        let request = try serializer.request(method: "POST", url: address(), parameters: nil)
        #expect(request.httpBody == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test func writingOptionsFormatTheBody() throws {
        var serializer = JSONRequestSerializer()
        serializer.writingOptions = [.prettyPrinted]
        let request = try serializer.request(method: "POST", url: address(), parameters: ["b": "x/y", "a": 1])
        #expect(request.httpBody == Data("{\n  \"a\" : 1,\n  \"b\" : \"x\\/y\"\n}".utf8))
        let value = try serializer.request(URLRequest(url: address()), withValue: ["/"])
        #expect(value.httpBody == Data("[\n  \"\\/\"\n]".utf8))
    }

    @Test func emptyParametersAreAnEmptyObject() throws {
        #expect(try serializer.request(method: "POST", url: address(), parameters: [:]).httpBody == Data("{}".utf8))
    }

    @Test func existingContentTypeIsKept() throws {
        var request = URLRequest(url: try address())
        request.httpMethod = "PATCH"
        request.setValue("application/merge-patch+json", forHTTPHeaderField: "content-type")
        let result = try serializer.request(request, with: ["a": 1])
        #expect(result.value(forHTTPHeaderField: "Content-Type") == "application/merge-patch+json")
    }

    @Test(arguments: [Double.nan, Double.infinity, Date(), Data(), Set([1])] as [any Sendable])
    func valueThatIsNotJSONIsRefusedByItsPath(value: any Sendable) throws {
        let error = #expect(throws: NetworkingError.self) {
            try serializer.request(method: "POST", url: address(), parameters: ["list": [["deep": value]]])
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.hasPrefix("parameter list[0].deep cannot be encoded") == true)
    }

    // MARK: - Encodable values

    private struct Order: Encodable {
        var item = "tea"
        var prices: [Double]
    }

    @Test func encodableValueBecomesTheBody() throws {
        var request = URLRequest(url: try address())
        request.httpMethod = "PUT"
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let result = try serializer.request(request, encoding: Order(prices: [1.5]), with: encoder)
        #expect(result.httpBody == Data(#"{"item":"tea","prices":[1.5]}"#.utf8))
        #expect(result.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(result.httpMethod == "PUT")
    }

    @Test func nonJSONEncodableValueIsRefusedByItsPath() throws {
        let error = #expect(throws: NetworkingError.self) {
            try serializer.request(URLRequest(url: address()), encoding: Order(prices: [1, .nan]))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.hasPrefix("body member prices[1] cannot be encoded as JSON") == true)
    }
}
