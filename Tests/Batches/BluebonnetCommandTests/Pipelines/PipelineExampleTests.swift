// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// The batches in Examples/Pipelines, as their comments run them.
    @Suite struct PipelineExampleTests {
        private static let files = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../Examples/Pipelines").standardizedFileURL

        private static func run(
            _ name: String, _ options: [String] = [], in folder: TemporaryFolder
        ) async throws -> CommandProcess.End {
            let pipe = try TestPipe()
            let demo = try CommandProcess(["--serve"], program: "Demo", output: pipe.writeEnd, in: folder)
            pipe.closeWriteEnd()
            let greeting = String(decoding: await pipe.read(), as: UTF8.self)
            let url = try #require(greeting.split(separator: " ").first { $0.hasPrefix("http://") })
            let file = files.appendingPathComponent(name).path
            let end = try await CommandProcess(["run", file, "--base-url", String(url)] + options, in: folder).end()
            demo.send(SIGTERM)
            _ = await demo.end()
            pipe.closeReadEnd()
            return end
        }

        @Test func pagesAndDetailsBecomeATable() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let table = folder.path("prices.csv")
            let end = try await Self.run("pages-to-csv.ndjson", ["--into", table], in: folder)
            #expect(end.status == 0)
            let rows = try String(contentsOfFile: table, encoding: .utf8).split(whereSeparator: \.isNewline)
            #expect(rows.first == "id,item,price")
            #expect(rows.dropFirst().sorted() == (1...100).map { "price/\($0),\($0),\($0 * 5)" }.sorted())
        }

        @Test func jobIsPolledUntilItsResultCanBeFetched() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let end = try await Self.run("poll-a-job.ndjson", in: folder)
            #expect(end.status == 0)
            let results = Dictionary(uniqueKeysWithValues: try end.results.map { ($0.id, $0) })
            #expect(results["job"]?.attempts == 3 && results["job"]?.values == ["result": "catalogue"])
            #expect(results["report"]?.body?.hasPrefix("item 1: 5 euro\n") == true)
        }

        @Test func smokeTestWritesAReport() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let report = folder.path("smoke.xml")
            let end = try await Self.run(
                "smoke-test.ndjson", ["--report", "junit=\(report)", "--fail-if", "failed > 0"], in: folder)
            #expect(end.status == 0, "\(end.errors)")
            let xml = try String(contentsOfFile: report, encoding: .utf8)
            #expect(xml.contains(#"tests="4""#) && xml.contains(#"failures="0""#))
        }
    }
}
