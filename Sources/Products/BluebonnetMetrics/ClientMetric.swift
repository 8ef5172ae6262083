// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetMonitors

/// A metric that a `MetricsMonitor` records: its name, its unit and its buckets.
///
/// swift-metrics has no buckets: pass these values to the backend where it takes buckets for a name.
///
/// ```swift
/// for metric in ClientMetric.all {
///     guard let buckets = metric.buckets else { continue }
///     histogramBuckets[metric.name] = buckets
/// }
/// ```
public struct ClientMetric: Sendable, Hashable {
    /// The kind of a metric.
    public enum Kind: Sendable, Hashable {
        /// A distribution of values: a `Recorder` with `aggregate: true`.
        case histogram
        /// A number that rises and falls: a `Meter`.
        case upDownCounter
    }

    /// The name, which is the label in swift-metrics.
    public let name: String
    /// A histogram, or an up-down counter.
    public let kind: Kind
    /// The unit of the values in UCUM's notation: `s` for seconds, `By` for bytes, `{request}` and `{connection}` for
    /// numbers of them.
    public let unit: String
    /// The upper bounds of a histogram's buckets in the metric's unit, in rising order; nil if the conventions name
    /// none.
    public let buckets: [Double]?

    private init(_ metric: MeasuredMetric) {
        (name, unit, buckets) = (metric.name, metric.unit, metric.buckets)
        kind =
            switch metric.kind {
            case .histogram: .histogram
            case .upDownCounter: .upDownCounter
            }
    }

    /// The time of one operation, from its first sending to the end of the last body, with retries and their waits.
    /// Recorded when the operation is finished, if anything was sent.
    public static let requestDuration = ClientMetric(.requestDuration)
    /// The requests that are being sent or answered at this moment.
    public static let activeRequests = ClientMetric(.activeRequests)
    /// The open connections, active and idle.
    public static let openConnections = ClientMetric(.openConnections)
    /// The time from the opening to the end of a connection.
    public static let connectionDuration = ClientMetric(.connectionDuration)
    /// The sent bytes of one body, as they went over the connection. Recorded for each sending with a body.
    public static let requestBodySize = ClientMetric(.requestBodySize)
    /// The received bytes of one body, as they came over the connection, before decoding. Recorded for each sending
    /// with a response.
    public static let responseBodySize = ClientMetric(.responseBodySize)
    /// The time until an operation got a slot: `TransferTimings.queued`. Recorded when the operation is finished, if
    /// anything was sent.
    public static let timeInQueue = ClientMetric(.timeInQueue)
    /// How long one operation waited for one reason, in total: `TransferTimings.waits`. Recorded when the operation is
    /// finished, once for each reason that it waited for.
    public static let waitDuration = ClientMetric(.waitDuration)

    /// All metrics.
    public static let all = [
        requestDuration, activeRequests, openConnections, connectionDuration, requestBodySize, responseBodySize,
        timeInQueue, waitDuration,
    ]
}
