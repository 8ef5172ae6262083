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
    /// Batches are submitted whole and once, to tables of any version that this program knows.
    @Suite struct SubmissionTests {
        private typealias Fixture = StoreFixture

        @Test func batchIsSubmittedOnceByNameAndContent() async throws {
            let fleet = try await Fixture().fleet
            let lines = [Fixture.get("a"), Fixture.post("b")]
            #expect(try await fleet.submit(lines, named: "n"))
            #expect(try await fleet.submit(lines, named: "n") == false)
            var settings = FleetSettings()
            settings.priority = 9
            #expect(try await fleet.submit(lines, named: "n", settings: settings) == false)
            settings.headers["A"] = "b"
            for (lines, settings) in [(lines, settings), (Array(lines.prefix(1)), FleetSettings())] {
                let error = await #expect(throws: FleetError.self) {
                    try await fleet.submit(lines, named: "n", settings: settings)
                }
                #expect(error?.code == .nameTaken)
                #expect(error?.message == "the store already has a different batch named n: choose another name")
            }
            #expect(try await fleet.submit(lines, named: "m"))
            let batches = try await fleet.batches()
            #expect(batches.map(\.name) == ["n", "m"] && batches.map(\.lineCount) == [2, 2])
            #expect(batches.allSatisfy { $0.state == .open && $0.priority == 0 && $0.waitingCount == 2 })
        }

        @Test func oneOfManyConcurrentSubmissionsAddsTheBatch() async throws {
            let fixture = try await Fixture()
            let lines = (0..<50).map { Fixture.get("\($0)") }
            // The submissions also create the tables concurrently.
            let news = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { try await fixture.fleet.submit(lines, named: "n") } }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(news.filter { $0 }.count == 1 && news.count == 8)
            #expect(try await fixture.ids(in: "ready").count == 50)
            try await fixture.expectOrder()
        }

        @Test func failedSubmissionLeavesNothing() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a")], named: "first")
            _ = try await fixture.rows("ALTER TABLE bluebonnet.edges ADD CONSTRAINT broken CHECK (batch < 0)")
            let lines = [Fixture.get("a"), Fixture.get("b", after: ["a"])]
            let error = await #expect(throws: FleetError.self) { try await fixture.fleet.submit(lines, named: "n") }
            #expect(error?.code == .failed && error?.underlying == "23514")
            #expect(try await fixture.number("SELECT count(*) FROM bluebonnet.lines") == 1)
            #expect(try await fixture.fleet.batches().map(\.name) == ["first"])
            _ = try await fixture.rows("ALTER TABLE bluebonnet.edges DROP CONSTRAINT broken")
            #expect(try await fixture.fleet.submit(lines, named: "n"))
            try await fixture.expectOrder()
        }

        @Test func wrongLinesAreRefusedBeforeTheStoreIsAsked() async throws {
            let fleet = Fleet(store: "postgresql://127.0.0.1:\(try LoopbackPort.unused())/nothing")
            await #expect(throws: RequestLineErrors.self) {
                try await fleet.submit([Fixture.get("a", after: ["nobody"])], named: "n")
            }
        }

        @Test func originInSeveralSpellingsIsOneLane() async throws {
            let fixture = try await Fixture()
            var settings = FleetSettings()
            settings.baseURL = URL(string: "http://host/base/")
            let urls = ["HTTP://Host:80/a", "http://host/b", "c", "https://host/", "http://host:81/", "${0.body.url}"]
            try await fixture.fleet.submit(
                urls.enumerated().map { Fixture.get("\($0)", $1) }, named: "n", settings: settings)
            let origins = try await fixture.fleet.origins(ofBatch: "n")
            let counts = Dictionary(uniqueKeysWithValues: origins.map { ($0.origin, $0.lineCount) })
            // A URL that is known only later counts under the base URL's origin.
            #expect(counts == ["http://host:80": 4, "https://host:443": 1, "http://host:81": 1])
            #expect(origins.first?.lineCount == counts.values.max() && origins.allSatisfy { $0.secondsHeld == nil })
        }

        @Test(arguments: [
            ("GET", false, false, 0), ("POST", false, false, 1), ("POST", true, false, 2), ("POST", false, true, 2),
        ])
        func lineKindShowsWhetherItMayBeResent(
            method: String, hasKey: Bool, resends: Bool, kind: Int
        ) async throws {
            let fixture = try await Fixture()
            var line = RequestLine(id: "a", method: method, url: "http://a/")
            if hasKey { line.idempotencyKey = .automatic }
            var settings = FleetSettings()
            settings.resendsUnsafeRequests = resends
            try await fixture.fleet.submit([line], named: "n", settings: settings)
            #expect(try await fixture.number("SELECT kind FROM bluebonnet.lines") == kind)
        }

        @Test func settingsReachTheWorkersUnchanged() async throws {
            let fixture = try await Fixture()
            var settings = FleetSettings()
            settings.baseURL = URL(string: "http://a/")
            settings.headers["Authorization"] = "Bearer ${env:TOKEN}"
            settings.bodyForm = .base64
            settings.maximumBodyByteCount = 7
            settings.cancelsAtFirstFailure = true
            settings.rateLimitPerOrigin = RateLimit(5, per: .seconds(60), burst: 2)
            settings.maximumConcurrentTransferCountPerOrigin = 3
            settings.priority = -4
            try await fixture.fleet.submit([Fixture.get("a")], named: "n", settings: settings)
            let batch = try fixture.worker().openBatch()
            #expect(batch.settings == settings && batch.priority == -4 && batch.name == "n" && !batch.hasEdges)
        }

        /// The lines of a file, as the command submits them.
        private static func checked(_ text: String, _ folder: TemporaryFolder) throws -> (SubmittedLines, FileHandle) {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder.write("lines", text)))
            let limits = LineSchedule.Limits(concurrency: 1, concurrencyPerOrigin: 1)
            let checked = try BatchFileCheck.check(file.fileDescriptor, limits: limits)
            return (SubmittedLines(checked.file, checked.schedule), file)
        }

        @Test func linesOfAFileAreSubmittedDependenciesFirst() async throws {
            let (fixture, folder) = (try await Fixture(), try TemporaryFolder())
            defer { folder.remove() }
            let text = #"""
                {"id":"c","url":"http://a/${b.body.x}","after":["d"]}
                {"id":"b","url":"http://a/"}
                {"url":"http://b/"}
                {"id":"d","url":"http://b/${b.status}"}
                """#
            let (lines, file) = try Self.checked(text, folder)
            #expect(try await fixture.fleet.submit(lines, named: "n", settings: FleetSettings()))
            let rows = try await fixture.rows(
                """
                SELECT l.id, l.is_read, (
                    SELECT string_agg(n.id, ',' ORDER BY n.id) FROM bluebonnet.lines n WHERE n.position = ANY (l.needs))
                FROM bluebonnet.lines l ORDER BY l.id
                """)
            #expect(rows == [["3", "f", ""], ["b", "t", ""], ["c", "f", "b,d"], ["d", "f", "b"]])
            #expect(try await fixture.ids(in: "ready") == ["3", "b"])
            // The same lines as values are the same batch.
            let values = try text.split(separator: "\n").enumerated().map { number, line in
                try #require(try RequestLineParser().parse(line: Data(line.utf8), number: number + 1)).line
            }
            #expect(try await fixture.fleet.submit(values, named: "n") == false)
            #expect(try await fixture.fleet.submit(lines, named: "n", settings: FleetSettings()) == false)
            try file.close()
            try await fixture.expectOrder()
        }

        @Test func fileChangedDuringSubmissionLeavesNothing() async throws {
            let (fixture, folder) = (try await Fixture(), try TemporaryFolder())
            defer { folder.remove() }
            try await fixture.fleet.submit([Fixture.get("a")], named: "first")
            let text = (0..<9).map { #"{"url":"http://a/\#($0)"}"# + "\n" }.joined()
            let (lines, file) = try Self.checked(text, folder)
            let path = folder.path("lines")
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.write(contentsOf: Data(text.replacingOccurrences(of: "/7", with: "/8").utf8))
            try handle.close()
            let error = await #expect(throws: FleetError.self) {
                try await fixture.fleet.submit(lines, named: "n", settings: FleetSettings())
            }
            #expect(error?.code == .notPossible)
            #expect(error?.message == "the request lines changed during the run: line 8 is different")
            #expect(try await fixture.fleet.batches().map(\.name) == ["first"])
            try file.close()
        }

        @Test func idWithNULIsRefused() async throws {
            let fixture = try await Fixture()
            let error = await #expect(throws: FleetError.self) {
                try await fixture.fleet.submit([Fixture.get("a"), Fixture.get("b\0")], named: "n")
            }
            #expect(error?.message == "the id of line 2 contains a NUL byte, which cannot be stored")
            #expect(try await fixture.fleet.batches().isEmpty)
        }

        // MARK: Versions

        private static func recordVersions(_ ahead: Int, _ fixture: Fixture) async throws {
            for number in 1...ahead {
                _ = try await fixture.rows(
                    "INSERT INTO bluebonnet.migrations (number) VALUES (\(FleetSchema.version + number))")
            }
        }

        @Test func storeOfTheNextVersionIsUsedUnchanged() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a")], named: "n")
            try await Self.recordVersions(1, fixture)
            #expect(try await fixture.fleet.submit([Fixture.get("a")], named: "m"))
            #expect(try await fixture.fleet.batches().count == 2)
            #expect(
                try await fixture.number("SELECT max(number) FROM bluebonnet.migrations") == FleetSchema.version + 1)
        }

        @Test func storeTwoVersionsNewerIsRefused() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a")], named: "n")
            try await Self.recordVersions(2, fixture)
            let version = FleetSchema.version
            let sentence =
                "the store's tables have version \(version + 2), but this program supports versions up to \(version + 1): "
                + "install a newer version of Bluebonnet"
            let expected = FleetError(.newerVersion, sentence)
            await #expect(throws: expected) { try await fixture.fleet.submit([Fixture.get("a")], named: "m") }
            await #expect(throws: expected) { try await fixture.fleet.batches() }
            await #expect(throws: expected) { try await FleetWorker(store: fixture.url).run() }
        }

        @Test func storeWithoutTablesReportsThatNothingWasSubmitted() async throws {
            let fleet = try await Fixture().fleet
            let nothing = FleetError(.noBatch, "the store has no batches: submit one first")
            await #expect(throws: nothing) { try await fleet.batches() }
            await #expect(throws: nothing) { try await fleet.cancel("n") }
            try await fleet.submit([Fixture.get("a")], named: "n")
            for name in ["m", ""] {
                await #expect(throws: FleetError.noBatch(name)) { try await fleet.batch(named: name) }
                await #expect(throws: FleetError.noBatch(name)) { try await fleet.pause(name) }
            }
        }
    }
}
