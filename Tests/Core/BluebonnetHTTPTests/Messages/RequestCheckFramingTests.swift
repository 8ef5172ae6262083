// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct RequestCheckFramingTests {
    @Test func matchingContentLengthIsRemoved() throws {
        let fields = try RequestCheck.fields([("A", "1"), ("content-length", "5"), ("B", "2")], bodyByteCount: 5)
        #expect(fields.sent.map(\.name) == ["A", "B"])
        #expect(fields.sent.map(\.value) == ["1", "2"])
        #expect(fields.declaredBodyByteCount == nil)
    }

    @Test(
        arguments: [
            ([("TE", "trailers")], "TE"), ([("te", "trailers"), ("connection", "close")], "close, TE"),
            ([("TE", "trailers"), ("Connection", "x, te")], "x, te"), ([("A", "1")], nil),
        ] as [([(String, String)], String?)])
    func teFieldIsListedInConnection(fields: [(String, String)], connection: String?) throws {
        let checked = try RequestCheck.fields(fields.map { (name: $0.0, value: $0.1) }, bodyByteCount: 0)
        #expect(checked.sent.first { $0.name.lowercased() == "connection" }?.value == connection)
    }

    @Test func zeroContentLengthIsAllowedWithoutBody() throws {
        #expect(try RequestCheck.fields([("Content-Length", "0")], bodyByteCount: 0).sent.isEmpty)
    }

    @Test func contentLengthDeclaresStreamLength() throws {
        let fields = try RequestCheck.fields([("Content-Length", "12"), ("Content-Length", "12")], bodyByteCount: nil)
        #expect(fields.sent.isEmpty)
        #expect(fields.declaredBodyByteCount == 12)
        #expect(try RequestCheck.fields([("A", "1")], bodyByteCount: nil).declaredBodyByteCount == nil)
    }

    @Test(
        arguments: [
            ([("Content-Length", "4")], 5), ([("Content-Length", "5")], 0), ([("Content-Length", "")], 5),
            ([("Content-Length", "+5")], 5), ([("Content-Length", " 5")], 5), ([("Content-Length", "-5")], nil),
            ([("Content-Length", "9223372036854775808")], nil),
            ([("Content-Length", "1"), ("content-length", "2")], nil),
            ([("Transfer-Encoding", "chunked")], nil), ([("transfer-encoding", "identity")], 5), ([("A", "\n")], 5),
            ([("TE", "trailers, Chunked")], 0),
        ] as [([(String, String)], Int64?)])
    func fieldsContradictingBodyAreRefused(fields: [(String, String)], bodyByteCount: Int64?) {
        let named = fields.map { (name: $0.0, value: $0.1) }
        let error = #expect(throws: NetworkingError.self) {
            try RequestCheck.fields(named, bodyByteCount: bodyByteCount)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.lowercased().contains(fields[0].0.lowercased()) == true)
    }
}
