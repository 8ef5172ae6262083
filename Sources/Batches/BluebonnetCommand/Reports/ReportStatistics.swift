// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetFleet

/// Sums up a run for the HTML report, in bounded memory. Texts are without secrets. A value without a clock.
struct ReportStatistics: Sendable {
    struct SlowLine: Sendable, Equatable {
        let id, url: String
        let outcome: ResultLine.Outcome
        let seconds: Double
    }

    static let sampleLimit = 10
    static let slowLineLimit = 20
    static let originLimit = 256
    static let shownOriginCount = 20
    private static let textLimit = 300

    private(set) var counts: [ResultLine.Outcome: Int] = [:]
    private(set) var failures = FailureGroups(shownSampleLimit: ReportStatistics.sampleLimit)
    /// The slowest lines, the slowest first.
    private(set) var slowLines: [SlowLine] = []
    private(set) var timeline = RequestTimeline()
    /// The results of earlier runs.
    private(set) var recordedCount = 0
    /// The requests that this run sent.
    private(set) var requestCount = 0
    private var origins: [String: LatencyHistogram] = [:]
    private var otherOrigins = LatencyHistogram()

    /// Records a result that was delivered some seconds after the start.
    mutating func record(_ result: ResultFacts, at seconds: Double) {
        counts[result.outcome, default: 0] += 1
        if result.isFromJournal { recordedCount += 1 }
        if result.isFailure { recordFailure(result) }
        guard let duration = result.seconds else { return }
        if !result.isFromJournal {
            requestCount += result.requestCount
            timeline.record(at: seconds, isFailure: result.isFailure)
        }
        recordSlow(result, duration)
        if let url = result.url { recordOrigin(RequestLine.lane(of: url), duration) }
    }

    private mutating func recordFailure(_ result: ResultFacts) {
        failures.add(
            .shown(code: result.code, status: result.status),
            samples: [FailureGroup.Sample(id: result.id, message: Redaction.text(result.message ?? ""))])
    }

    private mutating func recordSlow(_ result: ResultFacts, _ seconds: Double) {
        if slowLines.count == Self.slowLineLimit, let last = slowLines.last, last.seconds >= seconds { return }
        let line = SlowLine(
            id: Self.start(of: result.id), url: Self.start(of: Redaction.url(result.url ?? "")),
            outcome: result.outcome, seconds: seconds)
        let place = slowLines.firstIndex { $0.seconds < seconds } ?? slowLines.count
        slowLines.insert(line, at: place)
        if slowLines.count > Self.slowLineLimit { slowLines.removeLast() }
    }

    private mutating func recordOrigin(_ origin: String, _ seconds: Double) {
        let nanoseconds = UInt64(max(0, min(seconds, 1e9)) * 1e9)
        if origins[origin] != nil || origins.count < Self.originLimit {
            origins[origin, default: LatencyHistogram()].record(nanoseconds)
        } else {
            otherOrigins.record(nanoseconds)
        }
    }

    private static func start(of text: String) -> String { MarkupText.start(of: text, count: textLimit) }
}

extension ReportStatistics {
    /// The whole times of the requests to one origin.
    struct Origin: Sendable, Equatable {
        let name: String
        let count: Int
        /// Percentiles, in seconds.
        let median, p95: Double

        fileprivate init(_ name: String, _ histogram: LatencyHistogram) {
            func percentile(_ part: Double) -> Double { Double(histogram.percentile(part) ?? 0) / 1e9 }
            (self.name, count) = (name, histogram.count)
            (median, p95) = (percentile(0.5), percentile(0.95))
        }
    }

    /// The origins with the largest 95th percentiles, the slowest first.
    var slowOrigins: [Origin] {
        var all = origins.map { Origin($0.key, $0.value) }
        if otherOrigins.count > 0 { all.append(Origin("other origins", otherOrigins)) }
        let sorted = all.sorted { ($1.p95, $0.name) < ($0.p95, $1.name) }
        return Array(sorted.prefix(Self.shownOriginCount))
    }

    var totalCount: Int { counts.values.reduce(0, +) }
}
