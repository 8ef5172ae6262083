// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite(.timeLimit(.minutes(1))) struct ReferenceSourceTests {
    private static let source = ReferenceSource(
        status: 204,
        headers: ["Content-Type": "text/plain", "X-A": "1", "x-a": "2", "Empty": ""],
        body: Data(
            #"""
            {"token":"t\"é","n":7,"neg":-1.5,"whole":5.0,"big":1e300,"t":true,"f":false,"nil":null,
             "user":{"roles":["admin",{"id":3}],"0":"zero"},"list":[2,"b",null],"obj":{"b":1,"a":["x/y"]}}
            """#.utf8))

    private func resolve(_ reference: String, _ source: ReferenceSource = source) throws -> String {
        try ReferenceTemplate(parsing: "${a.\(reference)}").resolved { _ in source }
    }

    @Test(arguments: [
        ("status", "204"), ("headers.content-type", "text/plain"), ("headers.X-a", "1, 2"), ("headers.empty", ""),
        ("body.token", "t\"é"), ("body.n", "7"), ("body.neg", "-1.5"), ("body.whole", "5.0"), ("body.t", "true"),
        ("body.f", "false"), ("body.nil", "null"), ("body.user.roles.0", "admin"), ("body.user.roles.1.id", "3"),
        ("body.user.0", "zero"), ("body.list", #"[2,"b",null]"#), ("body.obj", #"{"a":["x/y"],"b":1}"#),
        ("body.big", "1e300"),
    ])
    func referenceFindsItsText(_ reference: String, _ text: String) throws {
        #expect(try resolve(reference) == text)
    }

    @Test(arguments: [
        ("headers.missing", "no header missing"), ("body.missing", #"the body is an object without "missing""#),
        ("body.user.name.first", #"user is an object without "name""#),
        ("body.list.3", #"list is an array of 3 without "3""#), ("body.list.-1", "without \"-1\""),
        ("body.list.00", "without \"00\""), ("body.list.b", "without \"b\""),
        ("body.token.x", #"token is a string without "x""#), ("body.n.0", "n is a number"),
        ("body.nil.x", "nil is null"), ("body.user.roles.0.x", "user.roles.0 is a string"),
    ])
    func errorNamesWhatIsMissing(_ reference: String, _ words: String) throws {
        let error = try #require(throws: NetworkingError.self) { try resolve(reference) }
        #expect(error.code == .unresolvedReference)
        #expect(error.message.hasPrefix("${a.\(reference)}: "))
        #expect(error.message.contains(words), "\(error)")
    }

    private static let faulty = ReferenceSource(
        body: Data(#"{"t":"\ud83d","n":NaN,"big":1E400,"token":"x","id":12345678901234567890,"o":{"p":100.10}}"#.utf8))

    @Test(arguments: [("token", "x"), ("id", "12345678901234567890"), ("o", #"{"p":100.10}"#), ("big", "1E400")])
    func memberIsFoundInPartlyInvalidJSON(path: String, text: String) throws {
        #expect(try resolve("body.\(path)", Self.faulty) == text)
    }

    @Test(arguments: [
        ("t", "t is not JSON: a string contains half a surrogate pair"), ("n", "n is not JSON"),
        ("gone", "the body has no gone, and is not JSON"),
    ])
    func memberThatIsNotJSONIsNamed(path: String, words: String) throws {
        let error = try #require(throws: NetworkingError.self) { try resolve("body.\(path)", Self.faulty) }
        #expect(error.code == .unresolvedReference && error.message.contains(words), "\(error)")
    }

    @Test func bodyIsReadInItsCharset() throws {
        let latin: HeaderFields = ["Content-Type": "application/json; charset=ISO-8859-1"]
        let body = Data([UInt8]("{\"a\":\"".utf8) + [0xE9] + [UInt8]("\"}".utf8))
        #expect(try resolve("body.a", ReferenceSource(headers: latin, body: body)) == "\u{E9}")
        #expect(try resolve("body", ReferenceSource(headers: latin, body: body)) == "{\"a\":\"\u{E9}\"}")
        let error = try #require(throws: NetworkingError.self) { try resolve("body.a", ReferenceSource(body: body)) }
        #expect(error.message.contains("a string is not UTF-8"), "\(error)")
    }

    @Test func memberIsFoundByTheBytesOfItsName() throws {
        let source = ReferenceSource(body: Data("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8))
        #expect(try resolve("body.\u{E9}", source) == "1")
        #expect(try resolve("body.e\u{301}", source) == "2")
    }

    @Test func dotInANameIsWrittenWithABackslash() throws {
        let source = ReferenceSource(body: Data(#"{"a.b":{"c.d.e":7},"a":{"b":8},"x\\":9}"#.utf8))
        #expect(try resolve(#"body.x\"#, source) == "9")
        #expect(try resolve(#"body.a\.b.c\.d\.e"#, source) == "7")
        #expect(try resolve("body.a.b", source) == "8")
        let template = try ReferenceTemplate(parsing: #"${n.body.a\.b.c}"#)
        #expect(template.references.map(\.description) == [#"${n.body.a\.b.c}"#])
    }

    @Test func wholeBodyIsInsertedAsText() throws {
        #expect(try resolve("body", ReferenceSource(body: Data("not { json é".utf8))) == "not { json é")
        #expect(try resolve("body", ReferenceSource(body: Data())) == "")
    }

    @Test(arguments: [
        ("status", ReferenceSource(), "no response"),
        ("body", ReferenceSource(status: 200), "not kept in memory"),
        ("body.x", ReferenceSource(status: 200), "not kept in memory"),
        ("body", ReferenceSource(body: Data([0xFF])), "not text in utf-8"),
        ("body.x", ReferenceSource(body: Data("<html>".utf8)), "not JSON"),
        ("body.x", ReferenceSource(body: Data()), "not JSON"),
        ("body.0", ReferenceSource(body: Data("7".utf8)), "the body is a number"),
    ])
    func missingPartOfTheSourceIsAnError(_ reference: String, _ source: ReferenceSource, _ words: String) throws {
        let error = try #require(throws: NetworkingError.self) { try resolve(reference, source) }
        #expect(error.code == .unresolvedReference && error.message.contains(words), "\(error)")
    }

    @Test func arrayBodyIsSearched() throws {
        #expect(try resolve("body.1.id", ReferenceSource(body: Data(#"[0,{"id":"x"}]"#.utf8))) == "x")
    }

    @Test func copiesOfASourceWorkOnManyThreads() async throws {
        let source = Self.source
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try resolve("body.user.roles.0", source) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts == ["admin"])
    }
}
