// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Figures
import Foundation
import LoadClients

/// Measures the gain of each part of `Tuning`: mixed traffic and HTTP/2, with the part on and off.
struct TuningCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tuning",
        abstract: "What each part of Bluebonnet's tuning gains, with the part on and off by turns.",
        discussion: """
            The same requests as `mixed`, to 20 origins, and one URL over HTTP/2. A round runs Bluebonnet as it is and \
            once without each part, in an order of its own, each in a process of its own. The figures are requests \
            per second and processor time per request with all parts on, divided by those without the part: medians \
            over the rounds of the ratios within a round. More than 1 is a gain of requests; less than 1 is a gain of \
            processor time.
            """)

    @Option(help: "How often each is measured.")
    var rounds = 9

    @Option(help: "How many requests a round sends, after its warm-up.")
    var count = 20_000

    @Option(parsing: .upToNextOption, help: "How many of them are in flight.")
    var concurrency = Grid.mixedConcurrencies

    @Option(parsing: .upToNextOption, help: "The parts.")
    var part = TuningPart.allCases

    func validate() throws {
        guard rounds > 0, count > 0, !part.isEmpty, concurrency.allSatisfy({ 1...1000 ~= $0 }) else {
            throw ValidationError("Counts have to be at least 1, --concurrency 1000 at most.")
        }
    }

    func run() throws {
        let tables = try Stage.withServer { folder, server in
            let authority = folder.appendingPathComponent(Certificate.authorityFile).path
            let mixed = ["--mix"] + server.mixedOrigins + ["--expect", "\(JSONDocument.small.byteCount)"]
            let url = try server.url("tiny", .http2).absoluteString
            let multiplexed = ["--url", url, "--expect", "13", "--ca-file", authority]
            return [
                try table("mixed traffic, 20 origins", mixed), try table("one URL over HTTP/2 and TLS", multiplexed),
            ]
        }
        print(tables.joined(separator: "\n\n"))
    }

    private func table(_ title: String, _ arguments: [String]) throws -> String {
        var rows = [[title, "in flight", "requests/s", "CPU a request", "peak memory"]]
        for concurrency in concurrency {
            let arguments = arguments + ["--count", "\(count)", "--concurrency", "\(concurrency)"]
            let ratios = try ratios(arguments)
            for part in part {
                let cells = (ratios[part] ?? []).map { $0.text(fractionDigits: 3) }
                rows.append([part.rawValue, "\(concurrency)"] + cells)
            }
        }
        return TextTable(rows: rows).lines.joined(separator: "\n")
    }

    /// Returns the ratios of requests per second, processor time and peak memory, for each part.
    private func ratios(_ arguments: [String]) throws -> [TuningPart: [Spread]] {
        var ratios: [TuningPart: [[Double]]] = [:]
        for _ in 0..<rounds {
            var measured: [TuningPart?: Measured] = [:]
            for part in ([nil] + part.map(Optional.some)).shuffled() {
                let words = arguments + (part.map { ["--without", $0.rawValue] } ?? [])
                measured[part] = try LoadProcess(contender: .bluebonnet, arguments: words).run().measurement
            }
            guard let all = measured[nil] else { continue }
            for part in part {
                guard let other = measured[part] else { continue }
                ratios[part, default: []].append([
                    all.requestsPerSecond / other.requestsPerSecond,
                    all.cpuSeconds / other.cpuSeconds,
                    Double(all.peakResidentByteCount) / Double(other.peakResidentByteCount),
                ])
            }
        }
        return ratios.mapValues { rounds in
            (0..<3).map { column in Spread(rounds.map { $0[column] }) }
        }
    }
}
