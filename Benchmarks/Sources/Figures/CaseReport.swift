// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The results of one case: the figures and ratios of each contender over all rounds.
package struct CaseReport: Codable, Sendable {
    package let testCase: Case
    package let title: String
    /// The form of async-http-client with the better median, to which ratios are taken; nil if it took no part.
    package let peer: Contender?
    package let columns: [Column]

    /// The results of one contender.
    package struct Column: Codable, Sendable {
        package let contender: Contender
        /// The figures by the name of their metric.
        package let figures: [String: Spread]
        /// The ratios to the limit in the same round: libcurl in C, or curl for commands.
        package let ratiosToLimit: [String: Spread]
        package let ratiosToPeer: [String: Spread]
        package let ratiosToURLSession: [String: Spread]
        package let rounds: [Measured]
    }

    package init(_ testCase: Case, rounds: [Contender: [Measured]]) {
        self.testCase = testCase
        title = testCase.title
        let rounds = rounds.filter { !$0.value.isEmpty }
        let peer = Self.peer(rounds, testCase.mainMetric)
        self.peer = peer
        columns = testCase.contenders.compactMap { contender in
            guard let own = rounds[contender] else { return nil }
            return Column(
                contender: contender, figures: Self.figures(own),
                ratiosToLimit: Self.ratios(own, to: rounds[testCase.limit]),
                ratiosToPeer: Self.ratios(own, to: peer.flatMap { rounds[$0] }),
                ratiosToURLSession: Self.ratios(own, to: rounds[.urlSession]), rounds: own)
        }
    }

    /// The column of a contender; nil if it took no part.
    package subscript(contender: Contender) -> Column? { columns.first { $0.contender == contender } }

    private static func figures(_ rounds: [Measured]) -> [String: Spread] {
        spreads { metric in rounds.compactMap(metric.value) }
    }

    private static func ratios(_ own: [Measured], to base: [Measured]?) -> [String: Spread] {
        guard let base else { return [:] }
        return spreads { metric in
            zip(own, base).compactMap { own, base in
                guard let own = metric.value(of: own), let base = metric.value(of: base), base > 0 else { return nil }
                return own / base
            }
        }
    }

    private static func spreads(_ values: (Metric) -> [Double]) -> [String: Spread] {
        let pairs = Metric.allCases.compactMap { metric -> (String, Spread)? in
            let values = values(metric)
            return values.isEmpty ? nil : (metric.rawValue, Spread(values))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private static func peer(_ rounds: [Contender: [Measured]], _ metric: Metric) -> Contender? {
        let forms = [Contender.asyncHTTPClient, .asyncHTTPClientFuture].compactMap {
            form -> (form: Contender, median: Double)? in
            guard let values = rounds[form]?.compactMap(metric.value), !values.isEmpty else { return nil }
            return (form, Spread(values).median)
        }
        return forms.max { $0.median < $1.median }?.form
    }
}

// MARK: - As text

extension CaseReport {
    /// The table of the case: a row for each contender.
    package var text: String {
        let lines = TextTable(rows: rows).lines
        return ([title] + lines.map { "  " + $0 }).joined(separator: "\n")
    }

    /// The cells of the table, the head first.
    package var rows: [[String]] { [head] + columns.map(row) }

    private var head: [String] {
        let limit = testCase.limit == .libcurl ? "of libcurl" : "of curl"
        let peer = peer == nil ? [] : ["× a-h-c"]
        return [""]
            + testCase.metrics.flatMap { metric in
                isCompared(metric) ? [metric.title, limit] + peer : [metric.title]
            }
    }

    private func row(_ column: Column) -> [String] {
        [column.contender.title] + testCase.metrics.flatMap { cells(column, $0) }
    }

    private func cells(_ column: Column, _ metric: Metric) -> [String] {
        let figure = column.figures[metric.rawValue]
        guard isCompared(metric) else {
            return [figure.map { Spread.text($0.median, metric.fractionDigits) } ?? "–"]
        }
        let ratios = [column.ratiosToLimit] + (peer == nil ? [] : [column.ratiosToPeer])
        return [figure?.text(fractionDigits: metric.fractionDigits) ?? "–"]
            + ratios.map { $0[metric.rawValue].map { Spread.text($0.median, 2) } ?? "–" }
    }

    private func isCompared(_ metric: Metric) -> Bool {
        metric == testCase.mainMetric || metric == .cpuMicrosecondsPerRequest || metric == .cpuSeconds
    }
}
