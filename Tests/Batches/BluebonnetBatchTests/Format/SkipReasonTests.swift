// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetBatch

@Suite(.timeLimit(.minutes(1))) struct SkipReasonTests {
    private static let failure = ResultLine.Failure(code: .unacceptableStatus, message: "the status is 500")

    @Test func reasonNamesTheLineThatFailedFirst() {
        #expect(SkipReason.reason("a", .success, nil) == nil)
        let first = SkipReason.reason("a", .failure, Self.failure)
        #expect(first == "\"a\" failed with unacceptableStatus: the status is 500")
        let skipped = ResultLine(id: "b", abandoned: .skipped, reason: first)
        #expect(skipped.error?.message == "not started: \"a\" failed with unacceptableStatus: the status is 500")
        #expect(skipped.skipReason == first)
        #expect(SkipReason.reason("b", NetworkingError(.dependencyFailed, SkipReason.message(first))) == first)
        #expect(SkipReason.reason("c", NetworkingError(.cancelled, "cancelled")) == "\"c\" was cancelled")
        #expect(SkipReason.reason("c", .cancelled, nil) == "\"c\" was cancelled")
        #expect(SkipReason.reason("c", .unknown, nil) == "the outcome of \"c\" is unknown")
    }

    private static let lines: [RequestLine] = {
        var (second, third) = (RequestLine(id: "b", url: "b"), RequestLine(id: "c", url: "c"))
        (second.after, third.after) = (["a"], ["b"])
        return [RequestLine(id: "a", url: "a"), second, third]
    }()

    private func expectReasons(_ results: [String: ResultLine]) {
        #expect(results["a"]?.outcome == .failure)
        let reason = results["a"]?.skipReason
        #expect(reason?.hasPrefix("\"a\" failed with unacceptableStatus: ") == true)
        for id in ["b", "c"] {
            #expect(results[id]?.outcome == .skipped)
            #expect(results[id]?.error?.message == "not started: \(reason ?? "")")
        }
    }

    @Test(arguments: [false, true]) func skippedLinesOfARunCarryTheReason(cancelsAtFirstFailure: Bool) async throws {
        try await TestServer.serving { _ in
            .response(status: 500)
        } _: { server in
            var settings = RequestLineRunner.Settings()
            settings.baseURL = server.url("/")
            settings.cancelsAtFirstFailure = cancelsAtFirstFailure
            let numbered = Self.lines.enumerated().map { NumberedLine(number: $0 + 1, line: $1) }
            let lines = ListedLines(try RequestLineGraph(numbered).nodesInDependencyOrder)
            let results = Observed<[String: ResultLine]>([:])
            let run = WindowedRun(
                settings: settings, lines: lines, schedule: lines.schedule(settings.scheduleLimits)
            ) { result in
                results.update { $0[result.id] = result }
            }
            run.begin()
            try await run.finish()
            expectReasons(results.value)
        }
    }

    @Test func skippedLinesOfARunnerCarryTheReason() async throws {
        try await TestServer.serving { _ in
            .response(status: 500)
        } _: { server in
            var settings = RequestLineRunner.Settings()
            settings.baseURL = server.url("/")
            let results = Observed<[String: ResultLine]>([:])
            let runner = RequestLineRunner(settings: settings) { result in results.update { $0[result.id] = result } }
            let numbered = Self.lines.enumerated().map { NumberedLine(number: $0 + 1, line: $1) }
            for node in try RequestLineGraph(numbered).nodesInDependencyOrder { runner.add(node) }
            await runner.waitUntilFinished()
            expectReasons(results.value)
        }
    }
}
