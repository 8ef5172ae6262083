// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    /// Header fields for every line.
    @Suite struct HeaderTests {
        @Test func headerIsAddedToLinesThatDoNotSetIt() async throws {
            try await CommandFixture.with { fixture in
                let lines = [
                    #"{"url":"a"}"#, #"{"url":"b","headers":{"x-client":"mine"}}"#,
                    #"{"url":"c","method":"POST","json":{"a":1}}"#,
                ]
                let end = try await fixture.run(
                    lines,
                    [
                        "--header", "X-Client: demo", "--header", "Accept:text/html", "--header", "Accept: text/plain",
                        "--header", "X-Price: $${", "--concurrency", "1",
                    ])
                #expect(end.status == 0, "\(end.errors)")
                let requests = fixture.server.requests
                let clients = Dictionary(requests.map { ($0.path, $0.headers["x-client"]) }, uniquingKeysWith: { $1 })
                #expect(requests.count == 3 && clients == ["/a": "demo", "/b": "mine", "/c": "demo"])
                #expect(requests.allSatisfy { $0.headers["accept"] == "text/html, text/plain" })
                #expect(requests.allSatisfy { $0.headers["x-price"] == "${" })
                let types = requests.filter { $0.path == "/c" }.map { $0.headers["content-type"] }
                #expect(types == ["application/json"])
            }
        }

        @Test func environmentVariableIsSentAndNeverShown() async throws {
            try await CommandFixture.with { fixture in
                let lines = [
                    #"{"id":"a","url":"a?key=${env:BLUEBONNET_KEY}","headers":{"X":"${env:BLUEBONNET_KEY}"}}"#,
                    #"{"id":"b","url":"b?key=${env:BLUEBONNET_GONE}"}"#,
                    #"{"id":"c","url":"c","headers":{"X":"${env:BLUEBONNET_BREAK}"}}"#,
                ]
                let command = [CommandProcess.path(of: "bluebonnet"), "run", try fixture.file(lines)]
                let options = ["--base-url", fixture.server.url("/").absoluteString]
                let header = ["--header", "Authorization: Bearer ${env:BLUEBONNET_KEY}"]
                let environment = ["BLUEBONNET_KEY=s3cr3t+key", "BLUEBONNET_BREAK=s3cr3t\nbreak"]
                let end = try await CommandProcess(
                    environment + command + options + header, program: "/usr/bin/env", in: fixture.folder
                ).end()
                #expect(end.status == 1, "\(end.errors)")
                let requests = fixture.server.requests
                #expect(requests.count == 1 && requests.first?.target == "/a?key=s3cr3t+key")
                #expect(requests.first?.headers["authorization"] == "Bearer s3cr3t+key")
                #expect(requests.first?.headers["x"] == "s3cr3t+key")
                #expect(end.output.contains(#"/a?key=${env:BLUEBONNET_KEY}""#), "\(end.output)")
                #expect(end.output.contains("the environment variable BLUEBONNET_GONE is not set"))
                #expect(end.output.contains("the value of header X contains"))
                #expect(!end.output.contains("s3cr3t") && !end.errors.contains("s3cr3t"), "\(end.output)\(end.errors)")
            }
        }

        @Test func unsendableHeaderEndsTheCommandBeforeSending() async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run([#"{"url":"a"}"#], ["--header", "no colon"])
                #expect(end.status == 2)
                #expect(end.errors.contains("--header: "), "\(end.errors)")
                #expect(end.errors.contains("has no colon: write Name: value"))
                let type = try await fixture.run([#"{"url":"a"}"#], ["--header", "content-TYPE: text/csv"])
                #expect(
                    type.status == 2 && type.errors.contains("depends on the body of each request"), "\(type.errors)")
                #expect(fixture.server.requests.isEmpty)
            }
        }

        /// The shell splits an unquoted header into several arguments.
        @Test(arguments: [
            ["--header", "Authorization:", "Bearer", "s3cret", "lines"], ["--header", "Authorization:", "s3cret"],
            ["--header", "X-Key:s", "file", "s3cret"], ["--header=Authorization:", "Basic", "-s3cret"],
            ["--base-url", "http://h/", "file", "s3cret"],
        ])
        func restOfAnUnquotedValueIsNotShown(arguments: [String]) async throws {
            try await CommandFixture.with { fixture in
                let end = try await CommandProcess(["run"] + arguments, in: fixture.folder).end()
                #expect(end.status == 2)
                #expect(end.errors.contains("quotation marks"), "\(end.errors)")
                #expect(!(end.output + end.errors).contains("s3cret"), "\(end.output)\(end.errors)")
            }
        }
    }
}
