// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A metric of OpenTelemetry's conventions for HTTP clients, or one of Bluebonnet.
package struct MeasuredMetric: Sendable, Hashable {
    package enum Kind: Sendable {
        /// A distribution of values.
        case histogram
        /// A number that rises and falls.
        case upDownCounter
    }

    package let name: String
    package let kind: Kind
    /// The unit in UCUM's notation.
    package let unit: String
    /// The upper bounds of a histogram's buckets; nil if the conventions name none.
    package let buckets: [Double]?

    private init(_ name: String, _ kind: Kind, unit: String, buckets: [Double]? = nil) {
        (self.name, self.kind, self.unit, self.buckets) = (name, kind, unit, buckets)
    }

    private static let requestBuckets = [
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]
    private static let connectionBuckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

    package static let requestDuration = MeasuredMetric(
        "http.client.request.duration", .histogram, unit: "s", buckets: requestBuckets)
    package static let activeRequests = MeasuredMetric(
        "http.client.active_requests", .upDownCounter, unit: "{request}")
    package static let openConnections = MeasuredMetric(
        "http.client.open_connections", .upDownCounter, unit: "{connection}")
    package static let connectionDuration = MeasuredMetric(
        "http.client.connection.duration", .histogram, unit: "s", buckets: connectionBuckets)
    package static let requestBodySize = MeasuredMetric("http.client.request.body.size", .histogram, unit: "By")
    package static let responseBodySize = MeasuredMetric("http.client.response.body.size", .histogram, unit: "By")
    package static let timeInQueue = MeasuredMetric(
        "http.client.request.time_in_queue", .histogram, unit: "s", buckets: requestBuckets)
    package static let waitDuration = MeasuredMetric(
        "bluebonnet.client.wait.duration", .histogram, unit: "s", buckets: requestBuckets)
}

/// A value for a metric.
package struct MetricValue: Sendable {
    /// The attributes in their order; nil for absent ones.
    package typealias Attributes = [(name: String, value: String?)]

    package let metric: MeasuredMetric
    package let attributes: Attributes
    package let number: Double
}
