// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch
@testable import BluebonnetNetwork

@Suite struct RequestLineStringsTests {
    /// The path of every string value in `RequestLineCodingTests.full`, in the order of the format.
    private static let places = [
        "url", "method", "headers.A", "text", "output", "expect.type[0]", "expect.sha256", "credential.user",
        "credential.password", "security.pins[0]", "security.ca", "security.clientCertificate", "security.clientKey",
        "proxy", "unixSocket", "resolve.h", "idempotencyKey",
    ]

    private func places(of line: RequestLine) -> [String] {
        var line = line
        var places: [String] = []
        line.replaceStrings { text, path in
            places.append(path.description)
            return text
        }
        return places
    }

    @Test func everyStringExceptIDsIsVisitedOnceInOrder() {
        #expect(places(of: RequestLineCodingTests.full) == Self.places)
    }

    @Test func stringsOfBodiesAndQueriesAreVisited() {
        let tree = JSONValue.object(["b": .array([.integer(1), "x".json]), "a": "y".json, "c": .null])
        let bodies: [(RequestLine.Body, [String])] = [
            (.json(tree), ["json.a", "json.b[1]"]), (.json("x".json), ["json"]),
            (.plist(tree), ["plist.a", "plist.b[1]"]),
            (.form(["z": "1".json, "a": tree]), ["form.a.a", "form.a.b[1]", "form.z"]), (.file("f"), ["file"]),
            (
                .multipart([
                    .init(name: "n", content: .value("v")),
                    .init(name: "n", content: .file(path: "p", filename: "f", contentType: "c")),
                ]),
                [
                    "multipart[0].name", "multipart[0].value", "multipart[1].name", "multipart[1].file",
                    "multipart[1].filename", "multipart[1].contentType",
                ]
            ),
        ]
        for (body, expected) in bodies {
            #expect(places(of: RequestLine(url: "u", body: body)) == ["url", "method"] + expected)
        }
        var line = RequestLine(url: "u")
        line.query = ["q": tree]
        #expect(places(of: line) == ["url", "method", "query.q.a", "query.q.b[1]"])
    }

    /// Most lines set so few fields that the search for references skips them. Each field alone must be enough to
    /// start it.
    @Test func referenceInAnyFieldIsFound() throws {
        let reference = "${a.status}"
        let changes: [(inout RequestLine) -> Void] = [
            { $0.url = reference }, { $0.method = reference }, { $0.headers = ["A": reference] },
            { $0.query = ["q": .string(reference)] }, { $0.body = .text(reference) }, { $0.output = reference },
            { $0.expect = .init(type: [reference]) }, { $0.expect = .init(sha256: reference) },
            { $0.credential = .init(user: reference, password: "") },
            { $0.credential = .init(user: "", password: reference) }, { $0.proxy = reference },
            { $0.unixSocket = reference }, { $0.resolve = ["h": reference] },
            { $0.idempotencyKey = .value(reference) },
            { $0.security = Self.security { $0.pins = [reference] } },
            { $0.security = Self.security { $0.ca = reference } },
            { $0.security = Self.security { $0.clientCertificate = reference } },
            { $0.security = Self.security { $0.clientKey = reference } },
        ]
        for (number, change) in changes.enumerated() {
            var line = RequestLine(url: "u")
            change(&line)
            #expect(try line.referencedIDs() == ["a"], "the change of index \(number)")
            let resolved = try line.resolved { $0 == "a" ? ReferenceSource(status: 204) : nil }
            #expect(try resolved.referencedIDs() == [], "the change of index \(number)")
            #expect(resolved != line)
        }
    }

    private static func security(_ change: (inout RequestLine.Security) -> Void) -> RequestLine.Security {
        var security = RequestLine.Security()
        change(&security)
        return security
    }

    @Test func everyStringIsReplacedAndNothingElse() throws {
        var line = RequestLineCodingTests.full
        line.replaceStrings { text, _ in "<\(text)>" }
        #expect(line.url == "<https://h/>" && line.method == "<POST>" && line.headers == ["A": "<b>"])
        #expect(line.body == .text("<t>") && line.output == "<o>" && line.expect?.type == ["<a/b>"])
        #expect(line.credential == .init(user: "<u>", password: "<p>") && line.security?.pins == ["<p.pem>"])
        #expect(line.proxy == "<http://p>" && line.unixSocket == "</s>" && line.resolve == ["h": "<::1>"])
        #expect(line.id == "i" && line.after == ["x", "y"])
        #expect(line.query == RequestLineCodingTests.full.query)
    }

    @Test func referencedIDsComeFromAllFieldsEachOnce() throws {
        var line = RequestLine(id: "${no.status}", url: "${a.body.x}/${b.status}", body: .json(["${c.body}".json].json))
        line.headers = ["${no.status}": "${a.status}", "B": "${d.headers.etag}"]
        line.after = ["${no.status}"]
        #expect(try line.referencedIDs() == ["a", "b", "d", "c"])
    }

    @Test func syntaxErrorNamesTheField() throws {
        var line = RequestLine(url: "u", body: .json(.object(["a": .array([.null, "${x".json])])))
        #expect(
            throws: RequestLineError(field: "json.a[1]", message: #""${" without "}"; write "$${" for a literal "${""#)
        ) {
            try line.referencedIDs()
        }
        line.body = nil
        line.headers = ["Accept": "${x.nonsense}"]
        let error = try #require(throws: RequestLineError.self) { try line.referencedIDs() }
        #expect(error.field == "headers.Accept")
    }

    @Test func resolvingReplacesEverywhere() throws {
        var line = RequestLine(
            id: "me", url: "/${a.body.id}?s=${a.status}", body: .json(["$${x} ${a.body.name}".json].json))
        line.headers = ["Authorization": "Bearer ${a.headers.X-Token}"]
        line.output = "out-${a.body.id}.txt"
        let source = ReferenceSource(
            status: 201, headers: ["x-token": "T"], body: Data(#"{"id":7,"name":"${a.status}"}"#.utf8))
        let resolved = try line.resolved { $0 == "a" ? source : nil }
        #expect(resolved.url == "/7?s=201")
        #expect(resolved.body == .json(["${x} ${a.status}".json].json))
        #expect(resolved.headers == ["Authorization": "Bearer T"])
        #expect(resolved.output == "out-7.txt")
        #expect(resolved.id == "me")
    }

    @Test func deepestReadableLineIsResolvedAndWritten() throws {
        let depth = JSONParser.maximumDepth - 1
        let value = String(repeating: "[", count: depth) + #""${a.status}""# + String(repeating: "]", count: depth)
        let text = Data(#"{"url":"u","json":\#(value)}"#.utf8)
        let line = try #require(try RequestLineParser().parse(line: text, number: 1)).line
        #expect(try line.referencedIDs() == ["a"])
        let resolved = try line.resolved { _ in ReferenceSource(status: 200) }
        guard case .json(let json) = resolved.body else { return #expect(resolved.body != nil) }
        #expect(JSONText.text(of: json) == value.replacing("${a.status}", with: "200"))
    }

    @Test func variablesAreFoundInAllFieldsAndAreNoDependencies() throws {
        var line = RequestLine(url: "/${env:A}", body: .json(["${env:B} $${env:no}".json].json))
        line.headers = ["X": "${env:C}"]
        line.idempotencyKey = .value("${env:D}")
        #expect(try line.referencedIDs() == [])
        #expect(line.environmentNames == ["A", "B", "C", "D"])
        let resolved = try line.resolved(environment: ["A": "1", "B": "2", "C": "3", "D": "4"]) { _ in nil }
        #expect(resolved.url == "/1" && resolved.headers == ["X": "3"] && resolved.idempotencyKey == .value("4"))
        #expect(resolved.body == .json(["2 ${env:no}".json].json))
    }

    @Test func commonHeaderIsResolvedOnlyWhereItIsAdded() throws {
        var line = RequestLine(url: "u")
        let fields: HeaderFields = ["A": "Bearer ${env:TOKEN}", "B": "$${"]
        let completed = try line.completed(with: fields, environment: ["TOKEN": "${x.status}"])
        #expect(completed.headers == ["A": "Bearer ${x.status}", "B": "${"])
        let error = try #require(throws: NetworkingError.self) { try line.completed(with: fields, environment: [:]) }
        #expect(error.code == .unresolvedReference && error.message.contains("TOKEN is not set"))
        line.headers = ["a": "own"]
        #expect(try line.completed(with: fields, environment: [:]).headers == ["a": "own", "B": "${"])
    }

    @Test func resolvingWithoutTheResultFails() throws {
        var line = RequestLine(url: "u")
        line.headers = ["A": "${gone.status}"]
        let error = try #require(throws: NetworkingError.self) { try line.resolved { _ in nil } }
        #expect(error.code == .unresolvedReference)
        #expect(error.message.contains("${gone.status}"))
        line.headers = ["A": "${broken"]
        let syntax = try #require(throws: NetworkingError.self) { try line.resolved { _ in nil } }
        #expect(syntax.code == .unresolvedReference && syntax.message.contains("headers.A"))
    }
}

extension String {
    /// The string as a JSON value.
    fileprivate var json: JSONValue { .string(self) }
}

extension [JSONValue] {
    /// The elements as a JSON value.
    fileprivate var json: JSONValue { .array(self) }
}
