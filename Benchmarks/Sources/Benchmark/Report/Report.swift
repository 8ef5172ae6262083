// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CurlDriver
import Foundation

/// The outcome of one benchmark: what is printed and what `--json` writes.
struct Report: Encodable {
    /// One sentence: what was done.
    let title: String
    let roundCount: Int
    let concurrency: Int
    let libcurlVersion: String
    let clients: [Column]
    /// For each compared figure, Bluebonnet's divided by libcurl's in the same round.
    let ratiosToLibcurl: [String: Spread]
    let goals: [GoalOutcome]
    private let metrics: [Metric]

    /// One client's figures, by the metric's name, and the rounds that they come from.
    struct Column: Encodable {
        let client: ClientKind
        let figures: [String: Spread]
        let rounds: [Sample]
    }

    /// What is written as JSON.
    private enum CodingKeys: CodingKey {
        case title, roundCount, concurrency, libcurlVersion, clients, ratiosToLibcurl, goals
    }

    init(_ plan: Plan, samples: [ClientKind: [Sample]]) {
        title = plan.title
        roundCount = plan.roundCount
        concurrency = plan.concurrency
        libcurlVersion = String(cString: curl_driver_library_version())
        metrics = plan.metrics
        clients = plan.clients.map { client in
            let rounds = samples[client] ?? []
            let figures = plan.metrics.map { ($0.name, Spread(rounds.map($0.value))) }
            return Column(client: client, figures: Dictionary(uniqueKeysWithValues: figures), rounds: rounds)
        }
        ratiosToLibcurl = Self.ratios(plan.metrics, samples)
        goals = plan.goals.map { GoalOutcome($0, rounds: samples[.bluebonnet] ?? []) }
    }

    private static func ratios(_ metrics: [Metric], _ samples: [ClientKind: [Sample]]) -> [String: Spread] {
        guard let ours = samples[.bluebonnet], let theirs = samples[.libcurl] else { return [:] }
        let pairs = metrics.filter(\.isCompared).map { metric in
            (metric.name, Spread(zip(ours, theirs).map { metric.value($0) / metric.value($1) }))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}

// MARK: - As text

extension Report {
    /// What is printed.
    var text: String {
        let head = "\(title), \(concurrency) in flight, \(roundCount) rounds, libcurl \(libcurlVersion)"
        let lines = goals.map { "\($0.claim): \($0.isMet ? "yes" : "NO")" }
        return ([head, ""] + TextTable(rows: rows).lines + (lines.isEmpty ? [] : [""]) + lines).joined(separator: "\n")
    }

    private var rows: [[String]] {
        let isCompared = !ratiosToLibcurl.isEmpty
        let head = ["median (least–most)"] + clients.map(\.client.title) + (isCompared ? ["to libcurl"] : [])
        let body = metrics.map { metric in
            let figures = clients.map { $0.figures[metric.name]?.text(fractionDigits: metric.fractionDigits) ?? "" }
            let ratio = ratiosToLibcurl[metric.name]?.text(fractionDigits: 2) ?? ""
            return [metric.title] + figures + (isCompared ? [ratio] : [])
        }
        return [head] + body
    }
}

// MARK: - As JSON

extension Report {
    /// Writes it as JSON.
    func writeJSON(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let text = try encoder.encode(self) + Data("\n".utf8)
        guard FileManager.default.createFile(atPath: path, contents: text) else {
            throw BenchmarkError("\(path) cannot be written")
        }
    }
}
