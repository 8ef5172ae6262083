// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    /// The examples' sample batch. The demonstration runs it against its own server.
    @Suite struct SampleTests {
        private static let sample = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().appendingPathComponent("../../../../Examples/Sample").standardizedFileURL

        private struct Run {
            let end: CommandProcess.End
            let results: [String: ResultLine]
        }

        private static func lines(_ name: String) throws -> [JSONValue] {
            let file = try Data(contentsOf: sample.appendingPathComponent(name))
            return try file.split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: $0) }
        }

        private static func run(in folder: TemporaryFolder) async throws -> Run {
            let end = try await CommandProcess([sample.path, "--keep"], program: "Demo", in: folder).end()
            let label = try #require(end.output.split(separator: "\n").first { $0.hasPrefix("Results:") })
            let path = label.dropFirst("Results:".count).trimmingCharacters(in: .whitespaces)
            defer { try? FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent()) }
            let results = try CommandProcess.End.results(in: String(contentsOfFile: path, encoding: .utf8))
            return Run(end: end, results: Dictionary(uniqueKeysWithValues: results.map { ($0.id, $0) }))
        }

        @Test func everySampleLineHasItsExpectedResult() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let run = try await Self.run(in: folder)
            #expect(run.end.status == 0)
            let expected = try Self.lines("expected-outcomes.ndjson")
            #expect(try expected.map { $0["id"] } == Self.lines("requests.ndjson").map { $0["id"] })
            #expect(run.results.count == expected.count)
            for line in expected {
                let id = try #require(line["id"]?.string)
                let result = try #require(run.results[id])
                compare(result, with: line)
                checkTiming(of: result)
            }
        }

        private func compare(_ result: ResultLine, with expected: JSONValue) {
            let id = result.id
            #expect(result.outcome.rawValue == expected["outcome"]?.string, "\(id)")
            #expect(result.status == expected["status"]?.integer.map(Int.init), "\(id)")
            #expect(result.attempts == expected["attempts"]?.integer.map(Int.init), "\(id)")
            #expect(result.redirects == expected["redirects"]?.integer.map(Int.init), "\(id)")
            #expect(result.error?.code.rawValue == expected["error"]?["code"]?.string, "\(id)")
            #expect(result.error == nil || result.error?.message.isEmpty == false, "\(id)")
            if let body = expected["body"]?.string { #expect(result.body == body, "\(id)") }
            if let version = expected["protocol"]?.string { #expect(result.protocol == version, "\(id)") }
            for (name, value) in expected["headers"]?.object ?? [:] {
                #expect(result.headers?[name] == value.string, "\(id)")
            }
            // How many bytes of the cancelled response arrived is chance.
            guard id != "cancelled" else { return }
            #expect(result.bytes == expected["bytes"]?.integer.map(Int.init), "\(id)")
            #expect(result.sha256 == expected["sha256"]?.string, "\(id)")
        }

        /// Requests that were sent have times. No time is negative or longer than the total.
        private func checkTiming(of result: ResultLine) {
            #expect((result.timing != nil) == (result.attempts > 0), "\(result.id)")
            guard let timing = result.timing else { return }
            let parts = [timing.queued, timing.dns, timing.connect, timing.tls, timing.firstByte]
            #expect(timing.total > 0, "\(result.id)")
            #expect(parts.allSatisfy { $0 >= 0 && $0 <= timing.total }, "\(result.id)")
            #expect(timing.firstByte > 0, "\(result.id)")
        }
    }
}
