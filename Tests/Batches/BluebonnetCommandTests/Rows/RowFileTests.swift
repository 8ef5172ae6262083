// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetCommand

extension ProcessTests {
    @Suite struct RowFileTests {
        private static let lines = [
            #"{"id":"a","url":"a","extract":{"n":"$.n"}}"#,
            #"{"id":"b","url":"b","rows":"$.rows[*]","extract":{"sku":"$.s","status":{"status":true}},"after":["a"]}"#,
            #"{"id":"c","url":"bad","extract":{"n":"$.n"},"after":["b"]}"#, #"{"id":"d","url":"a","after":["b"]}"#,
        ]
        private static let csv = "id,n,sku,status\r\na,7,,\r\nb,,x,200\r\nb,,y,200\r\n"

        private static func script(_ request: ReceivedRequest) -> Reply {
            if request.path == "/bad" { return .response(status: 500, body: #"{"n":9}"#) }
            return .response(body: #"{"n":7,"rows":[{"s":"x"},{"s":"y"}]}"#)
        }

        private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

        @Test func rowsOfSuccessesAreInTheFile() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let path = try fixture.folder.write("rows.csv", String(repeating: "old", count: 1_000))
                let end = try await fixture.run(Self.lines, ["--into", path])
                #expect(end.status == 1)
                #expect(try end.results.count == 4)
                #expect(try text(path) == Self.csv)
            }
        }

        @Test func streamHasTheSameRows() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let (path, pipe) = (fixture.folder.path("rows.csv"), try TestPipe())
                let process = try fixture.start(["--into", path], input: pipe.readEnd)
                pipe.write(Self.lines.map { $0 + "\n" }.joined())
                pipe.closeWriteEnd()
                #expect(await process.end().status == 1)
                pipe.closeReadEnd()
                #expect(try text(path) == Self.csv)
            }
        }

        @Test func clashingColumnsLeaveTheFileAsItWas() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let path = try fixture.folder.write("rows.sqlite", "old")
                let lines = [#"{"url":"a","extract":{"name":"$.n"}}"#, #"{"url":"a","extract":{"Name":"$.n"}}"#]
                let end = try await fixture.run(lines, ["--into", path])
                #expect(end.status == 2)
                let problem = "SQLite does not distinguish the column from \"name\" of line 1: use another name"
                #expect(end.errors == "line 2, field \"extract.Name\": \(problem)\n")
                #expect(try text(path) == "old" && fixture.server.connectionCount == 0)
            }
        }

        @Test func clashingColumnsOfAStreamAreAnErrorOfTheLine() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let (path, pipe) = (fixture.folder.path("rows.sqlite"), try TestPipe())
                let process = try fixture.start(["--into", path], input: pipe.readEnd)
                pipe.write(#"{"url":"a","extract":{"n":"$.n","N":"$.n"}}"# + "\n")
                let end = await process.end()
                pipe.closeWriteEnd()
                pipe.closeReadEnd()
                #expect(end.status == 2 && end.errors.hasPrefix("line 1, field \"extract.n\": SQLite does not "))
                #expect(fixture.server.connectionCount == 0)
            }
        }

        @Test func continuedRunHasEachRowOnce() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let (path, journal) = (fixture.folder.path("rows.csv"), fixture.folder.path("journal"))
                let arguments = [try fixture.file(Self.lines), "--into", path, "--journal", journal]
                for _ in 0..<2 {
                    #expect(try await fixture.start(arguments).end().status == 1)
                    #expect(try text(path) == Self.csv)
                }
                #expect(fixture.server.requests.count == 4)
            }
        }

        @Test func fullDiskStopsTheRunWithAMessage() async throws {
            try await CommandFixture.with { request in
                request.path == "/slow" ? .stall : .response(body: #"{"n":7}"#)
            } _: { fixture in
                let path = fixture.folder.path("full.ndjson")
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
                let lines = [#"{"url":"slow"}"#, Self.lines[0]]
                let end = try await fixture.run(lines, ["--into", path])
                #expect(end.status == 1)
                let reason = "No space left on device; the run was stopped"
                #expect(end.errors == "Error: cannot write to \(path) for --into: \(reason)\n")
            }
        }

        @Test(arguments: ["lines", "results", "output"])
        func otherFileOfTheRunIsNotOverwritten(_ other: String) async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let (lines, results) = (try fixture.file(Self.lines), try fixture.folder.write("results", "kept"))
                let path = fixture.folder.path("rows.csv")
                let target = ["lines": lines, "results": results, "output": path][other] ?? ""
                if other == "output" {
                    let line = #"{"url":"a","output":"\#(target)"}"#
                    #expect(try await fixture.run([line], ["--into", path]).status == 2)
                } else {
                    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
                    let end = try await fixture.start([lines, "--into", path, "--results", results]).end()
                    #expect(end.status == 2)
                    #expect(end.errors.contains("cannot open \(path) for --into: it is the file of the re"))
                    #expect(try text(results) == "kept")
                }
                #expect(fixture.server.connectionCount == 0)
            }
        }
    }
}
