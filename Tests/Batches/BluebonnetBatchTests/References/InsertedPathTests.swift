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
        let part = RequestLine.Part(
            name: "${a.body}", content: .file(path: "f", filename: "${a.body}", contentType: nil))
        var line = RequestLine(url: "${a.body}", body: .multipart([part]))
        line.output = "f"
        let source = ReferenceSource(status: 200, body: Data("../x".utf8))
        let resolved = try line.resolved { _ in source }
        #expect(resolved.url == "../x")
        let content = RequestLine.Part.Content.file(path: "f", filename: "../x", contentType: nil)
        #expect(resolved.body == .multipart([RequestLine.Part(name: "../x", content: content)]))
    }
}

// MARK: - Files that are sent

extension InsertedPathTests {
    /// Returns the paths in the bodies of a line whose reference `${a.body.n}`, element `${e.n}` and member
    /// `${state.n}` have a value.
    private static func sentPaths(
        _ path: String, _ value: String, each source: RequestLine.FanOut.Source
    ) throws -> [String] {
        let object = JSONObject(["n": .string(value)])
        let response = ReferenceSource(status: 200, body: Data(JSONValue.object(object).jsonText.utf8))
        let variables = LineVariables(state: object).with(.object(object), as: "e")
        let file = RequestLine.Part.Content.file(path: path, filename: nil, contentType: nil)
        let parts = [
            RequestLine.Part(name: "p", content: .value(value)), RequestLine.Part(name: "q", content: file),
        ]
        return try [RequestLine.Body.file(path), .multipart(parts)].map { body in
            var line = RequestLine(url: "u", body: body)
            var pipeline = RequestLine.Pipeline()
            pipeline.each = RequestLine.FanOut(source, as: "e")
            line.pipeline = pipeline
            let resolved = try line.resolved(environment: ["DIR": "/var"], variables: variables) { _ in response }
            switch resolved.body {
            case .file(let path): return path
            case .multipart(let parts):
                if case .file(let path, _, _)? = parts.last?.content { return path }
                return ""
            default: return ""
            }
        }
    }

    @Test(arguments: ["a.body", "e", "state"], ["../evil", "/etc/passwd", "..", "", "a\0b"])
    func valueOfAServerCannotChooseTheFolder(source: String, value: String) throws {
        let reference = "${\(source).n}"
        let error = try #require(throws: NetworkingError.self) {
            _ = try Self.sentPaths("out/\(reference)", value, each: .line("l"))
        }
        #expect(error.code == .cannotReadFile)
        #expect(error.message.hasPrefix("the path in \"file\" cannot be used: the value of \(reference) "))
    }

    @Test func errorNamesTheFileOfAPart() throws {
        let part = RequestLine.Part(
            name: "p", content: .file(path: "${a.body}", filename: nil, contentType: nil))
        let source = ReferenceSource(status: 200, body: Data("/etc/passwd".utf8))
        let error = try #require(throws: NetworkingError.self) {
            _ = try RequestLine(url: "u", body: .multipart([part])).resolved { _ in source }
        }
        #expect(error.message.hasPrefix("the path in \"multipart[0].file\" cannot be used: "))
    }

    @Test func valueThatIsPartOfOneNameIsSent() throws {
        let paths = try Self.sentPaths("${env:DIR}/x/${a.body.n}-${e.n}", "n.txt", each: .line("l"))
        #expect(paths == ["/var/x/n.txt-n.txt", "/var/x/n.txt-n.txt"])
    }

    @Test func rowOfAFileMayNameAnyFile() throws {
        #expect(try Self.sentPaths("${e.n}", "../a/b", each: .file("f.csv")) == ["../a/b", "../a/b"])
        #expect(throws: NetworkingError.self) { try Self.sentPaths("${a.body.n}", "../a/b", each: .file("f.csv")) }
    }
}
