// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetMetrics
import BluebonnetTestServer
import Foundation
import Testing

/// Metrics of real operations.
@Suite(.timeLimit(.minutes(1)))
struct MetricsServerTests {
    @Test func realOperationsAreMeasured() async throws {
        try await TestServer.serving { request in
            request.path == "/missing" ? .response(status: 404) : .response(body: "hello")
        } _: { server in
            let factory = RecordingMetricsFactory()
            let manager = RequestOperationManager(baseURL: server.url("/"))
            manager.eventMonitors = [MetricsMonitor(factory: factory)]
            for _ in 0..<3 { _ = try await manager.call("hello").response() }
            await #expect(throws: NetworkingError.self) { _ = try await manager.call("missing").response() }
            await factory.values.becomes { values in
                values.filter { $0.key.name == "http.client.request.duration" }.map(\.value.count).reduce(0, +) == 4
            }

            let durations = factory.series("http.client.request.duration")
            let ofSuccess = try #require(durations.first { $0.key["http.response.status_code"] == "200" })
            #expect(ofSuccess.key["server.address"] == server.url("/").host)
            #expect(ofSuccess.key["server.port"] == server.url("/").port.map(String.init))
            #expect(ofSuccess.key["network.protocol.version"] == "1.1")
            #expect(ofSuccess.value.count == 3 && ofSuccess.value.allSatisfy { $0 > 0 && $0 < 30 })
            #expect(durations.keys.contains { $0["error.type"] == "404" })
            let sizes = factory.series("http.client.response.body.size")
            #expect(sizes.first { $0.key["http.response.status_code"] == "200" }?.value == [5, 5, 5])
            #expect(factory.last("http.client.active_requests").values.allSatisfy { $0 == 0 })
            #expect(!factory.series("http.client.open_connections").isEmpty)
        }
    }
}
