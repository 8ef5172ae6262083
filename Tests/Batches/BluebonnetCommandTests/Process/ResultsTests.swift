// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import TestSupport
import Testing

extension ProcessTests {
    @Suite struct ResultsTests {
        @Test func resultsGoToTheFileAndNotToStandardOutput() async throws {
            try await CommandFixture.with { fixture in
                let path = try fixture.folder.write("results.ndjson", String(repeating: "before ", count: 1_000))
                let end = try await fixture.run([#"{"url":"a"}"#], ["--results", path])
                #expect(end.status == 0)
                #expect(end.output.isEmpty)
                let text = try String(contentsOfFile: path, encoding: .utf8)
                #expect(try CommandProcess.End.results(in: text).map(\.body) == ["hello"])
            }
        }

        @Test func unopenableResultsFileExitsWithTwoAndSendsNothing() async throws {
            try await CommandFixture.with { fixture in
                let path = fixture.folder.path("no/such/folder")
                let end = try await fixture.run([#"{"url":"a"}"#], ["--results", path])
                #expect(end.status == 2)
                #expect(end.errors.contains(path))
                #expect(fixture.server.connectionCount == 0)
            }
        }

        @Test func requestFileIsNotOverwritten() async throws {
            try await CommandFixture.with { fixture in
                let path = try fixture.file([#"{"url":"a"}"#])
                let end = try await fixture.start([path, "--results", path]).end()
                #expect(end.status == 2)
                #expect(try String(contentsOfFile: path, encoding: .utf8) == #"{"url":"a"}"# + "\n")
            }
        }

        @Test func closedPipeStopsTheRunWithAMessage() async throws {
            try await CommandFixture.with { request in
                request.path == "/slow" ? .stall : .response(body: "hello")
            } _: { fixture in
                let pipe = try TestPipe()
                let lines = [#"{"url":"slow"}"#, #"{"id":"a","url":"a"}"#, #"{"url":"b","after":["a"]}"#]
                let process = try fixture.start([fixture.file(lines)], output: pipe.writeEnd)
                pipe.closeWriteEnd()
                pipe.closeReadEnd()
                let end = await process.end()
                #expect(end.status == 1)
                #expect(end.errors.contains("cannot write results to standard output: Broken pipe"))
            }
        }

        @Test func fullDiskStopsTheRunWithAMessage() async throws {
            try await CommandFixture.with { request in
                request.path == "/slow" ? .stall : .response(body: "hello")
            } _: { fixture in
                let end = try await fixture.run([#"{"url":"slow"}"#, #"{"url":"a"}"#], ["--results", "/dev/full"])
                #expect(end.status == 1)
                #expect(end.errors.contains("cannot write results to /dev/full: No space left on device"))
            }
        }

        @Test(.skipped(in: .thread, because: "the limit on files meets the sanitizer's own memory, too"))
        func fileAtItsSizeLimitKeepsWholeLines() async throws {
            try await CommandFixture.with { fixture in
                let lines = try fixture.file((0..<50).map { #"{"id":"\#($0)","url":"a"}"# })
                let (program, results) = (CommandProcess.path(of: "bluebonnet"), fixture.folder.path("results.ndjson"))
                let base = fixture.server.url("/").absoluteString
                // Eight blocks are 4096 bytes. A result line takes about 400 of them.
                let words = ["-c", "ulimit -f 8; exec \"$0\" \"$@\"", program, "run", lines, "--base-url", base]
                let all = words + ["--results", results]
                let end = try await CommandProcess(all, program: "/bin/sh", in: fixture.folder).end()
                #expect(end.status == 1)
                #expect(end.errors.contains("cannot write results to \(results): File too large"))
                let text = try String(contentsOfFile: results, encoding: .utf8)
                #expect(text.isEmpty || text.hasSuffix("\n"))
                let count = try CommandProcess.End.results(in: text).count
                #expect((1..<50).contains(count))
            }
        }

        @Test func slowReaderGetsWholeLines() async throws {
            let body = String(repeating: "ä", count: 5_000)
            try await CommandFixture.with { _ in
                .response(body: body)
            } _: { fixture in
                let pipe = try TestPipe()
                let lines = (0..<50).map { #"{"id":"\#($0)","url":"a"}"# }
                let process = try fixture.start([fixture.file(lines)], output: pipe.writeEnd)
                pipe.closeWriteEnd()
                let text = await pipe.readToEnd(pieces: 1_000)
                pipe.closeReadEnd()
                #expect(await process.end().status == 0)
                let results = try CommandProcess.End.results(in: text)
                #expect(Set(results.map(\.id)) == Set((0..<50).map(String.init)))
                #expect(results.allSatisfy { $0.bytes == 10_000 && $0.body == body })
            }
        }

        @Test(arguments: [
            ("text", "/text", "caf\u{E9}"), ("text", "/bytes", nil), ("base64", "/text", "Y2Fmw6k="),
            ("base64", "/bytes", "//4A"), ("none", "/text", nil),
        ])
        func bodyHasTheRequestedForm(_ form: String, _ path: String, _ body: String?) async throws {
            try await CommandFixture.with { request in
                .response(body: request.path == "/text" ? Data("café".utf8) : Data([0xFF, 0xFE, 0x00]))
            } _: { fixture in
                let end = try await fixture.run([#"{"url":"\#(path)"}"#], ["--body", form])
                #expect(try end.results.map(\.body) == [body])
                #expect(try end.results.map(\.bytes) == [path == "/text" ? 5 : 3])
            }
        }

        @Test func failFastCancelsUnfinishedLines() async throws {
            try await CommandFixture.with { request in
                request.path == "/bad" ? .response(status: 500, body: "") : .stall
            } _: { fixture in
                let end = try await fixture.run(
                    [#"{"id":"slow","url":"slow"}"#, #"{"id":"bad","url":"bad"}"#], ["--fail-fast"])
                #expect(end.status == 1)
                let outcomes = try Dictionary(uniqueKeysWithValues: end.results.map { ($0.id, $0.outcome.rawValue) })
                #expect(outcomes == ["slow": "cancelled", "bad": "failure"])
            }
        }
    }
}
