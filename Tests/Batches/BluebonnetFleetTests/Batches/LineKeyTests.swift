// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetHTTP
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Keys of which the store runs one line.
    @Suite struct LineKeyTests {
        private static func line(_ id: String, _ key: String? = "k", after: [String] = []) -> RequestLine {
            var line = StoreFixture.post(id, id, after: after)
            line.unique = key
            return line
        }

        @discardableResult
        private static func submit(
            _ fixture: StoreFixture, _ name: String, _ lines: [RequestLine], keep: Duration? = nil
        ) async throws -> Bool {
            var settings = FleetSettings()
            settings.baseURL = URL(string: "http://a/")
            settings.retention = keep
            return try await fixture.fleet.submit(lines, named: name, settings: settings)
        }

        /// Records an outcome for all lines of a batch that are ready.
        private static func end(
            _ fixture: StoreFixture, _ name: String, _ outcome: ResultLine.Outcome
        ) async throws {
            let store = try fixture.worker()
            let number = try await fixture.number("SELECT number FROM bluebonnet.batches WHERE name = '\(name)'")
            let batch = try #require(try store.openBatches(known: [:]).first { $0.number == number })
            let lines = try store.claim(batch, 1_000)
            #expect(!lines.isEmpty)
            try store.record(lines, outcome, hasEdges: true)
        }

        /// The ids of the lines that have not ended.
        private static func open(_ fixture: StoreFixture) async throws -> Set<String> {
            try await fixture.ids(in: "ready").union(try await fixture.ids(in: "blocked"))
        }

        private static func error(_ fixture: StoreFixture, _ id: String) async throws -> ResultLine.Failure? {
            let rows = try await fixture.rows(
                """
                SELECT r.line FROM bluebonnet.results r JOIN bluebonnet.lines l USING (batch, position)
                WHERE l.id = '\(id)'
                """)
            let line = try #require(rows.first?.first)
            return try JSONDecoder().decode(ResultLine.self, from: Data(line.utf8)).error
        }

        // MARK: Submissions

        @Test func lineWhoseKeyAnotherBatchHasIsSkippedWithItsDependents() async throws {
            let fixture = try await StoreFixture()
            try await Self.submit(fixture, "one", [Self.line("a"), Self.line("b", nil)])
            let lines = [
                Self.line("c"), Self.line("d", nil, after: ["c"]), Self.line("e", nil, after: ["d"]),
                Self.line("f", "other", after: ["c"]), Self.line("g", "new"),
            ]
            try await Self.submit(fixture, "two", lines)
            #expect(try await Self.open(fixture) == ["a", "b", "g"])
            #expect(
                try await fixture.outcomes("two") == ["c": "skipped", "d": "skipped", "e": "skipped", "f": "skipped"])
            let reason = #"not started: the line "a" of the batch "one" has the key "k""#
            #expect(try await Self.error(fixture, "c") == .init(code: .duplicateLine, message: reason))
            for id in ["d", "e", "f"] {
                #expect(try await Self.error(fixture, id) == .init(code: .dependencyFailed, message: reason))
            }
            try await fixture.expectOrder()
            // A line that was skipped does not keep its key.
            try await Self.submit(fixture, "three", [Self.line("h", "other")])
            #expect(try await Self.open(fixture).contains("h"))
        }

        @Test func firstLineOfABatchHasTheKey() async throws {
            let fixture = try await StoreFixture()
            try await Self.submit(fixture, "n", [Self.line("a"), Self.line("b"), Self.line("c", "l"), Self.line("d")])
            #expect(try await Self.open(fixture) == ["a", "c"])
            #expect(
                try await Self.error(fixture, "d")?.message
                    == #"not started: the line "a" has the key "k""#)
            try await fixture.expectOrder()
        }

        @Test(
            arguments: [
                (nil, false), (.success, false), (.unknown, false), (.failure, true), (.cancelled, true),
                (.skipped, true),
            ] as [(ResultLine.Outcome?, Bool)])
        func nextLineRunsIfTheFirstCannotHaveSucceeded(outcome: ResultLine.Outcome?, runs: Bool) async throws {
            let fixture = try await StoreFixture()
            try await Self.submit(fixture, "one", [Self.line("a")])
            if let outcome { try await Self.end(fixture, "one", outcome) }
            try await Self.submit(fixture, "two", [Self.line("b")])
            #expect(try await fixture.ids(in: "ready").contains("b") == runs)
            // Now the second line has the key, or still the first one.
            try await Self.submit(fixture, "three", [Self.line("c")])
            #expect(try await !fixture.ids(in: "ready").contains("c"))
            try await fixture.expectOrder()
        }

        @Test func keptBatchKeepsTheKeysOfItsLinesForItsTime() async throws {
            let fixture = try await StoreFixture()
            try await Self.submit(fixture, "one", [Self.line("a")], keep: .seconds(86_400))
            try await Self.end(fixture, "one", .success)
            _ = try await fixture.rows("UPDATE bluebonnet.batches SET completed = now() - interval '23 hours'")
            try await Self.submit(fixture, "two", [Self.line("b")])
            #expect(try await fixture.outcomes("two") == ["b": "skipped"])
            _ = try await fixture.rows(
                "UPDATE bluebonnet.batches SET completed = now() - interval '25 hours' WHERE name = 'one'")
            try await Self.submit(fixture, "three", [Self.line("c")])
            #expect(try await fixture.ids(in: "ready") == ["c"])
        }

        @Test func removedBatchLeavesItsKeys() async throws {
            let fixture = try await StoreFixture()
            let lines = (0..<25).map { Self.line("\($0)", "k\($0)") }
            try await Self.submit(fixture, "one", lines)
            try await Self.end(fixture, "one", .success)
            try await Self.submit(fixture, "two", [Self.line("a", "k3"), Self.line("b", "new")])
            #expect(try await fixture.ids(in: "ready") == ["b"])
            try BatchRemoval(connection: fixture.connect(), sliceLength: 10).remove("one")
            #expect(try await fixture.number("SELECT count(*) FROM bluebonnet.unique_lines") == 2)
            #expect(try await fixture.rows("SELECT key FROM bluebonnet.line_keys") == [["new"]])
            try await Self.submit(fixture, "three", lines)
            #expect(try await fixture.ids(in: "ready").count == 26)
            try await fixture.expectOrder()
        }

        @Test func workersGetLinesWithoutTheirKeys() async throws {
            let fixture = try await StoreFixture()
            try await Self.submit(fixture, "n", [Self.line("a")])
            let lines = try await fixture.rows("SELECT line FROM bluebonnet.lines")
            #expect(lines.count == 1 && lines.allSatisfy { !$0[0].contains("unique") })
        }

        @Test func sameSubmissionIsKnownAndOtherKeysAreAnotherBatch() async throws {
            let fixture = try await StoreFixture()
            #expect(try await Self.submit(fixture, "n", [Self.line("a"), Self.line("b")]))
            #expect(try await !Self.submit(fixture, "n", [Self.line("a"), Self.line("b")]))
            let error = await #expect(throws: FleetError.self) {
                try await Self.submit(fixture, "n", [Self.line("a"), Self.line("b", "l")])
            }
            #expect(error?.code == .nameTaken)
            #expect(try await fixture.number("SELECT count(*) FROM bluebonnet.unique_lines") == 2)
        }

        /// Submissions of the same keys in different orders, at the same time.
        @Test func oneOfManyLinesAtOnceRuns() async throws {
            let fixture = try await StoreFixture()
            try await Self.submit(fixture, "first", [Self.line("x", nil)])
            let keys = (0..<40).map { "k\($0)" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    let lines = keys.shuffled().map { Self.line("\(number)-\($0)", $0) }
                    group.addTask { _ = try await Self.submit(fixture, "n\(number)", lines) }
                }
                try await group.waitForAll()
            }
            let ready = try await fixture.ids(in: "ready").subtracting(["x"])
            #expect(ready.count == 40)
            #expect(Set(ready.compactMap { $0.split(separator: "-").last.map(String.init) }) == Set(keys))
            try await fixture.expectOrder()
        }

        // MARK: Lines that run again

        @Test func failedLineRunsAgainUnlessAnotherLineHasItsKey() async throws {
            let fixture = try await StoreFixture()
            try await Self.submit(fixture, "one", [Self.line("a"), Self.line("after a", nil, after: ["a"])])
            try await Self.end(fixture, "one", .failure)
            try await Self.submit(fixture, "two", [Self.line("b")])
            #expect(try await fixture.fleet.retryFailed("one") == 0)
            #expect(try await fixture.outcomes("one") == ["a": "failure", "after a": "skipped"])
            try await fixture.expectOrder()
            try await Self.end(fixture, "two", .failure)
            #expect(try await fixture.fleet.retryFailed("one", where: ResultCondition("@.id == 'a'")) == 2)
            #expect(try await Self.open(fixture) == ["a", "after a"])
            #expect(try await fixture.fleet.retryFailed("two") == 0)
            try await Self.end(fixture, "one", .success)
            #expect(try await fixture.fleet.retryFailed("two") == 0)
            try await fixture.expectOrder()
        }

        @Test func skippedLineRunsAgainWhenTheOtherLineHasFailed() async throws {
            let fixture = try await StoreFixture()
            try await Self.submit(fixture, "one", [Self.line("a")])
            try await Self.submit(fixture, "two", [Self.line("b"), Self.line("c", nil, after: ["b"])])
            #expect(try await fixture.fleet.retryFailed("two") == 0)
            try await Self.end(fixture, "one", .failure)
            #expect(try await fixture.fleet.retryFailed("two") == 2)
            #expect(try await Self.open(fixture) == ["b", "c"])
            #expect(try await fixture.fleet.retryFailed("one") == 0)
            try await fixture.expectOrder()
        }

        @Test func lineOfUnknownOutcomeKeepsItsKeyAndRunsAgainOnRequest() async throws {
            let fixture = try await StoreFixture()
            try await Self.submit(fixture, "one", [Self.line("a")])
            try await Self.end(fixture, "one", .unknown)
            try await Self.submit(fixture, "two", [Self.line("b")])
            #expect(try await fixture.fleet.retryFailed("two") == 0)
            #expect(try await fixture.fleet.retryFailed("one", includesUnknown: true) == 1)
            #expect(try await Self.open(fixture) == ["a"])
        }

        /// A retry and a submission ask for the same keys at the same time: one of the lines of each key runs.
        @Test func retryAndSubmissionAtOnceRunOneLine() async throws {
            let fixture = try await StoreFixture()
            let keys = (0..<20).map { "k\($0)" }
            try await Self.submit(fixture, "one", keys.map { Self.line("1-\($0)", $0) })
            try await Self.end(fixture, "one", .failure)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await fixture.fleet.retryFailed("one") }
                for number in 2..<6 {
                    group.addTask {
                        _ = try await Self.submit(fixture, "\(number)", keys.map { Self.line("\(number)-\($0)", $0) })
                    }
                }
                try await group.waitForAll()
            }
            let ready = try await fixture.ids(in: "ready")
            #expect(ready.count == 20)
            #expect(Set(ready.compactMap { $0.split(separator: "-").last.map(String.init) }) == Set(keys))
            try await fixture.expectOrder()
        }

        // MARK: Refusals

        @Test func keyOfALineThatHasPartsOrReadersIsRefused() async throws {
            let fixture = try await StoreFixture()
            func refusal(_ lines: [RequestLine]) async throws -> FleetError? {
                await #expect(throws: FleetError.self) { try await Self.submit(fixture, "n", lines) }
            }
            for key in ["", String(repeating: "k", count: 1_001), "a\u{0}b", "${env:A}"] {
                #expect(try await refusal([Self.line("a", key)])?.code == .notPossible)
            }
            let reader = try JSONDecoder().decode(
                RequestLine.self, from: Data(#"{"id":"r","url":"${e}","each":{"of":"a","as":"e"}}"#.utf8))
            let error = try await refusal([Self.line("a"), reader])
            #expect(error?.code == .notPossible && error?.message.hasPrefix("\"unique\" of line 1: ") == true)
            try await Self.submit(
                fixture, "n", [Self.line("a", "$"), Self.line("b", String(repeating: "ä", count: 500))])
            #expect(try await fixture.ids(in: "ready") == ["a", "b"])
        }
    }
}
