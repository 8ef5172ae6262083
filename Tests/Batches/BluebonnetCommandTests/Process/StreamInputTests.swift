// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    @Suite struct StreamInputTests {
        @Test func pipedLineStartsBeforeTheNextArrives() async throws {
            try await CommandFixture.with { fixture in
                let pipe = try TestPipe()
                let process = try fixture.start(["-"], input: pipe.readEnd)
                pipe.closeReadEnd()
                pipe.write(#"{"id":"a","url":"a"}"# + "\n")
                await fixture.server.waitForRequests(count: 1)
                pipe.write(#"{"id":"b","url":"b","after":["a"]}"#)
                pipe.closeWriteEnd()
                let end = await process.end()
                #expect(end.status == 0)
                #expect(try end.results.map(\.id) == ["a", "b"])
            }
        }

        @Test func commentsInAPipeAreSkippedButCounted() async throws {
            try await CommandFixture.with { fixture in
                let pipe = try TestPipe()
                let process = try fixture.start(input: pipe.readEnd)
                pipe.closeReadEnd()
                pipe.write("# one\n" + #"{"url":"a"}"# + "\n\n#\n" + #"{"url":"b"}"# + "\n" + #"{"url":1}"# + "\n# end")
                pipe.closeWriteEnd()
                let end = await process.end()
                #expect(end.status == 2)
                #expect(end.errors.hasPrefix(#"line 6, field "url": "#))
                #expect(Set(try end.results.map(\.id)) == ["2", "5"])
            }
        }

        @Test func wrongLineStopsReadingAndStartedLinesFinish() async throws {
            let gate = Gate()
            try await CommandFixture.with { _ in
                Reply.steps([.wait(until: gate)] + Reply.response(body: "late").steps)
            } _: { fixture in
                let pipe = try TestPipe()
                let process = try fixture.start(input: pipe.readEnd)
                pipe.closeReadEnd()
                pipe.write([#"{"url":"a"}"#, #"{"url":false}"#, #"{"url":"c"}"#].map { $0 + "\n" }.joined())
                await fixture.server.waitForRequests(count: 1)
                gate.open()
                let end = await process.end()
                pipe.closeWriteEnd()
                #expect(end.status == 2)
                #expect(end.errors.hasPrefix(#"line 2, field "url": "#))
                #expect(try end.results.map(\.body) == ["late"])
                #expect(fixture.server.requests.map(\.path) == ["/a"])
            }
        }

        @Test func pipedLineCannotWaitForALaterOne() async throws {
            try await CommandFixture.with { fixture in
                let pipe = try TestPipe()
                let process = try fixture.start(input: pipe.readEnd)
                pipe.closeReadEnd()
                pipe.write(#"{"url":"a","after":["b"]}"# + "\n" + #"{"id":"b","url":"b"}"# + "\n")
                pipe.closeWriteEnd()
                let end = await process.end()
                #expect(end.status == 2)
                #expect(end.errors.hasPrefix(#"line 1, field "after[0]": "#))
                #expect(fixture.server.connectionCount == 0)
            }
        }

        @Test func failFastEndsARunWithAnOpenPipe() async throws {
            try await CommandFixture.with { request in
                request.path == "/bad" ? .response(status: 500, body: "") : .stall
            } _: { fixture in
                let pipe = try TestPipe()
                // Slots for all lines, so that unanswered lines do not keep the bad one from being sent.
                let arguments = ["--fail-fast", "--concurrency", "200", "--per-origin", "200"]
                let process = try fixture.start(arguments, input: pipe.readEnd)
                pipe.closeReadEnd()
                let lines = (0..<100).map { #"{"id":"\#($0)","url":"slow"}"# + "\n" }
                pipe.write(#"{"id":"bad","url":"bad"}"# + "\n" + lines.joined())
                let end = await process.end()
                pipe.closeWriteEnd()
                #expect(end.status == 1)
                let outcomes = try Dictionary(uniqueKeysWithValues: end.results.map { ($0.id, $0.outcome.rawValue) })
                #expect(outcomes.count == 101)
                #expect(outcomes["bad"] == "failure")
                #expect(outcomes.values.count { $0 == "cancelled" } == 100)
            }
        }

        @Test func unreadableInputExitsWithTwo() async throws {
            try await CommandFixture.with { fixture in
                let input = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/null"))
                let end = try await fixture.start(input: input.fileDescriptor).end()
                #expect(end.status == 2)
                #expect(end.errors == "Error: cannot read the request lines: Bad file descriptor\n")
            }
        }
    }
}
