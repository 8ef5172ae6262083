// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Testing

@testable import BluebonnetMetrics

/// Up-down counters return to zero, also if ends are missing.
@Suite(.timeLimit(.minutes(1))) struct CounterBalanceTests {
    private let factory = RecordingMetricsFactory()
    private let maker = EventMaker()

    private func key(_ state: String) -> [String: String] {
        ["http.connection.state": state, "server.address": "api.example.com", "server.port": "443"]
    }

    private var open: [[String: String]: Double] { factory.last("http.client.open_connections") }
    private var active: [Double] { factory.last("http.client.active_requests").values.sorted() }

    private func hopBegan(_ hop: Int, at seconds: Double, operation: Int = 1) -> RequestEvent {
        EventMaker(operation: operation).event(
            .hopBegan(.init(method: "GET", url: "https://api.example.com/")), at: seconds, hop: hop)
    }

    @Test func connectionChangesItsState() {
        let monitor = MetricsMonitor(factory: factory)
        monitor.receive([maker.connectionEvent(.connectionOpened(maker.connection(1)), at: 0)])
        #expect(open == [key("active"): 1])
        monitor.receive([maker.event(.connectionAcquired(.init(maker.connection(1), isReused: false)), at: 0)])
        #expect(open == [key("active"): 1])
        monitor.receive([maker.connectionEvent(.connectionIdle(maker.connection(1)), at: 1)])
        #expect(open == [key("active"): 0, key("idle"): 1])
        monitor.receive([maker.event(.connectionAcquired(.init(maker.connection(1), isReused: true)), at: 2)])
        #expect(open == [key("active"): 1, key("idle"): 0])
        monitor.receive([maker.connectionEvent(.connectionIdle(maker.connection(1)), at: 3)])
        monitor.receive([maker.connectionEvent(.connectionClosed(maker.connection(1), .idle), at: 60)])
        #expect(open == [key("active"): 0, key("idle"): 0])
        let place = ["server.address": "api.example.com", "server.port": "443"]
        #expect(factory.series("http.client.connection.duration") == [place: [60]])
        #expect(monitor.rememberedCount == 0)
    }

    @Test func severalConnectionsReturnToZero() {
        let monitor = MetricsMonitor(factory: factory)
        for number in 1...5 {
            monitor.receive([maker.connectionEvent(.connectionOpened(maker.connection(number)), at: 0)])
        }
        for number in 1...3 {
            monitor.receive([maker.connectionEvent(.connectionIdle(maker.connection(number)), at: 1)])
        }
        #expect(open == [key("active"): 2, key("idle"): 3])
        for number in 1...5 {
            monitor.receive([maker.connectionEvent(.connectionClosed(maker.connection(number), .notReusable), at: 2)])
        }
        #expect(open == [key("active"): 0, key("idle"): 0])
    }

    @Test func connectionsFromBeforeAreCountedWhenTheyAreSeen() {
        let monitor = MetricsMonitor(factory: factory)
        monitor.receive([maker.connectionEvent(.connectionClosed(maker.connection(1), .idle), at: 1)])
        #expect(open == [:])
        monitor.receive([maker.connectionEvent(.connectionIdle(maker.connection(2)), at: 1)])
        #expect(open == [key("idle"): 1])
        monitor.receive([maker.connectionEvent(.connectionClosed(maker.connection(2), .idle), at: 2)])
        #expect(open == [key("idle"): 0])
    }

    @Test func everyEndOfAHopEndsItsActivity() {
        let monitor = MetricsMonitor(factory: factory)
        let reasons: [RequestEvent.HopEnd.Reason] = [
            .paused, .restarted, .failed(.timedOut), .cancelled, .complete,
        ]
        for (hop, reason) in reasons.enumerated() {
            monitor.receive([hopBegan(hop + 1, at: Double(hop))])
            #expect(active == [1])
            monitor.receive([maker.event(.hopEnded(.init(reason)), at: Double(hop) + 0.5, hop: hop + 1)])
            #expect(active == [0])
        }
    }

    @Test func missingEndOfAHopIsMadeUpFor() {
        let monitor = MetricsMonitor(factory: factory)
        monitor.receive([hopBegan(1, at: 1), hopBegan(2, at: 2)])
        #expect(active == [1])
        monitor.receive([maker.event(.finished(.init(statusCode: 200)), at: 3, hop: 2)])
        #expect(active == [0])
        #expect(monitor.rememberedCount == 0)
    }

    @Test func silentOperationsAndConnectionsEndAfterDrop() {
        let monitor = MetricsMonitor(factory: factory)
        for number in 1...20 {
            monitor.receive([
                hopBegan(1, at: 1, operation: number),
                maker.connectionEvent(.connectionOpened(maker.connection(number)), at: 1),
            ])
        }
        monitor.receive([RequestEvent(instant: EventMaker.instant(2), .eventsDropped(40))])
        #expect(active == [20])
        monitor.receive([maker.event(.bodyProgress(.init(.received, byteCount: 1)), at: 700)])
        #expect(active == [0])
        #expect(open == [key("active"): 0])
        #expect(monitor.rememberedCount == 0)
    }

    @Test func manyOperationsReturnToZero() {
        let monitor = MetricsMonitor(factory: factory)
        for number in 1...1_000 { monitor.receive(EventMaker(operation: number).exchange()) }
        #expect(active == [0])
        #expect(monitor.rememberedCount == 0)
        #expect(factory.series("http.client.request.duration").values.map(\.count) == [1_000])
    }
}
