// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetLocks
internal import BluebonnetMonitors
internal import BluebonnetServing

/// Keeps the metrics about HTTP requests that `MetricsMonitor` of BluebonnetMetrics records, for a page of metrics. Any
/// thread.
final class ClientMeter: EventMonitor {
    /// The maximum number of servers with their own labels, and of combinations of labels of one metric.
    fileprivate static let (serverLimit, seriesLimit) = (64, 1_000)
    /// The buckets of metrics in bytes: the conventions name none.
    fileprivate static let byteBuckets: [Double] = [
        0, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 16_777_216, 268_435_456,
    ]

    fileprivate struct State {
        var measurements = Measurements(includesURLScheme: false, maximumServerCount: ClientMeter.serverLimit)
        var histograms: [MeasuredMetric: [[String]: MetricHistogram]] = [:]
        var gauges: [MeasuredMetric: [[String]: Double]] = [:]
    }

    private let state = Mutex(State())

    var kinds: RequestEvent.Kinds { Measurements.kinds }

    func receive(_ events: [RequestEvent]) {
        guard let last = events.last else { return }
        state.withLock { state in
            for event in events { state.measurements.record(event) }
            state.measurements.removeStale(at: last.instant)
            for value in state.measurements.consumeValues() { state.apply(value) }
        }
    }

    /// Appends the families of all metrics.
    func write(to text: inout OpenMetricsText) {
        let (histograms, gauges) = state.withLock { ($0.histograms, $0.gauges) }
        for (metric, help) in Self.metrics {
            let kind: OpenMetricsText.Kind = metric.kind == .histogram ? .histogram : .gauge
            text.begin(metric.familyName, kind, unit: metric.unitWord, help: help)
            for (labels, histogram) in Self.sorted(histograms[metric]) { text.add(histogram, Self.pairs(labels)) }
            for (labels, value) in Self.sorted(gauges[metric]) { text.add(value, Self.pairs(labels)) }
        }
    }

    private static let metrics: [(MeasuredMetric, String)] = [
        (.requestDuration, "The time of an operation, with retries."),
        (.activeRequests, "Requests that are being sent or answered."),
        (.openConnections, "Open connections."),
        (.connectionDuration, "The time from the opening to the end of a connection."),
        (.requestBodySize, "Bytes of sent bodies."),
        (.responseBodySize, "Bytes of received bodies, before decoding."),
        (.timeInQueue, "The time until an operation got a slot."),
        (.waitDuration, "The time that an operation waited for one reason."),
    ]

    private static func sorted<Value>(_ series: [[String]: Value]?) -> [(key: [String], value: Value)] {
        (series ?? [:]).sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    /// Labels alternate with their values.
    private static func pairs(_ labels: [String]) -> OpenMetricsText.Labels {
        stride(from: 0, to: labels.count, by: 2).map { (labels[$0], labels[$0 + 1]) }
    }
}

extension ClientMeter.State {
    fileprivate mutating func apply(_ value: MetricValue) {
        let labels = value.attributes.flatMap { name, value in
            value.map { [name.replacing(".", with: "_"), $0] } ?? []
        }
        switch value.metric.kind {
        case .histogram:
            guard hasPlace(histograms[value.metric], labels) else { return }
            let bounds = value.metric.buckets ?? ClientMeter.byteBuckets
            histograms[value.metric, default: [:]][labels, default: MetricHistogram(bounds: bounds)].record(
                value.number)
        case .upDownCounter:
            // A server without requests or connections needs no line.
            if value.number == 0 {
                gauges[value.metric]?[labels] = nil
            } else if hasPlace(gauges[value.metric], labels) {
                gauges[value.metric, default: [:]][labels] = value.number
            }
        }
    }

    private func hasPlace<Value>(_ series: [[String]: Value]?, _ labels: [String]) -> Bool {
        guard let series, series[labels] == nil else { return true }
        return series.count < ClientMeter.seriesLimit
    }
}

extension MeasuredMetric {
    /// The name in OpenMetrics: underscores, and the unit at the end.
    fileprivate var familyName: String {
        name.replacing(".", with: "_") + (unitWord.map { "_" + $0 } ?? "")
    }

    fileprivate var unitWord: String? {
        switch unit {
        case "s": "seconds"
        case "By": "bytes"
        default: nil
        }
    }
}
