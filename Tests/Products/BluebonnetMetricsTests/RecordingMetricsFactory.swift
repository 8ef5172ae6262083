// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import CoreMetrics

/// A backend that stores all values.
struct RecordingMetricsFactory: MetricsFactory {
    struct Series: Hashable, Sendable {
        var kind: String
        var name: String
        var attributes: [String: String]
    }

    let values = Observed([Series: [Double]]())
    /// The order of the attributes of each series.
    let orders = Observed([String: Set<[String]>]())

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        handler("counter", label, dimensions)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        handler("meter", label, dimensions)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        handler(aggregate ? "histogram" : "gauge", label, dimensions)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        handler("timer", label, dimensions)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    private func handler(_ kind: String, _ label: String, _ dimensions: [(String, String)]) -> Handler {
        orders.update { $0[label, default: []].insert(dimensions.map(\.0)) }
        let attributes = Dictionary(dimensions) { first, _ in first }
        return Handler(series: Series(kind: kind, name: label, attributes: attributes), values: values)
    }

    /// The values of a metric, with their attributes.
    func series(_ name: String) -> [[String: String]: [Double]] {
        var series: [[String: String]: [Double]] = [:]
        for (key, values) in values.value where key.name == name { series[key.attributes] = values }
        return series
    }

    /// The last values of a metric.
    func last(_ name: String) -> [[String: String]: Double] { series(name).compactMapValues(\.last) }

    private final class Handler: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
        let series: Series
        let values: Observed<[Series: [Double]]>

        init(series: Series, values: Observed<[Series: [Double]]>) { (self.series, self.values) = (series, values) }

        private func add(_ value: Double) { values.update { $0[series, default: []].append(value) } }

        func increment(by amount: Int64) { add(Double(amount)) }
        func increment(by amount: Double) { add(amount) }
        func decrement(by amount: Double) { add(-amount) }
        func reset() {}
        func set(_ value: Int64) { add(Double(value)) }
        func set(_ value: Double) { add(value) }
        func record(_ value: Int64) { add(Double(value)) }
        func record(_ value: Double) { add(value) }
        func recordNanoseconds(_ duration: Int64) { add(Double(duration)) }
    }
}
