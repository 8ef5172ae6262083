// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Writes metrics as text in the form of OpenMetrics 1.0. A value.
package struct OpenMetricsText: Sendable {
    /// The content type of the text.
    package static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    package enum Kind: String, Sendable { case counter, gauge, histogram, info }
    /// Labels in their order.
    package typealias Labels = [(name: String, value: String)]

    private var text = ""
    private var family = ""

    package init() {}

    /// Begins a family. Its samples follow.
    ///
    /// - Parameters:
    ///   - name: the name, with the unit at its end.
    ///   - unit: `seconds` or `bytes`; nil without a unit.
    package mutating func begin(_ name: String, _ kind: Kind, unit: String? = nil, help: String) {
        family = name
        text += "# TYPE \(name) \(kind.rawValue)\n"
        if let unit { text += "# UNIT \(name) \(unit)\n" }
        text += "# HELP \(name) \(Self.escaped(help))\n"
    }

    /// Adds a sample of a gauge.
    package mutating func add(_ value: Double, _ labels: Labels = []) { sample("", value, labels) }
    package mutating func add(_ value: Int, _ labels: Labels = []) { sample("", Double(value), labels) }

    /// Adds a sample of a counter.
    package mutating func count(_ value: Int, _ labels: Labels = []) { sample("_total", Double(value), labels) }

    /// Adds the sample of an info.
    package mutating func info(_ labels: Labels) { sample("_info", 1, labels) }

    /// Adds the samples of a histogram.
    package mutating func add(_ histogram: MetricHistogram, _ labels: Labels = []) {
        var sum = 0
        for (bound, count) in zip(histogram.bounds, histogram.counts) {
            sum += count
            sample("_bucket", Double(sum), labels + [("le", Self.number(bound))])
        }
        sample("_bucket", Double(histogram.count), labels + [("le", "+Inf")])
        sample("_count", Double(histogram.count), labels)
        sample("_sum", histogram.sum, labels)
    }

    private mutating func sample(_ suffix: String, _ value: Double, _ labels: Labels) {
        let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }.joined(separator: ",")
        text += family + suffix + (list.isEmpty ? "" : "{\(list)}") + " " + Self.number(value) + "\n"
    }

    private static func escaped(_ text: String, quotes: Bool = false) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }

    /// The whole text, with its end.
    package var end: String { text + "# EOF\n" }
}

/// The distribution of values over buckets. A value.
package struct MetricHistogram: Sendable, Equatable {
    /// The upper bounds of the buckets, in rising order.
    package let bounds: [Double]
    /// The number of values in each bucket, without the values of the buckets before.
    package private(set) var counts: [Int]
    /// The number of all values, also of those above the last bound.
    package private(set) var count = 0
    package private(set) var sum = 0.0

    package init(bounds: [Double]) {
        (self.bounds, counts) = (bounds, bounds.map { _ in 0 })
    }

    package init(bounds: [Double], counts: [Int], count: Int, sum: Double) {
        (self.bounds, self.counts, self.count, self.sum) = (bounds, counts, count, sum)
    }

    package mutating func record(_ value: Double) {
        if let index = bounds.firstIndex(where: { value <= $0 }) { counts[index] += 1 }
        count += 1
        sum += value
    }
}
