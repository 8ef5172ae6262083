// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

extension ProcessTests {
    /// Lines with `stream` on the command line.
    @Suite struct StreamOptionTests {
        /// Events and lines without an end.
        private static let endless: TestServer.Script = { request in
            let isEvents = request.path == "/events"
            let fields: WireFields = [
                "Transfer-Encoding": "chunked", "Content-Type": isEvents ? "text/event-stream" : "text/plain",
            ]
            let items = (1...4).map { Reply.Step.chunk(Data((isEvents ? "data: \($0)\n\n" : "\($0)\n").utf8)) }
            return Reply([.head(status: 200, fields: fields)] + items + [.stall])
        }

        /// The stream ends after the items as a success, although the server sends no end.
        @Test func maxItemsEndsEachStream() async throws {
            try await CommandFixture.with(Self.endless) { fixture in
                let lines = [
                    #"{"id":"e","url":"events","stream":"events"}"#, #"{"id":"l","url":"lines","stream":"lines"}"#,
                ]
                let end = try await fixture.run(lines, ["--max-items", "2"])
                #expect(end.status == 0 && end.errors.isEmpty)
                let results = try end.results
                #expect(results.filter { $0.id.hasPrefix("e") }.map(\.id) == ["e/1", "e/2", "e"])
                #expect(results.filter { $0.id.hasPrefix("l") }.map(\.id) == ["l/1", "l/2", "l"])
                #expect(results.filter { $0.item == nil }.map(\.items) == [2, 2])
                #expect(results.allSatisfy { $0.outcome == .success })
            }
        }

        @Test func maxItemsOfTheLineReplacesTheOption() async throws {
            try await CommandFixture.with(Self.endless) { fixture in
                let line = #"{"id":"e","url":"events","stream":"events","maxItems":3}"#
                let end = try await fixture.run([line], ["--max-items", "1"])
                #expect(end.status == 0)
                #expect(try end.results.map(\.id) == ["e/1", "e/2", "e/3", "e"])
            }
        }

        /// Without an option, all items of a stream with an end are read.
        @Test func streamHasNoLimitByDefault() async throws {
            try await CommandFixture.with(
                { _ in .response(body: "1\n2\n3\n") },
                { fixture in
                    let end = try await fixture.run([#"{"id":"l","url":"lines","stream":"lines"}"#])
                    #expect(try end.results.map(\.id) == ["l/1", "l/2", "l/3", "l"])
                })
        }

        /// The second run sends nothing, and writes the items again: as results, as rows and as test cases.
        @Test func journalHasTheItemsOfAStream() async throws {
            try await CommandFixture.with(
                { _ in .response(body: "{\"i\":1}\n{\"i\":2}\n{\"i\":3}\n") },
                { fixture in
                    // The second line of the file runs first.
                    let file = try fixture.file([
                        #"{"id":"s","url":"lines","stream":"lines","extract":{"i":"$.i"},"after":["a"]}"#,
                        #"{"id":"a","url":"a"}"#,
                    ])
                    let (rows, report) = (fixture.folder.path("o.csv"), fixture.folder.path("r.xml"))
                    let journal = fixture.folder.path("j")
                    let options = ["--journal", journal, "--into", rows, "--report", "junit=\(report)"]
                    for _ in 1...2 {
                        let end = try await fixture.start([file] + options).end()
                        #expect(end.status == 0)
                        #expect(try end.results.map(\.id) == ["a", "s/1", "s/2", "s/3", "s"])
                        #expect(try end.results.map(\.items) == [nil, nil, nil, nil, 3])
                        let table = try String(contentsOfFile: rows, encoding: .utf8).split(whereSeparator: \.isNewline)
                        #expect(table == ["id,i", "s/1,1", "s/2,2", "s/3,3"])
                        let cases = try String(contentsOfFile: report, encoding: .utf8)
                        #expect(cases.components(separatedBy: "<testcase ").count == 1 + 5)
                    }
                    #expect(fixture.server.requests.map(\.path) == ["/a", "/lines"])
                })
        }

        /// The line is refused before the store is used: nothing listens there.
        @Test(arguments: ["events", "lines"]) func submitRefusesStreams(form: String) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let line = #"{"id":"a","url":"http://127.0.0.1/","stream":"\#(form)"}"#
            let file = try folder.write("lines.ndjson", line + "\n")
            let store = "postgresql://fleet@127.0.0.1:\(try LoopbackPort.unused())/fleet"
            let end = try await CommandProcess(["submit", file, "--store", store], in: folder).end()
            #expect(end.status == 2 && end.output.isEmpty)
            let reason = "a fleet does not read streams item by item: use bluebonnet run"
            #expect(end.errors.contains(#"line 1, field "stream": \#(reason)"#), "\(end.errors)")
            #expect(!end.errors.contains("store"))
        }
    }
}
