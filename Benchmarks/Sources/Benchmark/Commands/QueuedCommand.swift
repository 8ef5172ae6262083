// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Figures
import Foundation

/// Measures threads and descriptors with very many operations in the queue.
struct QueuedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queued",
        abstract: "Very many operations queued at once: threads, descriptors and memory.",
        discussion: """
            Threads are counted from outside every other millisecond, which slows the client down: take its speed from \
            `everything`. Network threads are those besides the main thread and Dispatch's workers. Descriptors are \
            counted after the warm-up and at the end, both times when idle connections were closed.
            """)

    @Option(help: "How many operations are queued at once.")
    var count = 10_000

    @Option(help: "How many transfers may be in flight.")
    var concurrency = 64

    @Option(help: "How often it is measured.")
    var rounds = 5

    func validate() throws {
        guard count > 0, concurrency > 0, rounds > 0 else { throw ValidationError("Counts have to be at least 1.") }
    }

    func run() throws {
        let results = try Stage.withServer { _, server in
            let arguments = [
                "--url", try server.url("tiny").absoluteString, "--expect", "13", "--count", "\(count)",
                "--concurrency", "\(concurrency)", "--warm-up", "2000", "--count-descriptors",
            ]
            let process = LoadProcess(contender: .bluebonnet, arguments: arguments, watchesThreads: true)
            return try (0..<rounds).map { _ in try process.run() }
        }
        print("\(count) operations queued at once, \(concurrency) in flight, \(rounds) rounds\n")
        print(table(results).lines.joined(separator: "\n"))
        let goals = [
            ("one network thread", results.allSatisfy { $0.threads.ownCount == 1 }),
            ("no more than 20 threads", results.allSatisfy { $0.threads.maximum <= 20 }),
            (
                "descriptors back to where they were",
                results.allSatisfy { $0.measurement.descriptorCountBefore == $0.measurement.descriptorCountAfter }
            ),
        ]
        print("\n" + goals.map { "\($0): \($1 ? "yes" : "NO")" }.joined(separator: "\n"))
    }

    private func table(_ results: [(measurement: Measured, threads: ThreadCounts)]) -> TextTable {
        let row = { (title: String, digits: Int, value: (Measured, ThreadCounts) -> Double?) -> [String] in
            let values = results.compactMap { value($0.measurement, $0.threads) }
            return [title, values.isEmpty ? "–" : Spread(values).text(fractionDigits: digits)]
        }
        return TextTable(rows: [
            ["", "median (least–most)"],
            row("time, s", 3) { measurement, _ in measurement.wallSeconds },
            row("threads, most seen", 0) { _, threads in Double(threads.maximum) },
            row("network threads", 0) { _, threads in Double(threads.ownCount) },
            row("descriptors before", 0) { measurement, _ in measurement.descriptorCountBefore.map(Double.init) },
            row("descriptors after", 0) { measurement, _ in measurement.descriptorCountAfter.map(Double.init) },
            row("peak memory, MiB", 1) { measurement, _ in Metric.peakResidentMebibytes.value(of: measurement) },
        ])
    }
}
