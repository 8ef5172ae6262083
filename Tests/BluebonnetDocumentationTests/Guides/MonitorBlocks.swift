// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetLogging
import BluebonnetMetrics
import BluebonnetTestServer
import BluebonnetTracing
import Foundation
import Logging
import Testing
import Tracing

private struct Order: Decodable, Sendable { var name: String }
private typealias User = Order

/// The pages of the products for logs, metrics and traces.
@Suite(.timeLimit(.minutes(1)))
struct MonitorPageTests {
    /// Runs code with a manager whose server answers all requests with an object.
    private func serving(_ body: (RequestOperationManager) async throws -> Void) async throws {
        try await TestServer.serving { _ in
            .response(headers: ["Content-Type": "application/json"], body: #"{"name":"tea"}"#)
        } _: { server in
            try await body(RequestOperationManager(baseURL: server.url("/")))
        }
    }

    @Test func loggingPageCodeRuns() async throws {
        try await serving { manager in
            // BLOCK BluebonnetLogging.md
            var logger = Logger(label: "shop")
            manager.eventMonitors.append(LoggingMonitor(logger: logger))

            logger[metadataKey: "order"] = "17"
            let order: JSONValue = try await manager.call("orders/17")
                .logger(logger).value()
            // END
            #expect(order["name"]?.string == "tea")
        }
    }

    @Test func loggingCommentsRun() async throws {
        try await serving { manager in
            let (logger, callLogger) = (Logger(label: "a"), Logger(label: "b"))
            // BLOCK LoggingMonitor.swift
            manager.eventMonitors.append(LoggingMonitor(logger: logger))
            let me: User = try await manager.call("me").logger(callLogger)
                .value(as: User.self)
            // END
            #expect(me.name == "tea")
        }
        try await serving { manager in
            // BLOCK LoggingMonitor.swift
            var logger = Logger(label: "shop")
            logger[metadataKey: "order"] = "17"
            let order: Order = try await manager.call("orders/17").logger(logger)
                .value(as: Order.self)
            // END
            #expect(order.name == "tea")
        }
    }

    @Test func metricsPageCodeRuns() async throws {
        try await serving { shop in
            let search = shop
            do {
                // BLOCK BluebonnetMetrics.md
                let metrics = MetricsMonitor()
                shop.eventMonitors.append(metrics)
                search.eventMonitors.append(metrics)
                // END
            }
            do {
                // BLOCK BluebonnetMetrics.md
                var configuration = MetricsMonitor.Configuration()
                configuration.includesEmptyAttributes = true
                let metrics = MetricsMonitor(configuration: configuration)
                // END
                metrics.receive([])
            }
            let manager = shop
            // BLOCK MetricsMonitor.swift
            manager.eventMonitors.append(MetricsMonitor())
            // END
            let _: JSONValue = try await manager.get("me")
        }
        var histogramBuckets: [String: [Double]] = [:]
        // BLOCK BluebonnetMetrics.md
        for metric in ClientMetric.all {
            guard let buckets = metric.buckets else { continue }
            histogramBuckets[metric.name] = buckets
        }
        // END
        // BLOCK ClientMetric.swift
        for metric in ClientMetric.all {
            guard let buckets = metric.buckets else { continue }
            histogramBuckets[metric.name] = buckets
        }
        // END
        #expect(histogramBuckets.count == 4)
    }

    @Test func tracingPageCodeRuns() async throws {
        try await serving { manager in
            // BLOCK BluebonnetTracing.md
            let tracing = TracingMonitor(tracer: InstrumentationSystem.tracer)
            manager.configure = { tracing.trace($0) }

            try await withSpan("show orders") { _ in
                let orders: JSONValue = try await manager.get("orders")
                print(orders)
            }
            // END
            do {
                // BLOCK BluebonnetTracing.md
                let orders: JSONValue = try await manager.call("orders")
                    .configure { tracing.trace($0, spanName: "load orders") }
                    .value()
                // END
                #expect(orders["name"]?.string == "tea")
            }
            // BLOCK BluebonnetTracing.md
            manager.eventMonitors.append(tracing)
            // END
        }
    }

    @Test func tracingCommentsRun() async throws {
        try await serving { manager in
            let tracer = InstrumentationSystem.tracer
            // BLOCK TracingMonitor.swift
            let tracing = TracingMonitor(tracer: tracer)
            manager.configure = { tracing.trace($0) }
            // END
            // BLOCK TracingMonitor.swift
            manager.eventMonitors.append(tracing)
            manager.requestAdapters.append(tracing.propagation)
            // END
            let _: JSONValue = try await manager.get("me")
        }
    }
}
