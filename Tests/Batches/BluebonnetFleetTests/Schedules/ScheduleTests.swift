// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Schedules in the store, and the batches of their ticks.
    @Suite struct ScheduleTests {
        private typealias Fixture = FleetFixture

        private static func rule(
            _ expression: String = "*/15 * * * *", _ change: (inout ScheduleRule) -> Void = { _ in }
        ) throws -> ScheduleRule {
            var rule = ScheduleRule(try CronExpression(expression))
            change(&rule)
            return rule
        }

        private static func schedule(
            _ fixture: Fixture, _ rule: ScheduleRule, named name: String = "s", lines: Int = 2
        ) async throws {
            var settings = FleetSettings()
            settings.baseURL = fixture.server.url("/")
            try await fixture.store.fleet.schedule(
                (0..<lines).map { StoreFixture.post("l\($0)", "l\($0)") }, named: name, rule, settings: settings)
        }

        /// Moves the next tick of a schedule into the past, to the beginning of a quarter of an hour.
        private static func age(_ store: StoreFixture, _ name: String = "s", quarters: Int = 0) async throws {
            _ = try await store.rows(
                """
                UPDATE bluebonnet.schedules SET next_tick =
                    to_timestamp(floor(extract(epoch FROM clock_timestamp()) / 900) * 900 - \(quarters) * 900)
                WHERE name = '\(name)'
                """)
        }

        private static func names(_ fixture: Fixture) async throws -> [String] {
            try await fixture.store.fleet.batches().map(\.name)
        }

        private static func only(_ fixture: Fixture) async throws -> FleetSchedule {
            let schedules = try await fixture.store.fleet.schedules()
            #expect(schedules.count == 1)
            return try #require(schedules.first)
        }

        // MARK: One batch for each tick

        @Test func oneOfFourWorkersMakesTheBatchOfATick() async throws {
            try await Fixture.with { fixture in
                try await Self.schedule(fixture, try Self.rule(), lines: 20)
                try await Self.age(fixture.store)
                let tick = try #require(try await Self.only(fixture).nextTick)
                try await fixture.run(
                    fixture.worker("one"), fixture.worker("two"), fixture.worker("three"), fixture.worker("four"))
                let schedule = try await Self.only(fixture)
                let stamp = tick.ISO8601Format().filter { $0.isNumber || $0 == "T" }.dropLast(2)
                #expect(try await Self.names(fixture) == ["s-\(stamp)Z"])
                #expect(schedule.lastBatch == "s-\(stamp)Z" && schedule.lastTick == tick && !schedule.wasSkipped)
                #expect(schedule.nextTick == tick + 900 && schedule.problem == nil && schedule.timeZone == "UTC")
                #expect(fixture.counts("POST") == Dictionary(uniqueKeysWithValues: (0..<20).map { ("/l\($0)", 1) }))
                try await fixture.store.expectOrder()
            }
        }

        /// Missed ticks of several schedules, made by four programs at the same time.
        @Test func eachMissedTickHasOneBatch() async throws {
            try await Fixture.with { fixture in
                for name in ["a", "b", "c"] {
                    try await Self.schedule(fixture, try Self.rule { $0.backfill = .seconds(86_400) }, named: name)
                    try await Self.age(fixture.store, name, quarters: 11)
                }
                let made = try await onThreads(4) { [store = fixture.store] _ in
                    var names: [String] = []
                    // A schedule that another program has locked is left out.
                    while let next = try ScheduleFiring(connection: store.connect()).secondsUntilNextTick(), next <= 0 {
                        names += try ScheduleFiring(connection: store.connect()).fire()
                    }
                    return names
                }.flatMap { $0 }
                #expect(made.count == 36 && Set(made).count == 36)
                #expect(Set(try await Self.names(fixture)) == Set(made))
                #expect(try await fixture.store.number("SELECT count(DISTINCT batch) FROM bluebonnet.ticks") == 36)
                try await fixture.store.expectOrder()
            }
        }

        /// The program is cut off from the store between the row of the tick and the end of its transaction.
        @Test func killedProgramLeavesTheTickDue() async throws {
            try await Fixture.with { fixture in
                try await Self.schedule(fixture, try Self.rule())
                try await Self.age(fixture.store)
                let store = fixture.store
                let blocker = try store.connect()
                try blocker.query("BEGIN")
                try blocker.query("LOCK TABLE bluebonnet.lanes")
                let killed = try await withThrowingTaskGroup(of: FleetError?.self) { group in
                    group.addTask {
                        try await onThreads(1) { _ in
                            do throws(FleetError) {
                                _ = try ScheduleFiring(connection: PostgreSQLConnection(store.url, name: "victim"))
                                    .fire()
                                return nil
                            } catch {
                                return error
                            }
                        }[0]
                    }
                    let waiting = """
                        FROM pg_stat_activity WHERE application_name = 'victim' AND wait_event_type = 'Lock'
                        """
                    try await becomes(true) { try await store.number("SELECT count(*) \(waiting)") == 1 }
                    _ = try await store.rows("SELECT pg_terminate_backend(pid) \(waiting)")
                    return try await group.next() ?? nil
                }
                #expect(killed?.code == .unreachable)
                try blocker.query("ROLLBACK")
                #expect(try await Self.names(fixture) == [])
                #expect(try await store.number("SELECT count(*) FROM bluebonnet.ticks") == 0)
                try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                #expect(try await Self.names(fixture).count == 1)
                #expect(fixture.counts("POST") == ["/l0": 1, "/l1": 1])
                try await store.expectOrder()
            }
        }

        /// All clocks of the machine differ from the store's by more than a year.
        @Test func clockOfTheStoreDecides() async throws {
            try await Fixture.with { fixture in
                let database = fixture.store.database
                _ = try await fixture.store.rows(
                    """
                    CREATE SCHEMA fake;
                    CREATE FUNCTION fake.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
                        AS 'SELECT pg_catalog.clock_timestamp() + interval ''400 days''';
                    ALTER DATABASE \(database) SET search_path = fake, pg_catalog
                    """)
                let ahead = Date() + 399 * 86_400
                try await Self.schedule(fixture, try Self.rule())
                #expect(try #require(try await Self.only(fixture).nextTick) > ahead)
                try await fixture.run(fixture.worker())
                #expect(try await Self.names(fixture) == [])
                try await Self.age(fixture.store)
                let tick = try #require(try await Self.only(fixture).nextTick)
                #expect(tick > ahead)
                try await fixture.run(
                    fixture.worker("one"), fixture.worker("two"), fixture.worker("three"), fixture.worker("four"))
                #expect(try await Self.names(fixture).count == 1)
                #expect(try await Self.only(fixture).lastTick == tick)
                #expect(fixture.counts("POST") == ["/l0": 1, "/l1": 1])
            }
        }

        @Test func waitingWorkerMakesTheBatchWhenTheScheduleIsNew() async throws {
            try await Fixture.with { fixture in
                // Without a lease that ends soon, the worker would not ask by itself.
                try await fixture.store.fleet.prune()
                let worker = fixture.worker(lease: .seconds(3_600), endsWhenIdle: false)
                async let run: Void = worker.run()
                try await becomes(true) { try await fixture.store.fleet.members().count == 1 }
                try await Self.schedule(fixture, try Self.rule())
                try await Self.age(fixture.store)
                try fixture.store.connect().query("SELECT pg_notify('bluebonnet', 'workers') WHERE $1", [.bool(true)])
                await becomes(true) { fixture.counts("POST") == ["/l0": 1, "/l1": 1] }
                worker.drain()
                try await run
            }
        }

        // MARK: Missed ticks

        @Test func newestMissedTickHasTheBatch() async throws {
            try await Fixture.with { fixture in
                try await Self.schedule(fixture, try Self.rule())
                try await Self.age(fixture.store)
                let newest = try #require(try await Self.only(fixture).nextTick)
                try await Self.age(fixture.store, quarters: 9)
                try await fixture.run(fixture.worker())
                let schedule = try await Self.only(fixture)
                #expect(try await Self.names(fixture).count == 1)
                #expect(schedule.lastTick == newest && schedule.nextTick == newest + 900)
            }
        }

        @Test func backfillMakesUpForTicksOfItsTime() async throws {
            try await Fixture.with { fixture in
                // The tick of an hour ago is a little more than an hour old.
                try await Self.schedule(fixture, try Self.rule { $0.backfill = .seconds(3_600) })
                try await Self.age(fixture.store)
                let newest = try #require(try await Self.only(fixture).nextTick)
                try await Self.age(fixture.store, quarters: 9)
                try await fixture.run(fixture.worker())
                let ticks = try await fixture.store.rows(
                    "SELECT extract(epoch FROM tick)::bigint FROM bluebonnet.ticks ORDER BY batch")
                let expected = (0..<4).reversed().map { Int(newest.timeIntervalSince1970) - 900 * $0 }
                #expect(ticks.map { Int($0[0]) } == expected)
                #expect(try await Self.names(fixture).count == 4)
            }
        }

        @Test func tickIsSkippedWhileTheLastBatchRuns() async throws {
            try await Fixture.with { fixture in
                let rule = try Self.rule { ($0.backfill, $0.skipsWhileRunning) = (.seconds(3_600), true) }
                try await Self.schedule(fixture, rule)
                try await Self.age(fixture.store)
                let newest = try #require(try await Self.only(fixture).nextTick)
                try await Self.age(fixture.store, quarters: 1)
                let firing = ScheduleFiring(connection: try fixture.store.connect())
                #expect(try firing.fire().count == 1)
                let skipped = try await Self.only(fixture)
                #expect(skipped.wasSkipped && skipped.lastTick == newest && skipped.nextTick == newest + 900)
                try await fixture.run(fixture.worker())
                // An older tick has no row yet. The others have theirs, and get no second batch.
                try await Self.age(fixture.store, quarters: 2)
                #expect(try firing.fire().count == 1)
                #expect(try await Self.names(fixture).count == 2)
                #expect(try await fixture.store.number("SELECT count(*) FROM bluebonnet.ticks") == 3)
            }
        }

        // MARK: Changes

        @Test func pausedScheduleMakesNoBatches() async throws {
            try await Fixture.with { fixture in
                let fleet = fixture.store.fleet
                try await Self.schedule(fixture, try Self.rule())
                try await Self.age(fixture.store)
                try await fleet.pauseSchedule("s")
                let paused = try await Self.only(fixture)
                #expect(paused.isPaused && paused.nextTick == nil)
                try await fixture.run(fixture.worker())
                #expect(try await Self.names(fixture) == [])
                try await fleet.resumeSchedule("s")
                let resumed = try await Self.only(fixture)
                #expect(!resumed.isPaused && resumed.nextTick.map { $0 > Date() } == true)
                try await fixture.run(fixture.worker())
                #expect(try await Self.names(fixture) == [])
                try await fleet.removeSchedule("s")
                #expect(try await fleet.schedules() == [])
                #expect(try await fixture.store.number("SELECT count(*) FROM bluebonnet.schedule_lines") == 0)
                for change in [fleet.pauseSchedule, fleet.resumeSchedule, fleet.removeSchedule] {
                    let nothing = FleetError(.noSchedule, "the store has no schedule named s")
                    await #expect(throws: nothing) { try await change("s") }
                }
            }
        }

        @Test func scheduleIsReplaced() async throws {
            try await Fixture.with { fixture in
                try await Self.schedule(fixture, try Self.rule())
                let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
                let daily = try Self.rule("30 4 * * *") {
                    ($0.timeZone, $0.backfill, $0.skipsWhileRunning) = (zone, .seconds(90), true)
                }
                try await Self.schedule(fixture, daily, lines: 1)
                let schedule = try await Self.only(fixture)
                #expect(schedule.expression == "30 4 * * *" && schedule.timeZone == "Europe/Berlin")
                #expect(schedule.backfill == .seconds(90) && schedule.skipsWhileRunning && schedule.lastTick == nil)
                _ = try await fixture.store.rows("UPDATE bluebonnet.schedules SET next_tick = now()")
                try await fixture.run(fixture.worker())
                #expect(fixture.counts("POST") == ["/l0": 1])
            }
        }

        @Test func problemOfAScheduleIsKeptAndLeavesOthersAlone() async throws {
            try await Fixture.with { fixture in
                let fleet = fixture.store.fleet
                let folder = try TemporaryFolder()
                defer { folder.remove() }
                let path = folder.path("rows.ndjson")
                try Data(#"{"sku":"a"}"#.utf8).write(to: URL(fileURLWithPath: path))
                var settings = FleetSettings()
                settings.baseURL = fixture.server.url("/")
                let line = #"{"id":"e","url":"e/${row.sku}","each":{"file":"\#(path)","as":"row","key":"sku"}}"#
                try await fleet.schedule(
                    try PipelineFixture.lines([line]), named: "r", try Self.rule(), settings: settings)
                try await Self.schedule(fixture, try Self.rule())
                try FileManager.default.removeItem(atPath: path)
                try await Self.age(fixture.store, "r", quarters: 1)
                try await Self.age(fixture.store, "s")
                try await fixture.run(fixture.worker())
                #expect(fixture.counts("POST") == ["/l0": 1, "/l1": 1])
                let broken = try #require(try await fleet.schedules().first)
                #expect(broken.name == "r" && broken.problem?.contains("rows.ndjson") == true, "\(broken)")
                #expect(broken.lastTick == nil && broken.nextTick.map { $0 < Date() } == true)
                try Data(#"{"sku":"a"}"#.utf8).write(to: URL(fileURLWithPath: path))
                try await fixture.run(fixture.worker())
                #expect(fixture.requests(to: "/e/a").count == 1)
                #expect(try await fleet.schedules().allSatisfy { $0.problem == nil && $0.lastBatch != nil })
                try await fixture.store.expectOrder()
            }
        }

        @Test func largeLinesAreStoredInParts() async throws {
            try await Fixture.with { fixture in
                var line = StoreFixture.post("big", "big")
                line.body = .text(String(repeating: "x", count: 3 << 20))
                var settings = FleetSettings()
                settings.baseURL = fixture.server.url("/")
                try await fixture.store.fleet.schedule([line], named: "s", try Self.rule(), settings: settings)
                #expect(try await fixture.store.number("SELECT count(*) FROM bluebonnet.schedule_lines") == 4)
                try await Self.age(fixture.store)
                try await fixture.run(fixture.worker())
                #expect(fixture.requests(to: "/big").map(\.body.count) == [3 << 20])
            }
        }
    }
}
