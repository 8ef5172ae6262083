// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

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

    private init(_ name: String, _ kind: Kind, unit: String, buckets: [Double]? = nil) {
        (self.name, self.kind, self.unit, self.buckets) = (name, kind, unit, buckets)
    }

    private static let requestBuckets = [
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]
    private static let connectionBuckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

    /// The time of one operation, from its first sending to the end of the last body, with retries and their waits.
    /// Recorded when the operation is finished, if anything was sent.
    public static let requestDuration = ClientMetric(
        "http.client.request.duration", .histogram, unit: "s", buckets: requestBuckets)
    /// The requests that are being sent or answered at this moment.
    public static let activeRequests = ClientMetric("http.client.active_requests", .upDownCounter, unit: "{request}")
    /// The open connections, active and idle.
    public static let openConnections = ClientMetric(
        "http.client.open_connections", .upDownCounter, unit: "{connection}")
    /// The time from the opening to the end of a connection.
    public static let connectionDuration = ClientMetric(
        "http.client.connection.duration", .histogram, unit: "s", buckets: connectionBuckets)
    /// The sent bytes of one body, as they went over the connection. Recorded for each sending with a body.
    public static let requestBodySize = ClientMetric("http.client.request.body.size", .histogram, unit: "By")
    /// The received bytes of one body, as they came over the connection, before decoding. Recorded for each sending
    /// with a response.
    public static let responseBodySize = ClientMetric("http.client.response.body.size", .histogram, unit: "By")
    /// The time until an operation got a slot: `TransferTimings.queued`. Recorded when the operation is finished, if
    /// anything was sent.
    public static let timeInQueue = ClientMetric(
        "http.client.request.time_in_queue", .histogram, unit: "s", buckets: requestBuckets)
    /// How long one operation waited for one reason, in total: `TransferTimings.waits`. Recorded when the operation is
    /// finished, once for each reason that it waited for.
    public static let waitDuration = ClientMetric(
        "bluebonnet.client.wait.duration", .histogram, unit: "s", buckets: requestBuckets)

    /// All metrics.
    public static let all = [
        requestDuration, activeRequests, openConnections, connectionDuration, requestBodySize, responseBodySize,
        timeInQueue, waitDuration,
    ]
}
