// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import RealServers
import TestSupport
import Testing

extension ProcessTests {
    /// Workers are killed during a batch with pages and elements. `FLEET_KILLS` sets how many, `FLEET_SEED` the seed.
    @Suite(
        .enabled(if: PostgreSQLServer.isAvailable),
        .skipped(in: .thread, because: "the instants of the kills are those of a program at its usual speed"))
    struct KilledFleetTests {
        private static let (pageCount, itemCount, workerCount) = (40, 25, 4)

        private static let lines = [
            #"{"id":"things","url":"things","paginate":{"next":"link"}}"#,
            #"{"id":"make","method":"POST","url":"make/${t.id}","text":"x","#
                + #""each":{"of":"things","as":"t","key":"$.id"}}"#,
            #"{"id":"end","url":"end/${things.items}"}"#,
        ]

        private static func number(_ name: String) -> Int? {
            ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
        }

        private static func answer(_ request: ReceivedRequest, _ posts: Observed<[String]>) -> Reply {
            if request.method == "POST" {
                posts.append(request.path)
                return Reply([.delay(.milliseconds(5))] + Reply.response(body: "{}").steps)
            }
            guard request.path == "/things" else { return .response(body: "end") }
            let page = Int(request.query?.split(separator: "=").last ?? "") ?? 1
            let items = (0..<itemCount).map { #"{"id":\#(page * 100 + $0)}"# }.joined(separator: ",")
            let link: WireFields = page < pageCount ? ["Link": "</things?page=\(page + 1)>; rel=next"] : [:]
            return .response(headers: link, body: "[\(items)]")
        }

        @Test func killedWorkersNeitherLoseNorRepeatAnElement() async throws {
            let seed = Self.number("FLEET_SEED").map { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000)
            let kills = Self.number("FLEET_KILLS") ?? 8
            print("seed \(seed), \(kills) kills")
            let postgres = try await PostgreSQLServer.shared()
            let store = postgres.unixURL(database: try await postgres.createDatabase())
            let posts = Observed<[String]>([])
            try await CommandFixture.with {
                Self.answer($0, posts)
            } _: { fixture in
                func command(_ arguments: [String]) throws -> CommandProcess {
                    try CommandProcess(
                        ["BLUEBONNET_STORE=\(store)", CommandProcess.path(of: "bluebonnet")] + arguments,
                        program: "/usr/bin/env", in: fixture.folder)
                }
                let base = fixture.server.url("/").absoluteString
                let submission = ["submit", try fixture.file(Self.lines), "--name", "n", "--base-url", base]
                #expect(try await command(submission).end().status == 0)
                let work = ["work", "--until-done", "--lease", "1", "--concurrency", "4"]
                var generator = SeededGenerator(seed: seed)
                var workers = try (0..<Self.workerCount).map { _ in try command(work) }
                var killCount = 0
                // Each kill follows on the next posts, so that the kills are spread over the batch.
                let total = Self.pageCount * Self.itemCount
                while killCount < kills, posts.value.count < total - 50 {
                    let target = posts.value.count + Int.random(in: 0...(total / kills), using: &generator)
                    let end = ContinuousClock.now + .seconds(3)
                    while posts.value.count < target, ContinuousClock.now < end {
                        try await Task.sleep(for: .milliseconds(1))
                    }
                    let index = Int.random(in: 0..<workers.count, using: &generator)
                    workers[index].send(SIGKILL)
                    if await workers[index].end().status == 128 + SIGKILL { killCount += 1 }
                    workers[index] = try command(work)
                }
                for worker in workers { #expect(await worker.end().status == 0) }
                let output = try await command(["results", "n"]).end().output
                let unknown = try Self.check(CommandProcess.End.results(in: output), posts.value)
                print("seed \(seed): \(killCount) kills, \(posts.value.count) posts, \(unknown) unknown")
                #expect(killCount > kills / 2)
            }
        }

        /// Returns the number of elements with an unknown outcome.
        private static func check(_ results: [ResultLine], _ posts: [String]) throws -> Int {
            let ids = (1...pageCount).flatMap { page in (0..<itemCount).map { "make/\(page * 100 + $0)" } }
            let pages = (1...pageCount).map { "things/\($0)" }
            #expect(results.map(\.id).sorted() == (ids + pages + ["things", "make", "end"]).sorted())
            let counts = Dictionary(posts.map { ($0, 1) }, uniquingKeysWith: +)
            #expect(counts.values.allSatisfy { $0 == 1 }, "\(counts.filter { $0.value != 1 })")
            var (succeeded, unknown) = (0, 0)
            for result in results where result.id.hasPrefix("make/") {
                #expect(result.outcome == .success || result.outcome == .unknown, "\(result.id) \(result.outcome)")
                guard result.outcome == .success else {
                    unknown += 1
                    continue
                }
                succeeded += 1
                #expect(counts["/" + result.id] == 1)
            }
            let things = results.first { $0.id == "things" }
            #expect(things?.pages == pageCount && things?.items == ids.count)
            let make = results.first { $0.id == "make" }
            #expect(make?.count == ids.count && make?.succeeded == succeeded && make?.duplicates == 0)
            #expect(make?.outcome == (unknown == 0 ? .success : .unknown))
            #expect(results.first { $0.id == "end" }?.url?.hasSuffix("/end/\(ids.count)") == true)
            return unknown
        }
    }
}
