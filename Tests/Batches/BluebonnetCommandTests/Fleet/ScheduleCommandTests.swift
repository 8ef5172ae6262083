// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetFleet
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import BluebonnetCommand

extension ProcessTests {
    /// `schedule` and `schedules`, keys of batches, and what failed.
    @Suite(.enabled(if: PostgreSQLServer.isAvailable)) struct ScheduleCommandTests {
        private static let quarter = ["--every", "*/15 * * * *"]

        private static func schedule(
            _ fixture: FleetFixture, _ arguments: [String] = quarter, name: String = "s",
            lines: [String] = [#"{"id":"a","method":"POST","url":"a"}"#]
        ) async throws -> CommandProcess.End {
            let words = ["schedule", name, try fixture.command.file(lines)]
            return try await fixture.start(
                words + arguments + ["--base-url", fixture.server.url("/").absoluteString]
            ).end()
        }

        private static func schedules(_ fixture: FleetFixture) async throws -> [JSONValue] {
            let end = try await fixture.run("schedules", "--json")
            return try #require(try JSONValue(parsing: Data(end.output.utf8))["schedules"]?.array)
        }

        /// Makes the last quarter of an hour the next tick of a schedule.
        private static func age(_ fixture: FleetFixture, _ name: String = "s") async throws {
            _ = try await fixture.postgres.query(
                """
                UPDATE bluebonnet.schedules SET next_tick = to_timestamp(floor(extract(epoch FROM now()) / 900) * 900)
                WHERE name = '\(name)'
                """, database: fixture.database)
        }

        @Test func fourWorkersMakeOneBatchOfATick() async throws {
            try await FleetFixture.with { fixture in
                let end = try await Self.schedule(fixture)
                #expect(end.status == 0 && end.errors == "", "\(end.errors)")
                let next = try Date(end.output.trimmingCharacters(in: .newlines), strategy: .iso8601)
                #expect(next > Date() && Int(next.timeIntervalSince1970) % 900 == 0)
                try await Self.age(fixture)
                // Each process has another time zone.
                let zones = ["UTC", "Asia/Tokyo", "America/Los_Angeles", "Pacific/Apia"]
                let workers = try zones.map { zone in
                    try fixture.start(
                        ["work", "--until-done"], ["BLUEBONNET_STORE=\(fixture.store)", "TZ=\(zone)"])
                }
                for worker in workers { #expect(await worker.end().status == 0) }
                let tick = try #require(try await Self.schedules(fixture).first)
                let last = try #require(tick["last"]?.integer)
                let stamp = Date(timeIntervalSince1970: Double(last)).ISO8601Format()
                    .filter { $0.isNumber || $0 == "T" }.dropLast(2)
                #expect(tick["lastBatch"]?.string == "s-\(stamp)Z")
                #expect(tick["next"]?.integer == last + 900 && tick["problem"] == .null)
                #expect(try await fixture.status()["name"] == .string("s-\(stamp)Z"))
                #expect(fixture.counts("POST") == ["/a": 1])
                let text = try await fixture.run("schedules")
                #expect(text.status == 0)
                #expect(text.output.hasPrefix("s  */15 * * * * (UTC), next 20"), "\(text.output)")
                #expect(text.output.hasSuffix("Z s-\(stamp)Z\n"), "\(text.output)")
            }
        }

        @Test func killedWorkerLeavesTheTickToOthers() async throws {
            try await FleetFixture.with { fixture in
                #expect(try await Self.schedule(fixture).status == 0)
                try await Self.age(fixture)
                for _ in 0..<8 {
                    let worker = try fixture.start(["work", "--lease", "1"])
                    try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
                    worker.send(9)
                    #expect(await worker.end().status == 128 + 9)
                }
                #expect(try await fixture.run("work", "--until-done", "--lease", "1").status == 0)
                let batches = try await fixture.postgres.query(
                    "SELECT count(*), (SELECT count(*) FROM bluebonnet.ticks) FROM bluebonnet.batches",
                    database: fixture.database)
                #expect(batches == [["1", "1"]])
                // A killed worker may have sent the request; then no other one does.
                #expect(fixture.counts("POST")["/a"] ?? 0 <= 1)
                #expect(try await fixture.status()["isComplete"] == .bool(true))
            }
        }

        @Test func scheduleIsPausedResumedAndRemoved() async throws {
            try await FleetFixture.with { fixture in
                let options = ["--time-zone", "Europe/Berlin", "--backfill", "2h", "--skip-while-running"]
                #expect(try await Self.schedule(fixture, Self.quarter + options).status == 0)
                let one = try #require(try await Self.schedules(fixture).first)
                #expect(one["every"]?.string == "*/15 * * * *" && one["timeZone"]?.string == "Europe/Berlin")
                #expect(one["backfill"] == 7_200 && one["skipsWhileRunning"] == true && one["isPaused"] == false)
                #expect(try await fixture.run("schedule", "s", "--pause").status == 0)
                let paused = try #require(try await Self.schedules(fixture).first)
                #expect(paused["isPaused"] == true && paused["next"] == .null)
                #expect(try await fixture.run("schedules").output == "s  */15 * * * * (Europe/Berlin), paused\n")
                #expect(try await fixture.run("schedule", "s", "--resume").status == 0)
                #expect(try #require(try await Self.schedules(fixture).first)["next"]?.integer != nil)
                #expect(try await fixture.run("schedule", "s", "--remove").status == 0)
                #expect(try await fixture.run("schedules").output == "no schedules\n")
                let again = try await fixture.run("schedule", "s", "--remove")
                #expect(again.status == 2 && again.errors == "Error: the store has no schedule named s\n")
            }
        }

        @Test func statusPageHasTheSchedulesOfTheList() async throws {
            try await FleetFixture.with { fixture in
                for name in ["s", "t"] { #expect(try await Self.schedule(fixture, name: name).status == 0) }
                #expect(try await fixture.run("schedule", "t", "--pause").status == 0)
                let source = FleetStatusSource(Fleet(store: fixture.store))
                let object = try JSONValue(parsing: Data(await source.read(details: []).json(of: "", at: Date())))
                let listed = try await Self.schedules(fixture)
                #expect(object["schedules"]?.array == listed && listed.count == 2)
                #expect(object["scheduleCount"] == 2)
            }
        }

        @Test func problemOfAScheduleIsListed() async throws {
            try await FleetFixture.with { fixture in
                let rows = try fixture.command.folder.write("rows.csv", "sku\na\n")
                let line = #"{"id":"e","url":"e/${r.sku}","each":{"file":"\#(rows)","as":"r","key":"sku"}}"#
                #expect(try await Self.schedule(fixture, lines: [line]).status == 0)
                try FileManager.default.removeItem(atPath: rows)
                try await Self.age(fixture)
                #expect(try await fixture.run("work", "--until-done").status == 0)
                let list = try await fixture.run("schedules")
                #expect(list.status == 1 && list.output.contains("    problem: "), "\(list.output)")
                #expect(list.output.contains("rows.csv"), "\(list.output)")
            }
        }

        @Test(arguments: [
            (["--every", "60 * * * *"], #"minute: "60" is not a number from 0 to 59"#),
            (["--every", "* * * *"], "five fields"),
            (["--every", "0 0 * * *", "--time-zone", "Mars/Base"], "it must be a time zone"),
            (["--every", "0 0 * * *", "--pause"], "--pause changes an existing schedule"),
            ([], "no times: use --every"),
        ])
        func mistakesAreReported(arguments: [String], message: String) async throws {
            try await FleetFixture.with { fixture in
                let end = try await Self.schedule(fixture, arguments)
                #expect(end.status == 2 && end.output == "" && end.errors.contains(message), "\(end.errors)")
            }
        }

        @Test func wrongLinesAreNotScheduled() async throws {
            try await FleetFixture.with { fixture in
                let end = try await Self.schedule(fixture, lines: [#"{"url":"a"}"#, #"{"url":"b","after":["x"]}"#])
                #expect(end.status == 2 && end.errors.hasPrefix(#"line 2, field "after[0]": "#), "\(end.errors)")
                #expect(try await fixture.run("schedules").status == 2)
            }
        }

        // MARK: Keys and failures

        @Test func secondBatchWithAKeyIsNotSubmitted() async throws {
            try await FleetFixture.with { fixture in
                #expect(try await fixture.submit([#"{"url":"a"}"#], ["--unique", "orders"]).output == "n\n")
                let other = try fixture.command.file([#"{"url":"b"}"#])
                let second = try await fixture.run("submit", other, "--name", "m", "--unique", "orders")
                #expect(second.status == 0 && second.output == "n\n")
                #expect(second.errors == "the store already has the batch n with the key orders\n")
                #expect(try await fixture.run("work", "--until-done").status == 0)
                let third = try await fixture.run("submit", other, "--name", "m", "--unique", "orders")
                #expect(third.status == 0 && third.output == "m\n" && third.errors == "")
            }
        }

        @Test func failuresAreShownInGroupsAndRunAgainByCode() async throws {
            let isMended = Observed(false)
            try await FleetFixture.with { request in
                request.path.hasPrefix("/bad") && !isMended.value
                    ? .response(status: 500, body: "") : .response(body: "")
            } _: { fixture in
                _ = try await fixture.submit([
                    #"{"id":"good","url":"good"}"#, #"{"id":"bad1","url":"bad1"}"#, #"{"id":"bad2","url":"bad2"}"#,
                    #"{"id":"env","url":"${env:BLUEBONNET_TESTS_HAVE_NO_SUCH_VARIABLE}"}"#,
                    #"{"id":"later","url":"later","after":["bad1"]}"#,
                ])
                #expect(try await fixture.run("work", "--until-done").status == 0)
                let text = try await fixture.run("results", "n", "--failed", "--group-by", "code,status")
                let lines = text.output.split(separator: "\n")
                #expect(text.status == 1 && lines.count == 5, "\(text.output)")
                #expect(lines.first == "2  unacceptableStatus  500" && lines[1].hasPrefix("    bad1: "))
                #expect(lines[3] == "1  unresolvedReference  -" && lines[4].hasPrefix("    env: "))
                let json = try await fixture.run("results", "n", "--failed", "--group-by", "code", "--json")
                let groups = try JSONValue(parsing: Data(json.output.utf8))["groups"]?.array ?? []
                #expect(groups.map { $0["code"]?.string } == ["unacceptableStatus", "unresolvedReference"])
                #expect(groups.map { $0["count"]?.integer } == [2, 1] && groups.allSatisfy { $0["status"] == nil })
                #expect(groups.first?["samples"]?[0]?["id"] == "bad1")
                let some = try await fixture.run("results", "n", "--failed", "--where", "@.id == 'bad2'")
                #expect(try some.results.map(\.id) == ["bad2"])
                isMended.update { $0 = true }
                let none = try await fixture.run("retry-failed", "n", "--code", "timedOut")
                #expect(none.status == 0 && none.output == "0 lines\n")
                let one = try await fixture.run(
                    "retry-failed", "n", "--code", "unacceptableStatus", "--where", "@.id == 'bad1'")
                #expect(one.status == 0 && one.output == "2 lines\n")
                #expect(try await fixture.run("work", "--until-done").status == 0)
                #expect(try await fixture.status()["success"] == 3)
                #expect(try await fixture.run("retry-failed", "n").output == "2 lines\n")
            }
        }

        @Test(arguments: [
            (["results", "n", "--group-by", "code"], "add --failed"),
            (["results", "n", "--failed", "--follow"], "omit --follow"),
            (["results", "n", "--failed", "--group-by", "size"], "it must be one of code, status, origin"),
            (["results", "n", "--failed", "--group-by", "code,code"], "each property once"),
            (["results", "n", "--failed", "--json"], "--json needs --group-by"),
            (["results", "n", "--failed", "--where", "@.status = 1"], "at byte 9"),
            (["retry-failed", "n", "--where", "status"], "it must be a condition of JSONPath"),
            (["retry-failed", "n", "--code", "timed out"], "is no error code"),
        ])
        func wrongChoiceOfResultsIsReported(arguments: [String], message: String) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let end = try await CommandProcess(arguments + ["--store", "host=nowhere"], in: folder).end()
            #expect(end.status == 2 && end.errors.contains(message), "\(end.errors)")
        }
    }
}
