// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct ReferenceTemplateTests {
    typealias Reference = ReferenceTemplate.Reference

    @Test func variableIsFoundByTheBytesOfItsName() throws {
        let template = try ReferenceTemplate(parsing: "${env:\u{212A}}")
        let error = #expect(throws: NetworkingError.self) {
            try template.resolved(environment: ["K": "value"]) { _ in nil }
        }
        #expect(error?.code == .unresolvedReference)
        #expect(
            try ReferenceTemplate(parsing: "${env:K}").resolved(environment: ["K": "value"]) { _ in nil } == "value")
    }

    @Test(arguments: [
        ("${a.status}", "a", Reference.Selector.status),
        ("${a.body}", "a", .body(path: [])),
        ("${a.body.x}", "a", .body(path: ["x"])),
        ("${login.body.user.roles.0}", "login", .body(path: ["user", "roles", "0"])),
        ("${a.headers.Content-Type}", "a", .header("Content-Type")),
        ("${a.headers.x.y}", "a", .header("x.y")),
        ("${v1.2.status}", "v1.2", .status),
        ("${a.b.body.status}", "a.b", .body(path: ["status"])),
        ("${a.body.body.x}", "a", .body(path: ["body", "x"])),
        ("${body.body}", "body", .body(path: [])),
        ("${status.status}", "status", .status),
        ("${a.status.body.x}", "a.status", .body(path: ["x"])),
        ("${a.headers.body.x}", "a", .header("body.x")),
        ("${12.status}", "12", .status),
        ("${é x.status}", "é x", .status),
        ("${$.status}", "$", .status),
        ("${env:x.status}", "env:x", .status),
        ("${env:x.headers.etag}", "env:x", .header("etag")),
        ("${env:x.body}", "env:x", .body(path: [])),
    ])
    func referenceIsParsed(_ text: String, _ id: String, _ selector: Reference.Selector) throws {
        let template = try ReferenceTemplate(parsing: text)
        #expect(template.references.map(\.id) == [id])
        #expect(template.references.map(\.selector) == [selector])
        #expect(template.parts.count == 1)
        #expect(template.references[0].description == text)
    }

    @Test(arguments: [
        ("", []), ("plain", ["plain"]), ("$", ["$"]), ("$$", ["$$"]), ("5$ {x}", ["5$ {x}"]), ("a}b", ["a}b"]),
        ("$${", ["${"]), ("$${a.status}", ["${a.status}"]), ("$$${a.status}", ["$${a.status}"]),
        ("x${a.status}y", ["x", "<a>", "y"]), ("${a.status}${b.status}", ["<a>", "<b>"]),
        ("${a.status}}", ["<a>", "}"]), ("$${${a.status}", ["${", "<a>"]), ("$ ${a.status}$", ["$ ", "<a>", "$"]),
        ("é${a.status}\u{301}", ["é", "<a>", "\u{301}"]), ("${a.status}$${b.status}", ["<a>", "${b.status}"]),
        ("${env:A}", ["[A]"]), ("a${env:_b1}c", ["a", "[_b1]", "c"]), ("${env:a.b}", ["[a.b]"]),
        ("$${env:A}", ["${env:A}"]),
        ("${env:status}", ["[status]"]), ("${env: A}", ["[ A]"]), ("${env:é}${a.status}", ["[é]", "<a>"]),
        ("${a.items}", ["<a>"]), ("${a.pages}", ["<a>"]), ("${a.values.n}", ["<a>"]), ("${a/2.body.x}", ["<a/2>"]),
        ("${state.since}", ["{state/since}"]), ("${state.a.b\\.c}", ["{state/a/b.c}"]),
        ("${state.status}", ["<state>"]),
    ])
    func textAndReferencesAreSeparated(_ text: String, _ expected: [String]) throws {
        let parts = try ReferenceTemplate(parsing: text).parts.map { part in
            switch part {
            case .literal(let literal): literal
            case .reference(let reference): "<\(reference.id)>"
            case .environmentVariable(let name): "[\(name)]"
            case .variable(let name, let path): "{\(([name] + path).joined(separator: "/"))}"
            }
        }
        #expect(parts == expected)
    }

    @Test(arguments: [
        ("${user}", ["{user}"]), ("${user.id}", ["{user/id}"]), ("${user.body.x}", ["{user/body/x}"]),
        ("${user.status}-${users.status}", ["{user/status}", "-", "<users>"]), ("${user.a\\.b}", ["{user/a.b}"]),
    ])
    func nameOfTheElementComesFirst(_ text: String, _ expected: [String]) throws {
        let template = try ReferenceTemplate(parsing: text, field: nil, elementName: "user")
        let parts = template.parts.map { part in
            switch part {
            case .literal(let literal): literal
            case .reference(let reference): "<\(reference.id)>"
            case .environmentVariable(let name): "[\(name)]"
            case .variable(let name, let path): "{\(([name] + path).joined(separator: "/"))}"
            }
        }
        #expect(parts == expected && template.refers(to: "user"))
    }

    @Test(arguments: [
        ("${", "without"), ("a${b.status", "without"), ("${a.status} ${", "without"),
        ("${}", "expected ${ID.body.PATH}"), ("${a}", "${a}"), ("${a.state}", "${a.state}"), ("${status}", "${status}"),
        ("${a.headers}", "expected"), ("${a.status.x}", "expected"), ("${a.Body.x}", "expected"),
        ("${.status}", "no id"), ("${.body.x}", "no id"), ("${.headers.x}", "no id"),
        ("${a.body.}", "empty name"), ("${a.body.x..y}", "empty name"), ("${a.body.x.}", "empty name"),
        ("${a.headers.}", "empty name"), ("${env:}", "without \"=\" and NUL"), ("${env:A=B}", "found \"${env:A=B}\""),
        ("${env:A\0}", "without"), ("${env:A", "without \"}\""), ("${env}", "or ${env:NAME}"), ("${Env:A}", "expected"),
    ])
    func syntaxErrorNamesTheFieldAndTheReference(_ text: String, _ words: String) throws {
        let error = try #require(throws: RequestLineError.self) { try ReferenceTemplate(parsing: text, field: "url") }
        #expect(error.field == "url")
        #expect(error.line == nil)
        #expect(error.message.contains(words), "\(error)")
    }

    @Test func referencedIDsAreListedOnceInOrder() throws {
        let template = try ReferenceTemplate(parsing: "${b.status}${a.body}${b.headers.x}$${c.status}")
        #expect(template.referencedIDs == ["b", "a"])
    }

    @Test func resolvingJoinsTheTexts() throws {
        let template = try ReferenceTemplate(parsing: "<${a.status}|${b.status}> $${")
        #expect(try template.resolved { ReferenceSource(status: $0 == "a" ? 200 : 404) } == "<200|404> ${")
    }

    @Test func variableResolvesToItsValueWithoutADependency() throws {
        let template = try ReferenceTemplate(parsing: "${env:A}-${env:EMPTY}-${a.status}-${env:B}")
        let environment = ["A": "${env:B}", "B": "b", "EMPTY": ""]
        #expect(template.referencedIDs == ["a"])
        let text = try template.resolved(environment: environment) { _ in ReferenceSource(status: 200) }
        #expect(text == "${env:B}--200-b")
    }

    @Test func unsetVariableIsUnresolvedAndNamed() throws {
        let template = try ReferenceTemplate(parsing: "x${env:TOKEN}")
        let error = try #require(throws: NetworkingError.self) {
            try template.resolved(environment: ["token": "secret"]) { _ in nil }
        }
        #expect(error.code == .unresolvedReference)
        #expect(
            error.message == "${env:TOKEN}: the environment variable TOKEN is not set; set it in the environment of "
                + "the process that sends the request")
    }

    @Test func idWithoutResultIsUnresolved() throws {
        let template = try ReferenceTemplate(parsing: "${gone.body.x}")
        let error = try #require(throws: NetworkingError.self) { try template.resolved { _ in nil } }
        #expect(error.code == .unresolvedReference)
        #expect(error.message == "${gone.body.x}: gone has no result")
    }
}
