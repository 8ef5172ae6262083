// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct CompoundResponseSerializerTests {
    private func value(
        _ serializers: [any ResponseSerializer], _ body: String, type: String = "application/json", status: Int = 200
    ) throws -> any Sendable {
        let fields = [(name: "Content-Type", value: type)]
        let response = try ResponseHead(
            url: #require(URL(string: "http://h/")), statusCode: status, headers: HeaderFields(fields)
        )
        return try CompoundResponseSerializer(serializers).value(for: response, body: Data(body.utf8))
    }

    private let list = "<plist><array/></plist>"

    @Test func firstSerializerThatUnderstandsTheBodyWins() throws {
        let both: [any ResponseSerializer] = [JSONResponseSerializer(), PropertyListResponseSerializer()]
        #expect(try value(both, "[1]") as? JSONValue == .array([.integer(1)]))
        #expect(try value(both, list, type: "application/x-plist") as? PropertyListValue == .array([]))
        #expect(try value([HTTPResponseSerializer()] + both, "[1]") as? Data == Data("[1]".utf8))
        #expect(try value(both + [HTTPResponseSerializer()], "[1,", type: "a/b") as? Data == Data("[1,".utf8))
    }

    @Test func unparsableBodyIsAnErrorWithAllErrors() throws {
        let error = #expect(throws: NetworkingError.self) {
            try value([PropertyListResponseSerializer(), JSONResponseSerializer()], "[1,")
        }
        #expect(error?.code == .cannotParseResponse)
        #expect(error?.body == Data("[1,".utf8))
        let failure = try #require(error?.underlying as? CompoundFailure)
        #expect(failure.errors.map(\.code) == [.unacceptableContentType, .cannotParseResponse])
    }

    @Test func unacceptableResponseIsNotParsed() {
        let error = #expect(throws: NetworkingError.self) {
            try value([PropertyListResponseSerializer(), JSONResponseSerializer()], "[1]", type: "text/html")
        }
        #expect(error?.code == .unacceptableContentType)
    }

    @Test func compoundSerializerAcceptsTheStatusesOfAll() throws {
        var problem = JSONResponseSerializer()
        problem.validation.acceptableStatusCodes = [400]
        let serializers: [any ResponseSerializer] = [problem, PropertyListResponseSerializer()]
        let validation = CompoundResponseSerializer(serializers).validation
        #expect([200, 299, 400].allSatisfy(validation.accepts))
        #expect(![300, 401, 404].contains(where: validation.accepts))
        #expect(validation.acceptableContentTypes == nil)
        #expect(try value(serializers, "{}", status: 400) as? JSONValue == .object([:]))
        #expect(throws: NetworkingError.self) { try value(serializers, "{}", status: 200) }
        let any = CompoundResponseSerializer([HTTPResponseSerializer(validation: .init(acceptableStatusCodes: nil))])
        #expect(any.validation.acceptableStatusCodes == nil)
    }
}
