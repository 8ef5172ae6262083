// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import BluebonnetMonitors
internal import CoreMetrics

/// The metrics of a factory, made when they are first used, by name and attributes. Any thread.
final class Instruments: Sendable {
    private struct Key: Hashable {
        let name: String
        let values: [String?]
    }

    private enum Instrument: Sendable {
        case recorder(Recorder)
        case meter(Meter)
    }

    private let factory: any MetricsFactory
    private let includesEmptyAttributes: Bool
    private let instruments = Mutex<[Key: Instrument]>([:])

    init(factory: any MetricsFactory, includesEmptyAttributes: Bool) {
        (self.factory, self.includesEmptyAttributes) = (factory, includesEmptyAttributes)
    }

    /// Passes a value to its metric.
    func apply(_ value: MetricValue) {
        let key = Key(name: value.metric.name, values: value.attributes.map(\.value))
        let known = instruments.withLock { $0[key] }
        let instrument = known ?? make(value)
        if known == nil { instruments.withLock { $0[key] = instrument } }
        switch instrument {
        case .recorder(let recorder): recorder.record(value.number)
        case .meter(let meter): meter.set(value.number)
        }
    }

    private func make(_ value: MetricValue) -> Instrument {
        let dimensions = value.attributes.compactMap { name, value in
            (value ?? (includesEmptyAttributes ? "" : nil)).map { (name, $0) }
        }
        let label = value.metric.name
        return switch value.metric.kind {
        case .histogram: .recorder(Recorder(label: label, dimensions: dimensions, aggregate: true, factory: factory))
        case .upDownCounter: .meter(Meter(label: label, dimensions: dimensions, factory: factory))
        }
    }
}
