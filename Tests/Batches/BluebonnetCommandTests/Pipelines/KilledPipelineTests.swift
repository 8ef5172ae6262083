// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import TestSupport
import Testing

extension ProcessTests {
    @Suite(.skipped(in: .thread, because: "the instants of the kills are those of a program at its usual speed"))
    struct KilledPipelineTests {
        private static let (pageCount, itemCount) = (40, 25)

        private static let lines = [
            #"{"id":"things","url":"things","paginate":{"next":"link"}}"#,
            #"{"id":"make","method":"POST","url":"make/${t.id}","text":"x","#
                + #""each":{"of":"things","as":"t","key":"$.id"},"extract":{"path":"$.path"}}"#,
        ]

        private static func answer(_ request: ReceivedRequest, _ posts: Observed<[String]>) -> Reply {
            guard request.method == "GET" else {
                posts.append(request.path)
                let body = #"{"path":"\#(request.path)"}"#
                return Reply([.delay(.milliseconds(1))] + Reply.response(body: body).steps)
            }
            let page = Int(request.query?.split(separator: "=").last ?? "") ?? 1
            let items = (0..<itemCount).map { #"{"id":\#(page * 100 + $0)}"# }.joined(separator: ",")
            let link: WireFields = page < pageCount ? ["Link": "</things?page=\(page + 1)>; rel=next"] : [:]
            return .response(headers: link, body: "[\(items)]")
        }

        @Test(arguments: [UInt64(1), 2]) func killedRunNeitherLosesNorRepeatsAnElement(seed: UInt64) async throws {
            let posts = Observed<[String]>([])
            try await CommandFixture.with {
                Self.answer($0, posts)
            } _: { fixture in
                let results = fixture.folder.path("results.ndjson")
                let table = fixture.folder.path("rows.csv")
                let arguments = [
                    try fixture.file(Self.lines), "--journal", fixture.folder.path("journal"), "--results", results,
                    "--into", table,
                ]
                var (generator, killCount) = (SeededGenerator(seed: seed), 0)
                while killCount < 25 {
                    let process = try fixture.start(arguments)
                    let target = posts.value.count + Int.random(in: 0...60, using: &generator)
                    let hasEnded = Observed(false)
                    let end = Task {
                        let end = await process.end()
                        hasEnded.update { $0 = true }
                        return end
                    }
                    while posts.value.count < target, !hasEnded.value { try await Task.sleep(for: .milliseconds(1)) }
                    process.send(SIGKILL)
                    guard await end.value.status == 128 + SIGKILL else { break }
                    killCount += 1
                }
                #expect(killCount >= 15)
                #expect(try await fixture.start(arguments).end().errors == "")
                try Self.check(results, table, posts.value)
            }
        }

        private static func check(_ path: String, _ table: String, _ posts: [String]) throws {
            let results = try CommandProcess.End.results(in: String(contentsOfFile: path, encoding: .utf8))
            let ids = (1...pageCount).flatMap { page in (0..<itemCount).map { "make/\(page * 100 + $0)" } }
            let pages = (1...pageCount).map { "things/\($0)" }
            #expect(results.map(\.id).sorted() == (ids + pages + ["things", "make"]).sorted())
            let counts = Dictionary(posts.map { ($0, 1) }, uniquingKeysWith: +)
            #expect(counts.values.allSatisfy { $0 == 1 })
            var succeeded: Set<String> = []
            for result in results where result.id.hasPrefix("make/") {
                #expect(result.outcome == .success || result.outcome == .unknown, "\(result.id)")
                if result.outcome == .success { succeeded.insert(result.id) }
            }
            #expect(succeeded.allSatisfy { counts["/" + $0] == 1 } && succeeded.count > ids.count / 2)
            let things = results.first { $0.id == "things" }
            #expect(things?.pages == pageCount && things?.items == ids.count)
            let rows = try String(contentsOfFile: table, encoding: .utf8).split(whereSeparator: \.isNewline)
            #expect(rows.first == "id,path")
            #expect(rows.dropFirst().sorted() == succeeded.map { "\($0),/\($0)" }.sorted())
        }
    }
}
