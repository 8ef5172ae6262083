// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// The state for displays: one statement, with bounded work.
    @Suite struct StatusReadingTests {
        @Test func stateIsWhatSingleCallsReturn() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit((0..<6).map { StoreFixture.get("\($0)") }, named: "n")
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "other")
            try await fixture.fleet.pause("other")
            let store = try fixture.worker("one")
            let lines = try store.claim(store.openBatch(), 4)
            try store.record(Array(lines.prefix(2)))
            let reader = StatusReader(store: fixture.url)
            let status = try await reader.read(details: ["n", "none"])
            #expect(status.batches == (try await fixture.fleet.batches()))
            #expect(status.batchCount == 2)
            let (members, single) = (status.members, try await fixture.fleet.members())
            #expect(members.map(\.name) == ["one"] && members.map(\.claimedCount) == single.map(\.claimedCount))
            #expect(members.map(\.endedCount) == single.map(\.endedCount))
            #expect(members.map(\.version) == ["\(FleetSchema.version)"])
            #expect(status.details.map(\.name) == ["n"])
            #expect(status.details.first?.origins == (try await fixture.fleet.origins(ofBatch: "n")))
        }

        @Test func schedulesAreThoseOfTheList() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            let reader = StatusReader(store: fixture.url)
            let empty = try await reader.read(details: [])
            #expect(empty.schedules == [] && empty.scheduleCount == 0)
            var rule = ScheduleRule(try CronExpression("*/15 * * * *"))
            for name in ["z \"quoted\"", "A", "ä", "b"] {
                try await fixture.fleet.schedule([StoreFixture.get("a")], named: name, rule)
                (rule.backfill, rule.skipsWhileRunning) = (.milliseconds(1_500), true)
            }
            try await fixture.fleet.pauseSchedule("A")
            _ = try await fixture.rows(
                """
                UPDATE bluebonnet.schedules SET last_tick = '2030-01-31T04:15:00Z', last_name = 'b-old',
                    problem = E'a\\nb' WHERE name = 'b';
                INSERT INTO bluebonnet.ticks SELECT number, last_tick, NULL FROM bluebonnet.schedules WHERE name = 'b'
                """)
            let status = try await reader.read(details: ["n"])
            #expect(status.schedules.map(\.name) == ["A", "b", "z \"quoted\"", "ä"] && status.scheduleCount == 4)
            #expect(status.schedules.map(\.isPaused) == [true, false, false, false])
            #expect(status.schedules.map(\.wasSkipped) == [false, true, false, false])
            #expect(status.schedules[1].problem == "a\nb" && status.schedules[1].backfill == .milliseconds(1_500))
            #expect(status.schedules == (try await fixture.fleet.schedules()))
        }

        @Test func numberOfSchedulesIsLimited() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            _ = try await fixture.rows(
                """
                INSERT INTO bluebonnet.schedules (name, expression, zone, skips_while_running, settings)
                SELECT 's' || lpad(n::text, 3, '0'), '0 0 * * *', 'UTC', false, '{}' FROM generate_series(1, 201) n
                """)
            let status = try await StatusReader(store: fixture.url).read(details: [])
            #expect(status.scheduleCount == 201 && status.schedules.count == StatusReading.scheduleLimit)
            #expect(status.schedules.first?.name == "s001" && status.schedules.last?.name == "s200")
        }

        @Test func stateTakesOneStatement() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            let reader = StatusReader(store: fixture.url)
            _ = try await fixture.rows("ALTER DATABASE \(fixture.database) SET log_statement = 'all'")
            _ = try await reader.read(details: ["n"])
            let before = fixture.server.log
            for _ in 0..<5 { _ = try await reader.read(details: ["n"]) }
            let after = fixture.server.log.dropFirst(before.count)
            #expect(after.components(separatedBy: "WITH watched AS (").count - 1 == 5)
            let own = after.split(separator: "\n").filter {
                $0.contains("LOG:  execute") || $0.contains("LOG:  statement")
            }
            #expect(own.count == 5)
        }

        @Test func failuresAreGroupedAndCountedOnce() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit((0..<30).map { StoreFixture.get("\($0)") }, named: "n")
            let store = try fixture.worker()
            let lines = try store.claim(store.openBatch(), 30)
            func ending(_ line: ClaimedLine, _ failure: ResultLine.Failure?) -> LineEnding {
                var result = ResultLine(id: line.id, outcome: failure == nil ? .success : .failure)
                result.error = failure
                if failure?.code == .unacceptableStatus { result.status = 503 }
                return LineEnding(
                    claim: line.claim, batch: line.batch, position: line.position, outcome: result.outcome,
                    byteCount: 0, line: result.encodedLine().dropLast(), body: nil)
            }
            let (status, timeout) = (
                ResultLine.Failure(code: .unacceptableStatus, message: "503", underlying: nil),
                ResultLine.Failure(code: .timedOut, message: "late \u{0}", underlying: nil)
            )
            let reader = StatusReader(store: fixture.url)
            for (index, line) in lines.enumerated() {
                let failure = index % 3 == 0 ? status : index == 1 ? timeout : nil
                try store.record([ending(line, failure)], edgeBatches: [])
                if index % 10 == 0 { _ = try await reader.read(details: ["n"]) }
            }
            let details = try #require(try await reader.read(details: ["n"]).details.first)
            #expect(details.examinedCount == 30)
            let groups = details.failures
            #expect(groups.map(\.count) == [10, 1])
            // PostgreSQL's JSON cannot hold the text of the second one.
            #expect(groups.map(\.title) == ["unacceptableStatus (503)", "unknown"])
            #expect(groups.first?.samples.map(\.message) == ["503", "503", "503"])
            // Lines that run again have new results.
            try await fixture.fleet.retryFailed("n")
            let again = try #require(try await reader.read(details: ["n"]).details.first)
            #expect(again.failures.isEmpty && again.examinedCount == 19)
        }

        @Test func linesThatOthersWaitForAreListed() async throws {
            let fixture = try await StoreFixture()
            let lines = [
                StoreFixture.get("login"), StoreFixture.get("a", after: ["login"]),
                StoreFixture.get("b", after: ["login"]),
                StoreFixture.get("end", after: ["a"]), StoreFixture.get("free"),
            ]
            try await fixture.fleet.submit(lines, named: "n")
            let details = try #require(try await StatusReader(store: fixture.url).read(details: ["n"]).details.first)
            #expect(details.blockedCount == 3)
            #expect(
                details.waits == [
                    LineWait(id: "login", count: 2, samples: ["a", "b"], isBlocked: false),
                    LineWait(id: "a", count: 1, samples: ["end"], isBlocked: true),
                ])
        }

        @Test func storeWithoutPollingLinesIsNotAskedAgain() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            #expect(try fixture.worker().resumePolls() == nil)
        }
    }
}

@Suite struct WorkerMeterTests {
    @Test func statementsAndEndingsAreCounted() {
        let meter = WorkerMeter()
        #expect(meter.figures.lastAnswer == nil)
        for milliseconds in [0.2, 0.5, 3, 20_000] { meter.recordStatement(.milliseconds(milliseconds)) }
        let times = meter.figures.statements
        #expect(times.counts.prefix(4) == [2, 0, 0, 1] && times.counts.reduce(0, +) == 3 && times.count == 4)
        #expect(meter.figures.lastAnswer != nil)
        var later = Sample.ending(Sample.line(3))
        later.step = .expand
        let endings = [Sample.ending(Sample.line(1)), Sample.ending(Sample.line(2), .failure), later]
        meter.recordEndings(endings, recordedCount: 1)
        #expect(meter.figures.endedCounts == [.success: 1, .failure: 1])
        #expect(meter.figures.refusedCount == 1)
    }
}
