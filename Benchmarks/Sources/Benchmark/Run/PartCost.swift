// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import LoadClients

/// Measures the cost of a manager's idle parts: GETs of 13 bytes with and without the parts, alternating, each in a
/// separate process.
struct PartCost {
    let url: URL
    let rounds: Int

    private static let forms: [(title: String, parts: [ManagerPart])] = [
        ("retries and a governor", [.retries, .governor]), ("a bearer token that is valid", [.authenticator]),
        ("a monitor that counts all events", [.monitor]), ("a monitor that counts ends", [.endMonitor]),
    ]

    /// - Throws: a `BenchmarkError`, if a request failed.
    func measure() throws {
        let plain = [
            "--url", url.absoluteString, "--expect", "13", "--count", "20000", "--concurrency", "64",
        ]
        var ratios: [[[Double]]] = Self.forms.map { _ in [] }
        for _ in 0..<rounds {
            let base = try run(plain)
            for (index, form) in Self.forms.enumerated() {
                let other = try run(plain + ["--with"] + form.parts.map(\.rawValue))
                ratios[index].append([
                    other.requestsPerSecond / base.requestsPerSecond, other.cpuSeconds / base.cpuSeconds,
                ])
            }
        }
        var rows = [["64 in flight, with", "requests/s", "CPU a request"]]
        for (form, rounds) in zip(Self.forms, ratios) {
            rows.append(
                [form.title]
                    + (0..<2).map { column in
                        Spread(rounds.map { $0[column] }).text(fractionDigits: 3)
                    })
        }
        print(TextTable(rows: rows).lines.joined(separator: "\n"))
    }

    private func run(_ arguments: [String]) throws -> Measured {
        try LoadProcess(contender: .bluebonnet, arguments: arguments).run().measurement
    }
}
