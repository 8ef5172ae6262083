// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite struct RequestBodyTests {
    private struct User: Codable, Equatable { var name = "Ada" }

    private func request(_ body: RequestBody, contentType: String? = nil) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://h/")))
        request.httpMethod = "POST"
        if let contentType { request.setValue(contentType, forHTTPHeaderField: "Content-Type") }
        try body.encode(&request, JSONEncoder())
        return request
    }

    private func type(_ request: URLRequest) -> String? {
        request.value(forHTTPHeaderField: "Content-Type")
    }

    @Test func everyBodyKindSetsItsContentType() throws {
        let json = try request(.json(User()))
        let literal = try request(.json(["id": 17, "name": "Ada", "tags": ["a", 1.5, nil]]))
        let value = try JSONValue(parsing: try #require(literal.httpBody))
        #expect(value == ["id": 17, "name": "Ada", "tags": ["a", 1.5, nil]])
        #expect(literal.value(forHTTPHeaderField: "Content-Type") == json.value(forHTTPHeaderField: "Content-Type"))
        #expect(json.httpBody == Data(#"{"name":"Ada"}"#.utf8))
        #expect(type(json) == "application/json")
        let list = try request(.propertyList(User(), format: .binary))
        #expect(try PropertyListDecoder().decode(User.self, from: #require(list.httpBody)) == User())
        #expect(type(list) == "application/x-plist")
        let form = try request(.form(["a b": [1]]))
        #expect(form.httpBody == Data("a%20b%5B%5D=1".utf8))
        #expect(type(form) == "application/x-www-form-urlencoded")
        let text = try request(.text("é"))
        #expect(text.httpBody == Data("é".utf8))
        #expect(type(text) == "text/plain; charset=utf-8")
        #expect(try type(request(.data(Data([1])))) == "application/octet-stream")
        let file = RequestBody.file(URL(fileURLWithPath: "/a/b.png"))
        #expect(file.file == URL(fileURLWithPath: "/a/b.png"))
        #expect(try type(request(file)) == "image/png")
    }

    @Test func explicitContentTypeWins() throws {
        for body in [RequestBody.json(User()), .form([:]), .text(""), .data(Data()), .file(URL(fileURLWithPath: "/a"))]
        {
            #expect(try type(request(body, contentType: "x/y")) == "x/y")
        }
    }

    @Test func multipartFormOverridesContentType() throws {
        let made = try request(
            .multipart(["a": 1]) { try $0.append("c", name: "b") }, contentType: "multipart/form-data")
        let stream = try #require(made.httpBodyStream as? MultipartBodyStream)
        #expect(type(made)?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(made.value(forHTTPHeaderField: "Content-Length") == String(stream.byteCount))
    }

    @Test func unencodableValueIsNamed() {
        let error = #expect(throws: NetworkingError.self) { try request(.json([["a": Double.nan]])) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.hasPrefix("body member [0].a cannot be encoded as JSON") == true)
    }
}
