// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite struct HTTPRequestSerializerTests {
    private let serializer = HTTPRequestSerializer()

    private func url(_ text: String, _ parameters: Parameters?, method: String = "GET") throws -> String? {
        let url = try #require(URL(string: text))
        return try serializer.request(method: method, url: url, parameters: parameters).url?.absoluteString
    }

    private func address(_ text: String = "http://h/") throws -> URL { try #require(URL(string: text)) }

    // MARK: - Tokens and encodings

    @Test func tokenFieldsHaveTheirFormats() throws {
        var serializer = HTTPRequestSerializer()
        serializer.setAuthorization(token: "abc")
        #expect(serializer.headers["Authorization"] == #"Token token="abc""#)
        #expect(serializer.bearerToken == nil)
        serializer.bearerToken = "xyz"
        #expect(serializer.headers["Authorization"] == "Bearer xyz")
        #expect(serializer.bearerToken == "xyz")
        let request = try serializer.request(method: "GET", url: address())
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer xyz")
        serializer.bearerToken = nil
        #expect(serializer.headers["Authorization"] == nil)
    }

    @Test func formIsWrittenInTheStringEncoding() throws {
        var serializer = HTTPRequestSerializer()
        serializer.stringEncoding = .isoLatin1
        serializer.querySerialization = .custom { _, _ in "é" }
        let request = try serializer.request(method: "POST", url: address(), parameters: ["a": 1])
        #expect(request.httpBody == Data([0xE9]))
        serializer.querySerialization = .custom { _, _ in "€" }
        let error = #expect(throws: NetworkingError.self) {
            try serializer.request(method: "POST", url: address(), parameters: ["a": 1])
        }
        #expect(error?.code == .invalidRequest)
        serializer.querySerialization = .standard
        #expect(
            try serializer.request(method: "POST", url: address(), parameters: ["a": "é"]).httpBody
                == Data("a=%C3%A9".utf8))
    }

    @Test func partsOfAFormAreWrittenInTheStringEncoding() throws {
        var serializer = HTTPRequestSerializer()
        serializer.stringEncoding = .isoLatin1
        let request = try serializer.multipartRequest(url: address(), parameters: ["a": "é"]) { _ in }
        let stream = try #require((request.httpBodyStream as? MultipartBodyStream)?.makeReplay())
        #expect(try MultipartFormDataTests.read(stream).range(of: Data([0x0D, 0x0A, 0xE9, 0x0D, 0x0A])) != nil)
        let error = #expect(throws: NetworkingError.self) {
            try serializer.multipartRequest(url: address(), parameters: ["a": "€"]) { _ in }
        }
        #expect(error?.message.hasPrefix("parameter \"a\" cannot be encoded in") == true)
    }

    // MARK: - The URL

    @Test(arguments: [
        ("http://h/p", "http://h/p?a=1"), ("http://h/p?b=2", "http://h/p?b=2&a=1"), ("http://h/p?", "http://h/p?&a=1"),
        ("http://h/p#f", "http://h/p?a=1#f"), ("http://h/p?b#f?g", "http://h/p?b&a=1#f?g"),
        ("http://h/p#f?g", "http://h/p?a=1#f?g"), ("http://h", "http://h?a=1"),
        ("http://h/%20%2F", "http://h/%20%2F?a=1"),
    ])
    func queryIsPlacedAfterThePathAndBeforeTheFragment(text: String, expected: String) throws {
        #expect(try url(text, ["a": 1]) == expected)
    }

    @Test(arguments: ["http://h/p", "http://h/p#f", "http://h/p?b"])
    func emptyParametersLeaveTheURLUnchanged(text: String) throws {
        #expect(try url(text, [:]) == text)
        #expect(try url(text, nil) == text)
        #expect(try url(text, ["a": [Int]()]) == text)
    }

    @Test(arguments: ["GET", "get", "HEAD", "Delete"])
    func bodylessMethodsEncodeIntoTheURLInAnyCase(method: String) throws {
        let request = try serializer.request(method: method, url: address(), parameters: ["a": 1])
        #expect(request.url?.absoluteString == "http://h/?a=1")
        #expect(request.httpBody == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test func methodsThatEncodeIntoTheURLCanBeChosen() throws {
        var serializer = HTTPRequestSerializer()
        serializer.methodsEncodingParametersInURL = ["query"]
        #expect(try serializer.request(method: "QUERY", url: address(), parameters: ["a": 1]).url?.query == "a=1")
        #expect(try serializer.request(method: "DELETE", url: address(), parameters: ["a": 1]).url?.query == nil)
    }

    @Test func requestWithoutURLIsRefused() throws {
        var request = URLRequest(url: try address())
        request.url = nil
        let error = #expect(throws: NetworkingError.self) { try serializer.request(request, with: ["a": 1]) }
        #expect(error?.code == .badURL)
    }

    // MARK: - The body

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func methodsWithABodySendAForm(method: String) throws {
        let request = try serializer.request(method: method, url: address(), parameters: ["a b": "c&d"])
        #expect(request.url?.absoluteString == "http://h/")
        #expect(request.httpBody == Data("a%20b=c%26d".utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
    }

    @Test func formWithoutParametersIsEmpty() throws {
        let request = try serializer.request(method: "POST", url: address(), parameters: nil)
        #expect(request.httpBody == Data())
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
    }

    @Test func existingBodyIsKeptWithoutParameters() throws {
        var request = URLRequest(url: try address())
        request.httpMethod = "POST"
        request.httpBody = Data("mine".utf8)
        let result = try serializer.request(request, with: nil)
        #expect(result.httpBody == Data("mine".utf8))
        #expect(result.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test func existingContentTypeIsKept() throws {
        var serializer = HTTPRequestSerializer()
        serializer.headers["content-type"] = "text/plain"
        let request = try serializer.request(method: "POST", url: address(), parameters: ["a": 1])
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/plain")
    }

    // MARK: - Headers and time

    @Test func defaultHeadersAreAdded() throws {
        let request = try serializer.request(method: "GET", url: address())
        let agent = try #require(serializer.headers["User-Agent"])
        #expect(request.value(forHTTPHeaderField: "User-Agent") == agent)
        #expect(request.value(forHTTPHeaderField: "Accept-Language") == serializer.headers["Accept-Language"])
    }

    @Test func requestHeaderOverridesTheDefaultInAnyCase() throws {
        var serializer = HTTPRequestSerializer()
        serializer.headers["X-Trace"] = "default"
        var request = URLRequest(url: try address())
        request.setValue("mine", forHTTPHeaderField: "x-trace")
        #expect(try serializer.request(request, with: nil).value(forHTTPHeaderField: "X-TRACE") == "mine")
    }

    @Test func invalidDefaultHeaderIsRefusedByName() throws {
        var serializer = HTTPRequestSerializer()
        serializer.headers["X-Trace"] = "a\r\nX-Evil: b"
        let error = #expect(throws: NetworkingError.self) { try serializer.request(method: "GET", url: address()) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("X-Trace") == true)
        var request = URLRequest(url: try address())
        request.setValue("1", forHTTPHeaderField: "X-Other")
        let other = #expect(throws: NetworkingError.self) { try serializer.request(request, with: nil) }
        #expect(other?.message.contains("X-Trace") == true)
        request.setValue("mine", forHTTPHeaderField: "X-Trace")
        #expect(try serializer.request(request, with: nil).value(forHTTPHeaderField: "X-Trace") == "mine")
    }

    @Test func headersMayChangeBetweenRequests() throws {
        var serializer = HTTPRequestSerializer()
        serializer.headers["X-Trace"] = "1"
        let earlier = serializer
        serializer.headers["X-Trace"] = "2"
        #expect(try serializer.request(method: "GET", url: address()).value(forHTTPHeaderField: "X-Trace") == "2")
        #expect(try earlier.request(method: "GET", url: address()).value(forHTTPHeaderField: "X-Trace") == "1")
    }

    @Test(arguments: ["GET", "get", "POST", "BREW"]) func requestHasItsMethodInUppercase(method: String) throws {
        #expect(URLRequest(url: try address(), method: method).httpMethod == method.uppercased())
    }

    @Test func basicAuthorizationIsUnbrokenBase64OfUTF8() throws {
        var serializer = HTTPRequestSerializer()
        serializer.setAuthorization(user: "Aladdin", password: "open sesame")
        #expect(serializer.headers["authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        serializer.setAuthorization(user: "test", password: "123£")
        #expect(serializer.headers["authorization"] == "Basic dGVzdDoxMjPCow==")
        serializer.setAuthorization(user: "u", password: String(repeating: "x", count: 200))
        #expect(serializer.headers["authorization"]?.contains("\n") == false)
    }

    @Test func authorizationCanBeCleared() {
        var serializer = HTTPRequestSerializer()
        serializer.setAuthorization(user: "u", password: "p")
        serializer.clearAuthorization()
        #expect(serializer.headers["Authorization"] == nil)
    }
}
