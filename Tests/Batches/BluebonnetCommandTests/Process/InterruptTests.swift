// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import Testing

extension ProcessTests {
    @Suite struct InterruptTests {
        private static let lines =
            [#"{"id":"waits","url":"b","after":["0"]}"#] + (0..<10).map { #"{"id":"\#($0)","url":"a"}"# }

        @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
        func signalCancelsEveryLineAndEachHasAResult(_ signal: Int32) async throws {
            try await CommandFixture.with { _ in
                .stall
            } _: { fixture in
                let process = try fixture.start([fixture.file(Self.lines), "--drain-timeout", "0"])
                await fixture.server.waitForRequests(count: 6)
                process.send(signal)
                let end = await process.end()
                #expect(end.status == 130)
                #expect(end.errors.isEmpty)
                let results = try end.results
                #expect(Set(results.map(\.id)) == Set(["waits"] + (0..<10).map(String.init)))
                #expect(results.count == 11)
                #expect(results.allSatisfy { $0.outcome == .cancelled && $0.error?.code == .cancelled })
                #expect(fixture.server.requests.count == 6)
            }
        }

        @Test func terminationLetsStartedRequestsFinishAndCancelsTheRest() async throws {
            let gate = Gate()
            try await CommandFixture.with { _ in
                Reply([.wait(until: gate)] + Reply.response(body: "late").steps)
            } _: { fixture in
                let process = try fixture.start([fixture.file(Self.lines), "--drain-timeout", "100"])
                await fixture.server.waitForRequests(count: 6)
                process.send(SIGTERM)
                // Answer the six requests only after the process has taken the signal. Only its pending signals show
                // that from outside.
                try await eventually(Self.pendingSignals(of: process)) { !$0.contains(SIGTERM) }
                gate.open()
                let end = await process.end()
                #expect(end.status == 130)
                let results = try end.results
                #expect(results.count == 11)
                #expect(Set(results.map(\.id)).count == 11)
                #expect(results.filter { $0.outcome == .success }.count >= 6)
                #expect(results.allSatisfy { $0.outcome == .success || $0.outcome == .cancelled })
            }
        }

        @Test func signalsIgnoredAtTheStartStayIgnored() async throws {
            let gate = Gate()
            try await CommandFixture.with { _ in
                Reply([.wait(until: gate)] + Reply.response(body: "late").steps)
            } _: { fixture in
                let program = ["/usr/bin/env", "--ignore-signal=HUP", "--ignore-signal=INT"]
                let process = try fixture.start(by: program, [fixture.file([#"{"url":"a"}"#])])
                await fixture.server.waitForRequests(count: 1)
                for signal in [SIGHUP, SIGINT] { process.send(signal) }
                gate.open()
                let end = await process.end()
                #expect(end.status == 0)
                #expect(try end.results.map(\.outcome) == [.success])
            }
        }

        @Test func terminationBeyondTheDrainTimeoutIsACancel() async throws {
            try await CommandFixture.with { _ in
                .stall
            } _: { fixture in
                let process = try fixture.start([fixture.file(Self.lines), "--drain-timeout", "0.05"])
                await fixture.server.waitForRequests(count: 6)
                process.send(SIGTERM)
                let end = await process.end()
                #expect(end.status == 130)
                #expect(try end.results.count == 11)
                #expect(try end.results.allSatisfy { $0.outcome == .cancelled })
            }
        }

        @Test func secondSignalEndsADrainAtOnce() async throws {
            try await CommandFixture.with { _ in
                .stall
            } _: { fixture in
                let process = try fixture.start([fixture.file(Self.lines), "--drain-timeout", "1000"])
                await fixture.server.waitForRequests(count: 6)
                process.send(SIGTERM)
                process.send(SIGINT)
                #expect(await process.end().status == 130)
            }
        }

        /// The signals that are pending for the process as a whole (proc(5): ShdPnd; SigPnd is per thread).
        private static func pendingSignals(of process: CommandProcess) throws -> Set<Int32> {
            let text = try String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("ShdPnd:") }
            let mask = line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) } ?? 0
            return Set((1...64).filter { mask >> UInt64($0 - 1) & 1 == 1 }.map(Int32.init))
        }

        @Test func signalEndsARunWhoseInputStaysOpen() async throws {
            try await CommandFixture.with { _ in
                .stall
            } _: { fixture in
                let pipe = try TestPipe()
                let process = try fixture.start(input: pipe.readEnd)
                pipe.closeReadEnd()
                pipe.write(#"{"id":"a","url":"a"}"# + "\n" + #"{"id":"b","url":"b"}"# + "\n" + #"{"id":"half"#)
                await fixture.server.waitForRequests(count: 2)
                process.send(SIGINT)
                let end = await process.end()
                pipe.closeWriteEnd()
                #expect(end.status == 130)
                #expect(try Set(end.results.map(\.id)) == ["a", "b"])
            }
        }

        @Test func signalEndsARunThatWaitsForANamedPipe() async throws {
            try await CommandFixture.with { fixture in
                let path = fixture.folder.path("pipe")
                #expect(mkfifo(path, 0o600) == 0)
                let results = fixture.folder.path("results.ndjson")
                let process = try fixture.start([path, "--results", results])
                // When the results file exists, the command already handles signals.
                await becomes(0) { access(results, F_OK) }
                process.send(SIGTERM)
                #expect(await process.end().status == 130)
            }
        }

        @Test(arguments: ["--plan", "--results"])
        func firstSignalEndsARunThatOpensNamedPipes(option: String) async throws {
            try await CommandFixture.with { fixture in
                let (input, results) = (fixture.folder.path("input"), fixture.folder.path("results"))
                for path in [input, results] { #expect(mkfifo(path, 0o600) == 0) }
                let process = try fixture.start([input, option] + (option == "--results" ? [results] : []))
                // A plan waits for lines, and another run for a reader of its results. The command handles signals
                // before it opens the input, which cannot be opened for writing without waiting until then.
                var writer: CInt = -1
                await becomes(true) {
                    writer = open(input, O_WRONLY | O_NONBLOCK)
                    return writer >= 0
                }
                process.send(SIGTERM)
                let end = await process.end()
                close(writer)
                #expect(end.status == 130 && end.output == "" && end.errors == "")
            }
        }

        @Test func namedPipeOfElementsIsRefused() async throws {
            try await CommandFixture.with { fixture in
                let path = fixture.folder.path("rows.csv")
                #expect(mkfifo(path, 0o600) == 0)
                let end = try await fixture.run([#"{"url":"${r.a}","each":{"file":"\#(path)","as":"r"}}"#])
                #expect(end.status == 2)
                let problem = "the elements of \(path) cannot be read: it is not a regular file"
                #expect(end.errors == "line 1, field \"each.file\": \(problem)\n")
            }
        }

        @Test func secondSignalEndsTheProcessWithUnreadResults() async throws {
            try await CommandFixture.with { request in
                request.path == "/last" ? .stall : .response(body: String(repeating: "x", count: 200_000))
            } _: { fixture in
                let pipe = try TestPipe()
                let process = try fixture.start(
                    [fixture.file([#"{"url":"first"}"#, #"{"url":"last","after":["1"]}"#])], output: pipe.writeEnd)
                pipe.closeWriteEnd()
                await fixture.server.waitForRequests(count: 2)
                // The first result has filled the pipe. After one signal, the command waits for the pipe's reader.
                process.send(SIGINT)
                await fixture.server.waitForConnectionsToClose()
                process.send(SIGINT)
                #expect(await process.end().status == 130)
                pipe.closeReadEnd()
            }
        }

        @Test func resultsFileHasWholeLinesAfterASecondSignal() async throws {
            try await CommandFixture.with { request in
                .response(body: String(repeating: "x", count: 100_000))
            } _: { fixture in
                let results = fixture.folder.path("results.ndjson")
                let lines = (0..<2_000).map { #"{"id":"\#($0)","url":"a"}"# }
                let process = try fixture.start([fixture.file(lines), "--results", results])
                await fixture.server.waitForRequests(count: 300)
                process.send(SIGINT)
                process.send(SIGTERM)
                #expect(await process.end().status == 130)
                let text = try String(contentsOfFile: results, encoding: .utf8)
                #expect(text.isEmpty || text.hasSuffix("\n"))
                _ = try CommandProcess.End.results(in: text)
            }
        }
    }
}
