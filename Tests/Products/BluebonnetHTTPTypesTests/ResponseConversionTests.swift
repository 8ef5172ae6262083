// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetHTTPTypes
import BluebonnetTesting
import Foundation
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(1))) struct ResponseConversionTests {
    private static func url() throws -> URL { try #require(URL(string: "https://shop.test/")) }

    @Test func headBecomesAResponse() throws {
        let fields: HeaderFields = ["Set-Cookie": "a=1", "set-cookie": "b=2", "X-Note": "\tcafé  "]
        let head = ResponseHead(url: try Self.url(), statusCode: 207, reasonPhrase: "Multi-Status", headers: fields)
        let response = try HTTPResponse(head)
        #expect(response.status.code == 207 && response.status.reasonPhrase == "Multi-Status")
        #expect(response.headerFields[values: .setCookie] == ["a=1", "b=2"])
        #expect(response.headerFields[try #require(HTTPField.Name("X-Note"))] == "café")
        #expect(response.headerFields.map(\.name.rawName) == ["Set-Cookie", "set-cookie", "X-Note"])
    }

    @Test func responseBecomesAHead() throws {
        let response = HTTPResponse(status: .notFound, headerFields: [.eTag: "\"1\""])
        let head = ResponseHead(response, url: try Self.url())
        #expect(head.statusCode == 404 && head.reasonPhrase == "Not Found" && head.headers == ["ETag": "\"1\""])
        #expect(try HTTPResponse(head) == response)
    }

    @Test func responseOfACallIsConverted() async throws {
        let manager = RequestOperationManager { _ in .json(["a": 1], status: 201) }
        let response = try HTTPResponse(await manager.call("POST", "a").response(as: JSONValue.self))
        #expect(response.status == .created && response.headerFields[.contentType] == "application/json")
    }

    @Test(arguments: [-1, 1000]) func statusOfOtherLengthIsRefused(status: Int) throws {
        let head = ResponseHead(url: try Self.url(), statusCode: status)
        let error = #expect(throws: NetworkingError.self) { try HTTPResponse(head) }
        #expect(error?.code == .badServerResponse && error?.message.contains("\(status)") == true)
    }

    @Test func fieldsWithoutAPlaceAreRefused() {
        for fields: HeaderFields in [["A B": "1"], ["": "1"], [":path": "1"], ["A": "\u{0}"], ["A": "a\nb"]] {
            let error = #expect(throws: NetworkingError.self) { try HTTPFields(fields) }
            #expect(error?.code == .invalidRequest)
        }
    }
}
