// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    /// Names that are canonically equivalent but have different bytes.
    @Suite struct SpellingTests {
        private static let ids = ["\u{E9}", "e\u{301}", "K", "\u{212A}"]
        private static let lines = ids.map { "{\"id\":\"\($0)\",\"url\":\"a\"}" }

        private func ids(_ end: CommandProcess.End) throws -> Set<[UInt8]> {
            Set(try end.results.filter { $0.outcome == .success }.map { Array($0.id.utf8) })
        }

        @Test func idsOfDifferentBytesHaveAResultEach() async throws {
            try await CommandFixture.with { fixture in
                let expected = Set(Self.ids.map { Array($0.utf8) })
                #expect(try await ids(fixture.run(Self.lines)) == expected)
                let input = try fixture.open(try fixture.file(Self.lines))
                #expect(try await ids(fixture.start(input: input.fileDescriptor).end()) == expected)
                let journal = fixture.folder.path("journal")
                #expect(try await ids(fixture.run(Self.lines, ["--journal", journal])) == expected)
            }
        }

        @Test func outputsOfDifferentBytesAreTwoFiles() async throws {
            let script: TestServer.Script = { .response(body: $0.path) }
            try await CommandFixture.with(script) { fixture in
                let names = ["\u{E9}", "e\u{301}"]
                let lines = names.enumerated().map {
                    "{\"url\":\"\($0)\",\"output\":\"\(fixture.folder.url.path)/\($1)\"}"
                }
                let end = try await fixture.run(lines)
                #expect(end.status == 0, "\(end.output)\(end.errors)")
                for (number, name) in names.enumerated() {
                    let body = try Data(contentsOf: URL(fileURLWithPath: "\(fixture.folder.url.path)/\(name)"))
                    #expect(String(decoding: body, as: UTF8.self) == "/\(number)")
                }
            }
        }

        @Test func referencesAndFormsDistinguishSpellings() async throws {
            let twins = "{\"\u{E9}\":1,\"e\u{301}\":12345678901234567890}"
            let script: TestServer.Script = { .response(body: $0.path == "/a" ? twins : "") }
            try await CommandFixture.with(script) { fixture in
                let lines = [
                    #"{"id":"n","url":"a"}"#,
                    "{\"url\":\"b\",\"query\":{\"q\":\"${n.body.\u{E9}} ${n.body.e\u{301}}\"}}",
                    "{\"url\":\"c\",\"method\":\"POST\",\"form\":\(twins)}",
                ]
                let end = try await fixture.run(lines)
                #expect(end.status == 0, "\(end.output)\(end.errors)")
                let requests = fixture.server.requests
                #expect(requests.contains { $0.target == "/b?q=1%2012345678901234567890" }, "\(requests.map(\.target))")
                let form = requests.first { $0.path == "/c" }
                #expect(form?.bodyText == "e%CC%81=12345678901234567890&%C3%A9=1")
            }
        }

        @Test func headerOfBlanksIsSentWithoutValue() async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run([#"{"url":"a","headers":{"X-Blank":" \t","X-Empty":""}}"#])
                #expect(end.status == 0, "\(end.output)")
                let headers = try #require(fixture.server.requests.first).headers
                #expect(headers["X-Blank"] == "" && headers["X-Empty"] == "")
            }
        }

        @Test func blankKeyOfTheEnvironmentSendsNothing() async throws {
            let script: TestServer.Script = { _ in .close }
            try await CommandFixture.with(script) { fixture in
                let lines = [
                    #"{"url":"a","method":"POST","text":"x","idempotencyKey":"${env:E}"}"#,
                    #"{"url":"b","method":"POST","text":"x","headers":{"Idempotency-Key":"${env:E}"}}"#,
                ]
                let command = [CommandProcess.path(of: "bluebonnet"), "run", try fixture.file(lines)]
                let options = ["--base-url", fixture.server.url("/").absoluteString, "--retries", "2"]
                let end = try await CommandProcess(
                    ["E= "] + command + options, program: "/usr/bin/env", in: fixture.folder
                ).end()
                let codes = try end.results.map { $0.error?.code }
                #expect(
                    codes == [.invalidRequest, .invalidRequest] && fixture.server.requests.isEmpty, "\(end.output)")
            }
        }
    }
}
