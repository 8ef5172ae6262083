// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetBatch

@Suite struct InsertedPathTests {
    /// Returns the path of a line whose reference `${a.body.n}` has a value.
    private static func path(
        _ output: String, _ value: String, _ environment: [String: String] = [:]
    ) throws -> String? {
        var line = RequestLine(url: "u")
        line.output = output
        let body = JSONValue.object(["n": .string(value)]).jsonText
        let source = ReferenceSource(status: 200, body: Data(body.utf8))
        return try line.resolved(environment: environment) { _ in source }.output
    }

    @Test(arguments: [
        ("${a.body.n}", "../evil"), ("${a.body.n}", "/tmp/evil"), ("sub/${a.body.n}.json", "../evil"),
        ("sub/${a.body.n}", ".."), ("sub/${a.body.n}", "."), ("sub/.${a.body.n}", "."), ("sub/${a.body.n}.", "."),
        ("sub/${a.body.n}/x", ".."), ("${a.body.n}", ""), ("sub/${a.body.n}/x", ""), ("${a.body.n}/etc/x", ""),
        ("sub/${a.body.n}", "a\0b"), ("sub/${a.body.n}", "a/b"), ("${a.body.n}${a.body.n}", "."),
    ])
    func valueThatCouldLeadElsewhereIsRefused(output: String, value: String) throws {
        let error = try #require(throws: NetworkingError.self) { _ = try Self.path(output, value) }
        #expect(error.code == .cannotOpenFile)
        #expect(error.message.hasPrefix("the path in \"output\" cannot be used: the value of ${a.body.n} "))
    }

    @Test func valueThatIsPartOfOneNameIsInserted() throws {
        #expect(try Self.path("../sub/${a.body.n}.json", "..") == "../sub/...json")
        #expect(try Self.path("/x//${a.body.n}/", "n m") == "/x//n m/")
        #expect(try Self.path("${env:DIR}/${a.body.n}", "n", ["DIR": "/var/../data"]) == "/var/../data/n")
        #expect(try Self.path("$${x}/${a.body.n}${a.status}", "") == "${x}/200")
    }

    @Test func otherFieldsMayContainSlashes() throws {
        var line = RequestLine(url: "${a.body}")
        line.output = "f"
        let source = ReferenceSource(status: 200, body: Data("../x".utf8))
        #expect(try line.resolved { _ in source }.url == "../x")
    }
}
