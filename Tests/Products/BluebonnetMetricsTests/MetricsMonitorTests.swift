// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Testing

@testable import BluebonnetMetrics

@Suite(.timeLimit(.minutes(1))) struct MetricsMonitorTests {
    private let factory = RecordingMetricsFactory()
    private let maker = EventMaker()
    private let server = ["server.address": "api.example.com", "server.port": "443"]

    private func monitor(_ change: (inout MetricsMonitor.Configuration) -> Void = { _ in }) -> MetricsMonitor {
        var configuration = MetricsMonitor.Configuration()
        change(&configuration)
        return MetricsMonitor(factory: factory, configuration: configuration)
    }

    private func attributes(_ others: [String: String]) -> [String: String] { server.merging(others) { $1 } }

    @Test func successIsRecordedWithItsAttributes() {
        let monitor = monitor()
        monitor.receive(maker.exchange(method: "POST", bodyByteCount: 9, sent: 9, received: 1024))
        let full = attributes([
            "http.request.method": "POST", "http.response.status_code": "200", "network.protocol.version": "2",
        ])
        let short = attributes(["http.request.method": "POST"])
        #expect(factory.series("http.client.request.duration") == [full: [2]])
        #expect(factory.series("http.client.request.body.size") == [full: [9]])
        #expect(factory.series("http.client.response.body.size") == [full: [1024]])
        #expect(factory.series("http.client.request.time_in_queue") == [short: [0]])
        #expect(factory.series("http.client.active_requests") == [short: [1, 0]])
        #expect(monitor.rememberedCount == 0)
    }

    @Test func kindsOfSwiftMetricsMatch() {
        let monitor = monitor()
        monitor.receive(maker.exchange() + [maker.connectionEvent(.connectionOpened(maker.connection(1)), at: 5)])
        for series in factory.values.value.keys {
            let isCounter = ["http.client.active_requests", "http.client.open_connections"].contains(series.name)
            #expect(series.kind == (isCounter ? "meter" : "histogram"), "\(series.name)")
        }
    }

    /// The events that the monitor does not ask for change nothing.
    @Test func onlyWantedEventsMatter() {
        let connection = maker.connection(1)
        let use = RequestEvent.ConnectionUse(connection, isReused: false)
        let events =
            [maker.connectionEvent(.connectionOpened(connection), at: 0)] + maker.exchange() + [
                maker.event(.connectionAcquired(use), at: 4), maker.event(.requestHeadSent, at: 4),
                maker.connectionEvent(.connectionIdle(connection), at: 5),
                maker.connectionEvent(.connectionClosed(connection, .idle), at: 6),
            ]
        let other = RecordingMetricsFactory()
        let kinds = monitor().kinds
        monitor().receive(events)
        MetricsMonitor(factory: other).receive(events.filter { kinds.contains($0.kind.kinds) })
        #expect(!kinds.contains(.queued) && factory.values.value == other.values.value)
    }

    @Test func errorStatusIsTheErrorType() {
        monitor().receive(maker.exchange(status: 503, errorCode: .unacceptableStatus))
        let expected = attributes([
            "http.request.method": "GET", "http.response.status_code": "503", "network.protocol.version": "2",
            "error.type": "503",
        ])
        #expect(factory.series("http.client.request.duration") == [expected: [2]])
    }

    @Test func codeIsTheErrorTypeWithoutResponse() {
        let end = RequestEvent.HopEnd(.failed(.timedOut), sentByteCount: 3)
        monitor().receive([
            maker.event(.hopBegan(.init(method: "PUT", url: "https://api.example.com/", bodyByteCount: nil)), at: 1),
            maker.event(.hopEnded(end), at: 2), maker.event(.finished(.init(errorCode: .timedOut)), at: 2),
        ])
        let expected = attributes(["http.request.method": "PUT", "error.type": "timedOut"])
        #expect(factory.series("http.client.request.duration") == [expected: [1]])
        #expect(factory.series("http.client.request.body.size") == [expected: [3]])
        #expect(factory.series("http.client.response.body.size") == [:])
    }

    @Test func unknownMethodsAreCountedTogether() {
        monitor().receive(maker.exchange(method: "PROPFIND"))
        #expect(factory.last("http.client.active_requests") == [attributes(["http.request.method": "_OTHER"]): 0])
    }

    /// Two attempts: 1 s to 2 s, and 5 s to 8 s.
    @Test func durationIncludesRetries() {
        let facts = RequestEvent.RetryFacts(code: .unacceptableStatus, statusCode: 503)
        monitor().receive([
            maker.event(.hopBegan(.init(method: "GET", url: "https://api.example.com/")), at: 1),
            maker.event(.responseHead(.init(statusCode: 503)), at: 1.5),
            maker.event(.hopEnded(.init(.complete, statusCode: 503, receivedByteCount: 2)), at: 2),
            maker.event(.retryDecided(.retry(after: .seconds(3), rule: .backoff, facts)), at: 2),
            maker.event(
                .hopBegan(.init(method: "GET", url: "https://api.example.com/")), at: 5, attempt: 2, hop: 2),
            maker.event(.responseHead(.init(statusCode: 200)), at: 6, attempt: 2, hop: 2),
            maker.event(
                .hopEnded(.init(.complete, statusCode: 200, receivedByteCount: 7)), at: 8, attempt: 2, hop: 2),
            maker.event(.finished(.init(statusCode: 200)), at: 9, attempt: 2, hop: 2),
        ])
        func row(_ status: String, _ others: [String: String] = [:]) -> [String: String] {
            attributes([
                "http.request.method": "GET", "http.response.status_code": status, "network.protocol.version": "1.1",
            ]).merging(others) { $1 }
        }
        #expect(factory.series("http.client.request.duration") == [row("200"): [7]])
        #expect(
            factory.series("http.client.response.body.size")
                == [row("503", ["error.type": "503"]): [2], row("200"): [7]])
    }

    @Test func nothingIsRecordedWithoutSending() {
        let monitor = monitor()
        monitor.receive([
            maker.event(.queued(.suspended), at: 0), maker.event(.finished(.init(errorCode: .cancelled)), at: 1),
        ])
        #expect(factory.values.value.isEmpty)
        #expect(monitor.rememberedCount == 0)
    }

    @Test func waitsAreRecordedByReason() {
        var summary = TransferSummary()
        summary.timings.nanoseconds.queued = 250_000_000
        summary.timings.nanoseconds.shares.add(250_000_000, to: .wait(.slot))
        summary.timings.nanoseconds.shares.add(1_500_000_000, to: .wait(.backoff))
        summary.timings.nanoseconds.shares.add(9, to: .phase(.tls))
        monitor().receive([
            maker.event(.hopBegan(.init(method: "GET", url: "https://api.example.com/")), at: 1),
            maker.event(.hopEnded(.init(.complete, statusCode: 200)), at: 2),
            maker.event(.finished(.init(statusCode: 200, summary: summary)), at: 2),
        ])
        #expect(
            factory.series("bluebonnet.client.wait.duration") == [
                ["bluebonnet.wait.reason": "slot"]: [0.25], ["bluebonnet.wait.reason": "backoff"]: [1.5],
            ])
        #expect(factory.series("http.client.request.time_in_queue").values.map { $0 } == [[0.25]])
    }

    @Test func schemeIsOptIn() {
        monitor { $0.includesURLScheme = true }.receive(maker.exchange())
        #expect(factory.series("http.client.request.duration").keys.allSatisfy { $0["url.scheme"] == "https" })
    }

    @Test func absentAttributesMayBeEmpty() {
        let monitor = monitor { $0.includesEmptyAttributes = true }
        monitor.receive(maker.exchange() + maker.exchange(status: 404))
        monitor.receive([
            maker.event(.hopBegan(.init(method: "GET", url: "https://api.example.com/")), at: 5),
            maker.event(.hopEnded(.init(.failed(.timedOut))), at: 6),
            maker.event(.finished(.init(errorCode: .timedOut)), at: 6),
        ])
        for (name, orders) in factory.orders.value { #expect(orders.count == 1, "\(name): \(orders)") }
        #expect(factory.series("http.client.request.duration").count == 3)
    }

    /// The address of the peer, the path and the query are no attributes.
    @Test func onlyListedAttributesAreRecorded() {
        monitor { $0.includesURLScheme = true }.receive(
            maker.exchange(status: 500) + [
                maker.connectionEvent(.connectionOpened(maker.connection(1)), at: 1),
                maker.connectionEvent(.connectionClosed(maker.connection(1), .idle), at: 2),
            ])
        let names = Set(factory.orders.value.values.flatMap { $0 }.flatMap { $0 })
        #expect(
            names == [
                "http.request.method", "server.address", "server.port", "error.type", "http.response.status_code",
                "network.protocol.version", "http.connection.state", "url.scheme",
            ])
    }

    @Test func serversAboveTheLimitAreCountedTogether() {
        let monitor = monitor { $0.maximumServerCount = 2 }
        for number in 1...4 {
            monitor.receive(EventMaker(operation: number, origin: "https://h\(number).test:443").exchange())
        }
        let counts = factory.series("http.client.request.duration").map { ($0.key["server.address"], $0.value.count) }
        #expect(counts.map { "\($0.0 ?? "") \($0.1)" }.sorted() == ["_OTHER 2", "h1.test 1", "h2.test 1"])
        #expect(factory.last("http.client.active_requests").values.allSatisfy { $0 == 0 })
    }
}
