// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// Formats the statistics of a run for `--summary` and `--summary-json`.
struct TimeSummary {
    let statistics: RunStatistics
    /// The duration of the run, in seconds.
    let elapsed: Double

    /// The maximum number of lines of the critical path and of wait reasons in the text.
    private static let pathLimit = 20
    private static let waitLimit = 5
    private static let fractions = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)]

    /// The lines for people, with line ends.
    var text: String { lines.map { $0 + "\n" }.joined() }

    var lines: [String] { phaseLines + waitLines + pathLines + droppedLines }

    private var droppedLines: [String] {
        let count = statistics.droppedEventCount
        return count == 0 ? [] : ["\(Quantity.count(count, "event")) lost: the times above are incomplete"]
    }
}

// MARK: - Phases

extension TimeSummary {
    private var phaseLines: [String] {
        var origins = statistics.shownOrigins.map { ($0.name.isEmpty ? "(no origin)" : $0.name, $0.origin) }
        if let others = statistics.otherOrigins { origins.append(("other origins", others)) }
        guard !origins.isEmpty else { return [] }
        let title = Self.row("phases, at most 2 % wrong", Self.fractions.map(\.0))
        return [title]
            + origins.flatMap { name, origin in
                ["  \(TerminalText.clean(name)), \(Quantity.count(origin.hopCount, "transfer"))"]
                    + TransferTimings.Phase.allCases.compactMap { phase in
                        origin.phases[phase].map { histogram in
                            Self.row(
                                "    \(phase.rawValue)",
                                Self.fractions.map { EventText.duration(histogram.seconds($0.1)) })
                        }
                    }
            }
    }

    private static func row(_ name: String, _ cells: [String]) -> String {
        TerminalText.fit(name, to: 26)
            + cells.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
    }
}

// MARK: - Waits and the critical path

extension TimeSummary {
    private var waitLines: [String] {
        let shares = statistics.waitShares.filter { $0.seconds >= 0.0005 }
        guard !shares.isEmpty else { return [] }
        let total = statistics.operationSeconds
        let lines = shares.prefix(Self.waitLimit).map { share in
            let part = total > 0 ? Int((share.seconds / total * 100).rounded()) : 0
            let operations = Quantity.count(share.operationCount, "request")
            return Self.row("  \(share.name)", [EventText.duration(share.seconds), "\(part) %"]) + "  \(operations)"
        }
        let hidden = shares.count - lines.count
        return ["waits, of \(EventText.duration(total)) of all requests together"] + lines
            + (hidden > 0 ? ["  and \(Quantity.count(hidden, "other reason"))"] : [])
    }

    private var pathLines: [String] {
        let steps = statistics.path.steps
        guard statistics.path.hasDependencies, let first = steps.first, let last = steps.last else { return [] }
        let seconds = Double(last.end - min(first.begin, last.end)) / 1e9
        let count = Quantity.count(steps.count, "line")
        let title =
            "critical path: \(count), \(EventText.duration(seconds)) of \(EventText.duration(elapsed))"
        let shown = Set(
            steps.indices.sorted { (steps[$1].seconds, $0) < (steps[$0].seconds, $1) }.prefix(Self.pathLimit))
        let lines = steps.indices.filter { shown.contains($0) }.map { index in
            let shares = steps[index].shares.map { "\($0.name) \(EventText.duration($0.seconds))" }
            let name = "  " + TerminalText.fit(TerminalText.clean(steps[index].id), to: 24)
            return Self.row(name, [EventText.duration(steps[index].seconds)]) + "  " + shares.joined(separator: ", ")
        }
        let hidden = steps.count - lines.count
        return [title] + lines + (hidden > 0 ? ["  and \(Quantity.count(hidden, "shorter line"))"] : [])
    }
}

// MARK: - JSON

extension TimeSummary {
    /// The JSON object, with a line end. The page "The command's format" describes the members.
    ///
    /// - Parameter tally: the counts of the run's results.
    func json(_ tally: RunTally) -> String {
        var text = JSONText(expectedByteCount: 4096)
        text.object { text in
            text.key("elapsed")
            text.seconds(elapsed)
            text.key("outcomes")
            text.object { text in
                for (name, count) in tally.namedCounts {
                    text.key(name)
                    text.token(String(count))
                }
            }
            text.member("bytes", tally.byteCount)
            text.key("origins")
            text.array { text in
                for (name, origin) in statistics.shownOrigins { write(name, origin, to: &text) }
            }
            if let others = statistics.otherOrigins {
                text.key("otherOrigins")
                write(nil, others, to: &text)
            }
            write("waits", statistics.waitShares, to: &text)
            write("phases", statistics.phaseShares, to: &text)
            writePath(to: &text)
            text.member("droppedEvents", statistics.droppedEventCount)
        }
        text.endLine()
        return text.string
    }

    private func write(_ name: String?, _ origin: RunStatistics.Origin, to text: inout JSONText) {
        text.object { text in
            text.member("origin", name)
            text.member("transfers", origin.hopCount)
            text.key("phases")
            text.object { text in
                for phase in TransferTimings.Phase.allCases {
                    guard let histogram = origin.phases[phase] else { continue }
                    text.key(phase.rawValue)
                    text.object { text in
                        text.member("transfers", histogram.count)
                        for (name, fraction) in Self.fractions {
                            text.key(name)
                            text.seconds(histogram.seconds(fraction))
                        }
                        text.key("max")
                        text.seconds(histogram.seconds(1))
                    }
                }
            }
        }
    }

    private func write(_ name: StaticString, _ shares: [RunStatistics.Share], to text: inout JSONText) {
        text.key(name)
        text.array { text in
            for share in shares {
                text.object { text in
                    text.member("name", share.name)
                    text.key("seconds")
                    text.seconds(share.seconds)
                    text.member("requests", share.operationCount)
                }
            }
        }
    }

    private func writePath(to text: inout JSONText) {
        let steps = statistics.path.steps
        guard statistics.path.hasDependencies, let first = steps.first else { return }
        text.key("criticalPath")
        text.array { text in
            for step in steps {
                text.object { text in
                    text.member("line", step.id)
                    text.key("begin")
                    text.seconds(Double(step.begin - min(step.begin, first.begin)) / 1e9)
                    text.key("seconds")
                    text.seconds(step.seconds)
                    text.key("times")
                    text.object { text in
                        for share in step.shares {
                            text.key(share.name)
                            text.seconds(share.seconds)
                        }
                    }
                }
            }
        }
    }
}

extension LatencyHistogram {
    /// Returns a percentile in seconds.
    fileprivate func seconds(_ part: Double) -> Double { Double(percentile(part) ?? 0) / 1e9 }
}
