// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite struct RequestSerializerCodingTests {
    private func again<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    private var http: HTTPRequestSerializer {
        var serializer = HTTPRequestSerializer()
        serializer.headers = ["X-One": "1", "User-Agent": "me"]
        serializer.bearerToken = "t"
        serializer.methodsEncodingParametersInURL = ["QUERY"]
        serializer.stringEncoding = .isoLatin1
        serializer.properties.cachePolicy = .reloadIgnoringLocalCacheData
        serializer.properties.networkServiceType = .background
        serializer.properties.allowsCellularAccess = false
        serializer.properties.handlesCookies = false
        return serializer
    }

    private func expectSame(_ first: HTTPRequestSerializer, _ second: HTTPRequestSerializer) {
        #expect(first.headers == second.headers)
        #expect(first.methodsEncodingParametersInURL == second.methodsEncodingParametersInURL)
        #expect(first.stringEncoding == second.stringEncoding)
        #expect(first.properties == second.properties)
    }

    @Test func everyOptionIsEncodedAndDecoded() throws {
        expectSame(try again(http), http)
        expectSame(try again(HTTPRequestSerializer()), HTTPRequestSerializer())
        var json = JSONRequestSerializer()
        json.http = http
        json.writingOptions = [.prettyPrinted]
        expectSame(try again(json).http, http)
        #expect(try again(json).writingOptions == [.prettyPrinted])
        var list = PropertyListRequestSerializer(format: .binary)
        list.http = http
        expectSame(try again(list).http, http)
        #expect(try again(list).format == .binary)
    }

    @Test func customFunctionIsRefusedByName() throws {
        var serializer = JSONRequestSerializer()
        serializer.http.querySerialization = .custom { _, _ in "" }
        let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(serializer) }
        guard case .invalidValue(_, let context)? = error else { return #expect(error == nil, "another error") }
        #expect(context.codingPath.map(\.stringValue) == ["http", "querySerialization"])
        #expect(context.debugDescription.contains("a custom query serialization"))
    }

    @Test(arguments: [
        #"{"cachePolicy":77}"#, #"{"networkServiceType":77}"#,
    ])
    func unknownPolicyNumberIsRefused(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(RequestProperties.self, from: Data(text.utf8)) }
    }

    @Test func unknownQuerySerializationIsRefused() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([QuerySerialization].self, from: Data(#"["other"]"#.utf8))
        }
    }
}
