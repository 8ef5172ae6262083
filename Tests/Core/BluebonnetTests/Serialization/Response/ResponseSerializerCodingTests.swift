// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import FoundationXML
import Testing

@testable import Bluebonnet

@Suite struct ResponseSerializerCodingTests {
    private func again<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    private let validation = ResponseValidation(
        acceptableStatusCodes: IndexSet([200, 204, 404]), acceptableContentTypes: ["a/b", "image/*"])

    @Test func validationIsEncodedAndDecoded() throws {
        #expect(try again(validation) == validation)
        let any = ResponseValidation(acceptableStatusCodes: nil, acceptableContentTypes: nil)
        #expect(try again(any) == any)
        #expect(try again(ResponseValidation()) == ResponseValidation())
    }

    @Test func everyOptionIsEncodedAndDecoded() throws {
        var http = HTTPResponseSerializer(validation: validation)
        http.stringEncoding = .isoLatin1
        #expect(try again(http).validation == validation)
        #expect(try again(http).stringEncoding == .isoLatin1)
        var json = JSONResponseSerializer()
        json.validation = validation
        json.removesKeysWithNullValues = true
        json.removesNullElements = true
        json.allowsFragments = false
        json.stringEncoding = .utf16LittleEndian
        let sameJSON = try again(json)
        #expect(sameJSON.validation == validation)
        #expect(sameJSON.removesKeysWithNullValues && sameJSON.removesNullElements && !sameJSON.allowsFragments)
        #expect(sameJSON.stringEncoding == .utf16LittleEndian)
        #expect(try again(JSONResponseSerializer()).stringEncoding == nil)
        var list = PropertyListResponseSerializer()
        list.validation = validation
        #expect(try again(list).validation == validation)
        var parser = XMLParserResponseSerializer()
        parser.validation = validation
        #expect(try again(parser).validation == validation)
        var document = XMLDocumentResponseSerializer(options: [.nodePreserveWhitespace])
        document.validation = validation
        #expect(try again(document).validation == validation)
        #expect(try again(document).options == [.nodePreserveWhitespace])
    }

    @Test func decodedCompoundKeepsItsMembersInOrder() throws {
        var json = JSONResponseSerializer()
        json.allowsFragments = false
        let inner = CompoundResponseSerializer([XMLParserResponseSerializer(), HTTPResponseSerializer()])
        let compound = try again(CompoundResponseSerializer([json, PropertyListResponseSerializer(), inner]))
        let types = compound.serializers.map { "\(type(of: $0))" }
        #expect(
            types == ["JSONResponseSerializer", "PropertyListResponseSerializer", "CompoundResponseSerializer"])
        #expect((compound.serializers[0] as? JSONResponseSerializer)?.allowsFragments == false)
        #expect((compound.serializers[2] as? CompoundResponseSerializer)?.serializers.count == 2)
        #expect(compound.validation == CompoundResponseSerializer([json]).validation)
    }

    @Test func unencodableMemberIsNamed() throws {
        let compound = CompoundResponseSerializer([
            JSONResponseSerializer(), DecodableResponseSerializer([Int].self),
        ])
        let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(compound) }
        guard case .invalidValue(_, let context)? = error else { return #expect(error == nil, "another error") }
        #expect(context.debugDescription == "DecodableResponseSerializer<Array<Int>> cannot be encoded")
    }

    @Test func emptyCompoundIsRefused() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CompoundResponseSerializer.self, from: Data("[]".utf8))
        }
    }
}
