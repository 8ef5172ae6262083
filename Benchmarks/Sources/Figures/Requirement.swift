// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A bound for one of Bluebonnet's ratios. It is checked only if its case was measured.
package struct Requirement: Sendable {
    /// The contender to which the ratio is taken.
    package enum Base: Sendable { case limit, peer, urlSession }
    package enum Bound: Equatable, Sendable {
        case atLeast(Double)
        case atMost(Double)

        func isMet(by value: Double) -> Bool {
            switch self {
            case .atLeast(let bound): value >= bound
            case .atMost(let bound): value <= bound
            }
        }

        var text: String {
            switch self {
            case .atLeast(let bound): "≥ \(Spread.text(bound, 2))"
            case .atMost(let bound): "≤ \(Spread.text(bound, 2))"
            }
        }
    }

    package let testCase: Case
    package let metric: Metric
    package let base: Base
    package let bound: Bound

    package init(_ testCase: Case, _ metric: Metric, to base: Base, _ bound: Bound) {
        self.testCase = testCase
        self.metric = metric
        self.base = base
        self.bound = bound
    }

    /// Returns the outcome, by the median of the rounds' ratios; nil if the case or either contender was not measured.
    package func outcome(in reports: [CaseReport]) -> RequirementOutcome? {
        guard let report = reports.first(where: { $0.testCase == testCase }),
            let column = report[testCase.work.isForCommands ? .bluebonnetCommand : .bluebonnet],
            let (name, ratios) = ratios(column, report), let ratio = ratios[metric.rawValue]
        else { return nil }
        return RequirementOutcome(
            claim: "\(testCase.title): \(metric.title) \(bound.text) of \(name.title)", measured: ratio.median,
            isMet: bound.isMet(by: ratio.median))
    }

    private func ratios(_ column: CaseReport.Column, _ report: CaseReport) -> (Contender, [String: Spread])? {
        switch base {
        case .limit: (testCase.limit, column.ratiosToLimit)
        case .peer: report.peer.map { ($0, column.ratiosToPeer) }
        case .urlSession: (.urlSession, column.ratiosToURLSession)
        }
    }
}

/// The outcome of a requirement.
package struct RequirementOutcome: Codable, Equatable, Sendable {
    package let claim: String
    package let measured: Double
    package let isMet: Bool

    package init(claim: String, measured: Double, isMet: Bool) {
        self.claim = claim
        self.measured = measured
        self.isMet = isMet
    }
}

extension Requirement {
    /// The library's own goals: close to libcurl, and ahead of other Swift clients.
    package static let all: [Requirement] =
        requests(1, limit: 0.80, peer: 1.4, urlSession: 4) + requests(64, limit: 0.80, peer: 1.3, urlSession: 12)
        + requests(1000, limit: 0.85, peer: 1.2, urlSession: nil)
        + [Wire.tls, .http2].flatMap { wire in
            [
                Requirement(Case(.tiny, wire, concurrency: 64), .requestsPerSecond, to: .limit, .atLeast(0.80)),
                Requirement(Case(.tiny, wire, concurrency: 64), .requestsPerSecond, to: .peer, .atLeast(1.2)),
            ]
        }
        + [
            Requirement(download, .megabytesPerSecond, to: .limit, .atLeast(0.90)),
            Requirement(download, .megabytesPerSecond, to: .peer, .atLeast(1.2)),
            Requirement(download, .megabytesPerSecond, to: .urlSession, .atLeast(3)),
            Requirement(sixtyFour, .cpuMicrosecondsPerRequest, to: .limit, .atMost(1.5)),
            Requirement(sixtyFour, .cpuMicrosecondsPerRequest, to: .peer, .atMost(0.7)),
            Requirement(sixtyFour, .cpuMicrosecondsPerRequest, to: .urlSession, .atMost(0.1)),
            Requirement(Case(.smallFiles, concurrency: 64), .wallSeconds, to: .limit, .atMost(1.5)),
            Requirement(Case(.largeFiles, concurrency: 64), .wallSeconds, to: .limit, .atMost(1.1)),
        ]

    private static let sixtyFour = Case(.tiny, concurrency: 64)
    private static let download = Case(.downloadFile, concurrency: 1)

    private static func requests(
        _ concurrency: Int, limit: Double, peer: Double, urlSession: Double?
    ) -> [Requirement] {
        let testCase = Case(.tiny, concurrency: concurrency)
        let bounds: [(Base, Double?)] = [(.limit, limit), (.peer, peer), (.urlSession, urlSession)]
        return bounds.compactMap { base, bound in
            bound.map { Requirement(testCase, .requestsPerSecond, to: base, .atLeast($0)) }
        }
    }
}
