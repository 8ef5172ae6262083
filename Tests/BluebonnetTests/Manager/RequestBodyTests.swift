// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite struct RequestBodyTests {
    private struct User: Codable, Equatable { var name = "Ada" }

    private func blueprint(_ body: RequestBody, contentType: String? = nil) throws -> RequestBlueprint {
        var request = URLRequest(url: try #require(URL(string: "http://h/")))
        request.httpMethod = "POST"
        if let contentType { request.setValue(contentType, forHTTPHeaderField: "Content-Type") }
        var blueprint = RequestBlueprint(request: request)
        try body.apply(&blueprint)
        return blueprint
    }

    private func type(_ blueprint: RequestBlueprint) -> String? {
        blueprint.request.value(forHTTPHeaderField: "Content-Type")
    }

    @Test func bodyOfEachKindSaysWhatItIs() throws {
        let json = try blueprint(.json(User()))
        #expect(json.request.httpBody == Data(#"{"name":"Ada"}"#.utf8))
        #expect(type(json) == "application/json")
        let list = try blueprint(.propertyList(User(), format: .binary))
        #expect(try PropertyListDecoder().decode(User.self, from: #require(list.request.httpBody)) == User())
        #expect(type(list) == "application/x-plist")
        let form = try blueprint(.form(["a b": [1]]))
        #expect(form.request.httpBody == Data("a%20b%5B%5D=1".utf8))
        #expect(type(form) == "application/x-www-form-urlencoded")
        let text = try blueprint(.text("é"))
        #expect(text.request.httpBody == Data("é".utf8))
        #expect(type(text) == "text/plain; charset=utf-8")
        #expect(try type(blueprint(.data(Data([1])))) == "application/octet-stream")
        let file = try blueprint(.file(URL(fileURLWithPath: "/a/b.png")))
        #expect(file.uploadFile == URL(fileURLWithPath: "/a/b.png"))
        #expect(type(file) == "image/png")
    }

    @Test func theCallersTypeWins() throws {
        for body in [RequestBody.json(User()), .form([:]), .text(""), .data(Data()), .file(URL(fileURLWithPath: "/a"))]
        {
            #expect(try type(blueprint(body, contentType: "x/y")) == "x/y")
        }
    }

    @Test func aMultipartFormNeedsItsOwnType() throws {
        let made = try blueprint(
            .multipart(["a": 1]) { try $0.append("c", name: "b") }, contentType: "multipart/form-data")
        let stream = try #require(made.request.httpBodyStream as? MultipartBodyStream)
        #expect(type(made)?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(made.request.value(forHTTPHeaderField: "Content-Length") == String(stream.byteCount))
    }

    @Test func aValueThatCannotBeEncodedIsNamed() {
        let error = #expect(throws: NetworkingError.self) { try blueprint(.json([["a": Double.nan]])) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.hasPrefix("body member [0].a cannot be encoded as JSON") == true)
    }
}
