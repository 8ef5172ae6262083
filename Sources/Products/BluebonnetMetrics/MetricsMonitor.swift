// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import BluebonnetLocks
internal import BluebonnetMonitors
public import CoreMetrics

/// Records what operations do, with swift-metrics, under the names of OpenTelemetry's conventions for HTTP clients.
///
/// ```swift
/// manager.eventMonitors.append(MetricsMonitor())
/// ```
///
/// `ClientMetric` lists the metrics with their units. Their attributes are dimensions in swift-metrics:
///
/// | attribute | value | metrics |
/// |---|---|---|
/// | `http.request.method` | the method; `_OTHER` if it is not a known method | all about requests |
/// | `server.address`, `server.port` | host and port of the URL, of the last sending | all except waits |
/// | `http.response.status_code` | the status; absent without a response | durations of requests, body sizes |
/// | `error.type` | the status from 400 on, otherwise the error's code; absent after a success | as above |
/// | `network.protocol.version` | `1.1` or `2`; absent without a response | durations of requests, body sizes |
/// | `http.connection.state` | `active` or `idle` | `http.client.open_connections` |
/// | `bluebonnet.wait.reason` | the raw value of `WaitReason.Kind` | `bluebonnet.client.wait.duration` |
/// | `url.scheme` | `http` or `https` | all with a server, if `includesURLScheme` is set |
///
/// The address of the peer is never an attribute, because servers with changing addresses would fill the memory of the
/// backend.
///
/// Use one monitor for all managers of the process: connections belong to the process, and a connection that an
/// operation without this monitor uses counts as idle. Values arrive after the fact, usually within 20 milliseconds, on
/// the queue of `EventMonitor.receive(_:)`; the backend is called on that queue.
///
/// The monitor remembers each operation until it is finished, and at most 100,000 of them. After `eventsDropped`,
/// operations and connections that stay silent for ten minutes count as ended.
public final class MetricsMonitor: EventMonitor {
    /// The settings of a monitor.
    public struct Configuration: Sendable {
        /// Whether `url.scheme` is an attribute. Default false.
        public var includesURLScheme = false
        /// Whether absent attributes are recorded with an empty value, so that all values of a metric have the same
        /// attributes. Default false. Some backends for Prometheus stop the program if the names of the attributes
        /// differ; Prometheus treats an empty value as an absent one.
        public var includesEmptyAttributes = false
        /// The largest number of servers with their own `server.address`; further servers are counted together as
        /// `_OTHER` with port 0. Limits the memory of the backend. Default 1,000.
        public var maximumServerCount = 1_000

        /// Makes a configuration with the defaults.
        public init() {}
    }

    private let instruments: Instruments
    private let measurements: Mutex<Measurements>

    /// Makes a monitor.
    ///
    /// - Parameters:
    ///   - factory: makes the metrics. Default: the factory of the program, at the time of the call.
    ///   - configuration: the attributes.
    public init(factory: any MetricsFactory = MetricsSystem.factory, configuration: Configuration = Configuration()) {
        instruments = Instruments(factory: factory, includesEmptyAttributes: configuration.includesEmptyAttributes)
        measurements = Mutex(
            Measurements(
                includesURLScheme: configuration.includesURLScheme,
                maximumServerCount: configuration.maximumServerCount))
    }

    public var kinds: RequestEvent.Kinds { Measurements.kinds }

    public func receive(_ events: [RequestEvent]) {
        guard let last = events.last else { return }
        let values = measurements.withLock { measurements in
            for event in events { measurements.record(event) }
            measurements.removeStale(at: last.instant)
            return measurements.consumeValues()
        }
        for value in values { instruments.apply(value) }
    }

    /// The number of operations and connections that the monitor remembers.
    var rememberedCount: Int { measurements.withLock { $0.rememberedCount } }
}
