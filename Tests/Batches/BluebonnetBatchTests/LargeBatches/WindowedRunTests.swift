// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Synchronization
import Testing

@testable import BluebonnetBatch

@Suite(.serialized, .timeLimit(.minutes(1))) struct WindowedRunTests {
    private static let answering: TestServer.Script = { _ in .response(body: "x") }

    private static func lines(_ all: [RequestLine]) throws -> ListedLines {
        let numbered = all.enumerated().map { NumberedLine(number: $0 + 1, line: $1) }
        return ListedLines(try RequestLineGraph(numbered).nodesInDependencyOrder)
    }

    private static func run(
        _ lines: ListedLines, _ settings: RequestLineRunner.Settings, _ results: Observed<[String: ResultLine]>
    ) -> WindowedRun {
        WindowedRun(settings: settings, lines: lines, schedule: lines.schedule(settings.scheduleLimits)) { result in
            results.update { results in
                if results.updateValue(result, forKey: result.id) != nil { Issue.record("two results: \(result.id)") }
            }
        }
    }

    @Test func unansweringOriginDoesNotBlockOthers() async throws {
        try await TestServer.serving { _ in
            .stall
        } _: { slow in
            try await TestServer.serving(script: Self.answering) { quick in
                let all = (0..<10_000).map { number in
                    let server = number < 9_950 ? slow : quick
                    var line = RequestLine(id: "\(number)", url: server.url("/\(number)").absoluteString)
                    if number < 9_950 { line.priority = .veryHigh }
                    return line
                }
                let results = Observed<[String: ResultLine]>([:])
                let run = Self.run(try Self.lines(all), RequestLineRunner.Settings(), results)
                run.begin()
                await results.becomes { $0.count >= 50 }
                #expect(results.value.keys.allSatisfy { Int($0) ?? 0 >= 9_950 })
                #expect(run.snapshot(largest: 0).totalCount == 10_000)
                run.cancel()
                try await run.finish()
                let outcomes = results.value.values.map(\.outcome)
                #expect(outcomes.count == 10_000 && outcomes.filter { $0 == .cancelled }.count == 9_950)
                #expect(run.snapshot(largest: 0).cancelledCount == 9_950)
                #expect(slow.requests.count <= 6)
            }
        }
    }

    /// The batch has more lines than concurrent operations. Each line uses the response of the first line in its
    /// group of ten.
    @Test func referencesOfALongBatchResolveToTheirLines() async throws {
        try await TestServer.serving { request in
            .response(body: #"{"path":"\#(request.path)"}"#)
        } _: { server in
            let all = (0..<12_000).map { number in
                let first = number - number % 10
                let path = number == first ? "/\(number)" : "/\(number)-${\(first).body.path}"
                return RequestLine(id: "\(number)", url: server.url("").absoluteString + path)
            }
            let results = Observed<[String: ResultLine]>([:])
            var settings = RequestLineRunner.Settings()
            settings.concurrencyPerOrigin = 32
            let run = Self.run(try Self.lines(all), settings, results)
            run.begin()
            try await run.finish()
            #expect(results.value.count == 12_000 && results.value.values.allSatisfy { $0.outcome == .success })
            #expect(run.snapshot(largest: 0).successCount == 12_000)
            let wrong = results.value.values.filter { result in
                let number = Int(result.id) ?? -1
                let end = number % 10 == 0 ? "/\(number)" : "/\(number)-/\(number - number % 10)"
                return result.body != #"{"path":"\#(end)"}"#
            }
            #expect(wrong.map(\.id) == [])
        }
    }

    @Test func firstFailureCancelsTheRestAndSkipsDependents() async throws {
        try await TestServer.serving { request in
            request.path == "/bad" ? .response(status: 500, body: "") : .stall
        } _: { server in
            var settings = RequestLineRunner.Settings()
            (settings.baseURL, settings.cancelsAtFirstFailure) = (server.url("/"), true)
            var all = [RequestLine(id: "slow", url: "slow"), RequestLine(id: "bad", url: "bad")]
            for number in 0..<2_000 {
                var line = RequestLine(id: "\(number)", url: "x")
                line.after = [number % 2 == 0 ? "bad" : "slow"]
                all.append(line)
            }
            let results = Observed<[String: ResultLine]>([:])
            let run = Self.run(try Self.lines(all), settings, results)
            run.begin()
            try await run.finish()
            #expect(results.value["bad"]?.outcome == .failure && results.value["slow"]?.outcome == .cancelled)
            let others = results.value.filter { Int($0.key) != nil }
            #expect(others.count == 2_000)
            let wrong = others.filter { id, result in
                result.outcome != ((Int(id) ?? 0) % 2 == 0 ? .skipped : .cancelled)
            }
            #expect(wrong.keys.sorted() == [])
            #expect(server.requests.count == 2)
        }
    }

    @Test func linesAddedAfterCancelAreCancelled() async throws {
        try await TestServer.serving(script: Self.answering) { server in
            var settings = RequestLineRunner.Settings()
            settings.baseURL = server.url("/")
            let (lines, results) = (StreamedLines(), Observed<[String]>([]))
            let run = WindowedRun(settings: settings, lines: lines, schedule: nil) { result in
                results.append("\(result.id) \(result.outcome)")
            }
            run.begin()
            run.add(try lines.add(NumberedLine(number: 1, line: RequestLine(url: "a"))))
            await results.becomes(["1 success"])
            run.cancel()
            run.add(try lines.add(NumberedLine(number: 2, line: RequestLine(url: "b"))))
            await results.becomes(["1 success", "2 cancelled"])
            try await run.finish()
            #expect(server.requests.map(\.path) == ["/a"])
        }
    }
}
