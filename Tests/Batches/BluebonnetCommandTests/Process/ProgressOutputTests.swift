// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import Testing

extension ProcessTests {
    @Suite struct ProgressOutputTests {
        @Test(arguments: ["auto", "never"])
        func pipeGetsOnlyTheSummaryAndNothingWhenQuiet(mode: String) async throws {
            try await CommandFixture.with { _ in
                .response(status: 404)
            } _: { fixture in
                let results = fixture.folder.path("results.ndjson")
                let arguments = ["--progress", mode, "--results", results]
                let end = try await fixture.run([#"{"id":"it","url":"a"}"#], arguments)
                #expect(end.status == 1 && end.output.isEmpty)
                let lines = end.errors.split(separator: "\n")
                #expect(lines.count == 3 && lines[0].hasPrefix("1 request in "))
                #expect(lines[1] == "0 succeeded, 1 failed" && lines[2].hasPrefix("  it  unacceptableStatus: "))
                #expect(try await fixture.run([#"{"url":"a"}"#], arguments + ["--quiet"]).errors.isEmpty)
            }
        }

        @Test func dumbTerminalGetsTheSummaryWithoutControlSequences() async throws {
            try await CommandFixture.with { fixture in
                let terminal = try TestTerminal(columns: 60)
                let program = ["/usr/bin/env", "TERM=dumb"]
                let process = try fixture.start(
                    by: program, [fixture.file([#"{"url":"a"}"#])], errors: terminal.inside)
                let text = await terminal.read(until: "1 succeeded")
                #expect(await process.end().status == 0)
                terminal.close()
                #expect(text.hasPrefix("1 request in ") && !text.contains("\u{1B}"))
            }
        }

        @Test func readingFromATerminalIsAnnounced() async throws {
            try await CommandFixture.with { fixture in
                let terminal = try TestTerminal(columns: 80)
                let process = try fixture.start(input: terminal.inside, errors: terminal.inside)
                let text = await terminal.read(until: "Ctrl-D ends them")
                #expect(text == "reading request lines from the terminal; Ctrl-D ends them")
                process.send(SIGINT)
                #expect(await process.end().status == 130)
                terminal.close()
            }
        }

        @Test func helpShowsReadableLines() async throws {
            try await CommandFixture.with { fixture in
                let help = try await CommandProcess(["run", "--help"], in: fixture.folder).end().output
                let lines = help.split(separator: "\n").filter { $0.hasPrefix("{") }
                #expect(lines.count == 3)
                for line in lines {
                    #expect(try RequestLineParser().parse(line: Data(line.utf8), number: 1) != nil, "\(line)")
                }
            }
        }

        @Test func pipedProgressHasNoControlSequencesAndASummary() async throws {
            try await CommandFixture.with { _ in
                .response(status: 404, body: "x")
            } _: { fixture in
                let end = try await fixture.run([#"{"id":"it","url":"a"}"#], ["--progress", "always"])
                #expect(end.status == 1)
                #expect(!end.errors.contains("\u{1B}"))
                #expect(end.errors.contains("1 request in "))
                #expect(end.errors.contains("\n0 succeeded, 1 failed\n  it  unacceptableStatus: "))
                #expect(try end.results.count == 1)
            }
        }

        @Test func barsAreReplacedByTheSummaryAndTheCursorReturns() async throws {
            let gate = Gate()
            try await CommandFixture.with { _ in
                Reply.steps([.wait(until: gate)] + Reply.response(body: "hello").steps)
            } _: { fixture in
                let terminal = try TestTerminal(columns: 60)
                let process = try fixture.start([fixture.file([#"{"url":"a"}"#])], errors: terminal.inside)
                var text = await terminal.read(until: "0/1")
                gate.open()
                text += await terminal.read(until: "succeeded")
                #expect(await process.end().status == 0)
                terminal.close()
                let afterBars = try #require(text.range(of: "\u{1B}[?25h", options: .backwards))
                #expect(text.hasPrefix("\u{1B}[?25l"))
                #expect(text[afterBars.upperBound...].hasPrefix("1 request in "))
                #expect(!text[afterBars.upperBound...].contains("\u{1B}"))
            }
        }

        @Test func secondSignalRestoresTheCursor() async throws {
            try await CommandFixture.with { request in
                request.path == "/last" ? .stall : .response(body: String(repeating: "x", count: 200_000))
            } _: { fixture in
                let (terminal, pipe) = (try TestTerminal(columns: 60), try TestPipe())
                let lines = [#"{"url":"first"}"#, #"{"url":"last","after":["1"]}"#]
                let process = try fixture.start([fixture.file(lines)], output: pipe.writeEnd, errors: terminal.inside)
                pipe.closeWriteEnd()
                await fixture.server.waitForRequests(count: 2)
                _ = await terminal.read(until: "1/2")
                process.send(SIGINT)
                await fixture.server.waitForConnectionsToClose()
                process.send(SIGINT)
                #expect(await terminal.read(until: "\u{1B}[?25h").hasSuffix("\u{1B}[?25h"))
                #expect(await process.end().status == 130)
                pipe.closeReadEnd()
                terminal.close()
            }
        }

        @Test func resultsOnTheSameTerminalHaveTheirOwnLines() async throws {
            let gate = Gate()
            try await CommandFixture.with { request in
                request.path == "/a" ? .response(body: "hello") : .steps([.wait(until: gate)] + Reply.response().steps)
            } _: { fixture in
                let terminal = try TestTerminal(columns: 60)
                let process = try fixture.start(
                    [fixture.file([#"{"id":"b","url":"b"}"#, #"{"id":"a","url":"a","after":[]}"#])],
                    output: terminal.inside, errors: terminal.inside)
                var text = await terminal.read(until: "1/2")
                gate.open()
                text += await terminal.read(until: "succeeded")
                #expect(await process.end().status == 0)
                terminal.close()
                for id in ["a", "b"] {
                    let start = try #require(text.range(of: #"{"id":"\#(id)""#)).lowerBound
                    #expect(start == text.startIndex || text[..<start].hasSuffix("\u{1B}[?25h"))
                }
            }
        }
    }
}
