// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationXML
import Testing

@testable import Bluebonnet

/// Programs keep encoded values in files, so the names and numbers in them must not change. An earlier version wrote
/// each of these texts.
@Suite struct ArchiveFormatTests {
    private static let validation =
        #"{"acceptableContentTypes":["a\/b"],"acceptableStatusCodes":{"indexes":[{"length":1,"location":200}]}}"#

    private func decoded<Value: Codable>(_ type: Value.Type, _ text: String) throws -> Value {
        let value = try JSONDecoder().decode(type, from: Data(text.utf8))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
        return value
    }

    @Test func responseSerializersKeepTheirFormat() throws {
        let text = #"{"stringEncoding":5,"validation":\#(Self.validation)}"#
        let http = try decoded(HTTPResponseSerializer.self, text)
        #expect(http.stringEncoding == .isoLatin1)
        #expect(http.validation.acceptableStatusCodes == [200])
        #expect(http.validation.acceptableContentTypes == ["a/b"])
        #expect(try decoded(StringResponseSerializer.self, text).stringEncoding == .isoLatin1)
        let document = try decoded(
            XMLDocumentResponseSerializer.self, #"{"options":16777216,"validation":\#(Self.validation)}"#)
        #expect(document.options == .nodePreserveCDATA)
    }

    @Test(arguments: [(#""stringEncoding":10,"#, String.Encoding.utf16), ("", nil)])
    func jsonSerializerKeepsItsFormat(field: String, encoding: String.Encoding?) throws {
        let flags = #""allowsFragments":false,"removesKeysWithNullValues":true,"removesNullElements":false,"#
        let json = try decoded(JSONResponseSerializer.self, "{\(flags)\(field)\"validation\":\(Self.validation)}")
        #expect(!json.allowsFragments && json.removesKeysWithNullValues && !json.removesNullElements)
        #expect(json.stringEncoding == encoding)
    }

    @Test func jsonRequestSerializerKeepsItsFormat() throws {
        let http =
            #"{"headers":[],"methodsEncodingParametersInURL":["GET"],"properties":{},"#
            + #""querySerialization":"standard","stringEncoding":4}"#
        let json = try decoded(JSONRequestSerializer.self, #"{"http":\#(http),"writingOptions":1}"#)
        #expect(json.writingOptions == .prettyPrinted)
        #expect(json.http.methodsEncodingParametersInURL == ["GET"])
    }

    @Test func reportOnlyPinsKeepTheirFormat() throws {
        let key = #"sha256\/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="#
        let pins = try decoded(ReportOnlyPins.self, #"{"expires":0,"pins":{"keys":["\#(key)"]}}"#)
        #expect(pins.expires == Date(timeIntervalSinceReferenceDate: 0))
        #expect(pins.pins.keys.map(\.digest) == [Data(count: 32)])
    }
}
