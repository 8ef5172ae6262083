// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite struct QuerySerializationTests {
    private struct Refusal: Error {}

    private func request(
        _ method: String = "GET", _ url: String = "http://h/p",
        custom: @escaping @Sendable (URLRequest, Parameters) throws -> String
    ) throws -> URLRequest {
        var serializer = HTTPRequestSerializer()
        serializer.querySerialization = .custom(custom)
        return try serializer.request(method: method, url: #require(URL(string: url)), parameters: ["a": 1])
    }

    @Test func customFunctionWritesQueryAndForm() throws {
        let custom: @Sendable (URLRequest, Parameters) -> String = { request, parameters in
            "\(request.httpMethod ?? "")=\(parameters.count)"
        }
        #expect(try request("GET", "http://h/p?b#f", custom: custom).url?.absoluteString == "http://h/p?b&GET=1#f")
        #expect(try request("POST", custom: custom).httpBody == Data("POST=1".utf8))
    }

    @Test(arguments: [
        ("a=b%20c", "a=b%20c"), ("a=b c", "a=b%20c"), ("a#b", "a%23b"), ("a#\u{301}b", "a%23%CC%81b"), ("é", "%C3%A9"),
        ("a\r\nb", "a%0D%0Ab"),
        ("100%", "100%25"),
    ])
    func customTextCannotEscapeTheQuery(text: String, query: String) throws {
        #expect(try request { _, _ in text }.url?.absoluteString == "http://h/p?" + query)
    }

    @Test func emptyTextLeavesTheURLUnchanged() throws {
        #expect(try request { _, _ in "" }.url?.absoluteString == "http://h/p")
    }

    @Test(arguments: ["GET", "POST"])
    func errorOfTheCustomFunctionFailsTheRequest(method: String) {
        let wrapped = #expect(throws: NetworkingError.self) { try request(method) { _, _ in throw Refusal() } }
        #expect(wrapped?.code == .invalidRequest)
        #expect(wrapped?.underlying is Refusal)
        let own = #expect(throws: NetworkingError.self) {
            try request(method) { _, _ in throw NetworkingError(.notConnected, "mine") }
        }
        #expect(own?.message == "mine")
    }
}
