// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetMetrics
import Testing

/// Names, units and buckets, written from OpenTelemetry's conventions for HTTP clients and not from the code.
@Suite struct ClientMetricTests {
    private static let ofRequests: [Double] = [
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]

    private static let conventions: [(name: String, kind: ClientMetric.Kind, unit: String, buckets: [Double]?)] = [
        ("http.client.request.duration", .histogram, "s", ofRequests),
        ("http.client.active_requests", .upDownCounter, "{request}", nil),
        ("http.client.open_connections", .upDownCounter, "{connection}", nil),
        (
            "http.client.connection.duration", .histogram, "s",
            [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
        ),
        ("http.client.request.body.size", .histogram, "By", nil),
        ("http.client.response.body.size", .histogram, "By", nil),
        ("http.client.request.time_in_queue", .histogram, "s", ofRequests),
        ("bluebonnet.client.wait.duration", .histogram, "s", ofRequests),
    ]

    @Test func metricsHaveTheNamesAndUnitsOfTheConventions() {
        #expect(ClientMetric.all.map(\.name) == Self.conventions.map(\.name))
        for (metric, row) in zip(ClientMetric.all, Self.conventions) {
            #expect(metric.kind == row.kind, "\(row.name)")
            #expect(metric.unit == row.unit, "\(row.name)")
            #expect(metric.buckets == row.buckets, "\(row.name)")
        }
    }
}
