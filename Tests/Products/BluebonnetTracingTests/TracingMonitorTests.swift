// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing
import Tracing

@testable import Bluebonnet
@testable import BluebonnetTracing

@Suite(.timeLimit(.minutes(1))) struct TracingMonitorTests {
    private let tracer = RecordingTracer()

    private static let base = 1_800_000_000.0

    private func event(_ kind: RequestEvent.Kind, at seconds: Double, hop: Int = 1, operation: Int = 1) -> RequestEvent
    {
        RequestEvent(
            operation: operation, attempt: 1, hop: hop, origin: "https://api.example.com:443",
            instant: UInt64(seconds * 1e9), date: Date(timeIntervalSince1970: Self.base + seconds), kind)
    }

    private func nanoseconds(_ seconds: Double) -> UInt64 { UInt64((Self.base + seconds) * 1e9) }

    private func hopBegan(
        _ url: String = "https://api.example.com/v1/me", method: String = "GET", traceparent: Int? = nil, hop: Int = 1,
        at seconds: Double = 1, operation: Int = 1
    ) -> RequestEvent {
        let headers = traceparent.map { [(name: "Traceparent", value: RecordingTracer.traceparent($0))] } ?? []
        return event(
            .hopBegan(.init(method: method, url: url, headers: headers)), at: seconds, hop: hop, operation: operation)
    }

    private func hopEnded(
        _ reason: RequestEvent.HopEnd.Reason = .complete, status: Int? = 200, hop: Int = 1, at seconds: Double = 2,
        operation: Int = 1
    ) -> RequestEvent {
        event(.hopEnded(.init(reason, statusCode: status)), at: seconds, hop: hop, operation: operation)
    }

    private func finished(operation: Int = 1) -> RequestEvent {
        event(.finished(.init(statusCode: 200)), at: 9, hop: 1, operation: operation)
    }

    @Test func sendingBecomesOneClientSpan() throws {
        let monitor = TracingMonitor(tracer: tracer)
        let connection = RequestEvent.ConnectionInformation(number: 1, peerAddress: "192.0.2.1", peerPort: 8443)
        monitor.receive([
            event(.queued(nil), at: 0, hop: 0), event(.admitted, at: 0, hop: 0),
            hopBegan("https://api.example.com:8443/v1/me?q=tea"),
            event(.connectionAcquired(.init(connection, isReused: false)), at: 1.1),
            event(.responseHead(.init(statusCode: 200, version: "2")), at: 1.5), hopEnded(), finished(),
        ])
        let span = try #require(tracer.all.first)
        #expect(tracer.all.count == 1)
        #expect(span.operationName == "GET")
        #expect(span.kind == .client)
        #expect(span.begin == nanoseconds(1))
        #expect(span.state.value.ends == [nanoseconds(2)])
        #expect(!span.hasFailed && span.state.value.status == nil)
        #expect(
            span.texts == [
                "http.request.method": "GET", "server.address": "api.example.com", "server.port": "8443",
                "url.full": "https://api.example.com:8443/v1/me?q=tea", "http.response.status_code": "200",
                "network.peer.address": "192.0.2.1", "network.peer.port": "8443", "network.protocol.version": "2",
            ])
        #expect(monitor.rememberedCount == 0)
    }

    @Test func everyHopHasItsSpanAndItsResendCount() {
        TracingMonitor(tracer: tracer).receive([
            hopBegan(), hopEnded(status: 302), hopBegan("https://other.test/", hop: 2, at: 3),
            hopEnded(.failed(.timedOut), status: nil, hop: 2, at: 4), hopBegan("https://other.test/", hop: 3, at: 5),
            hopEnded(hop: 3, at: 6), finished(),
        ])
        #expect(tracer.all.map { $0.texts["http.request.resend_count"] } == [nil, "1", "2"])
        #expect(tracer.all.map { $0.texts["server.address"] } == ["api.example.com", "other.test", "other.test"])
        #expect(tracer.all.map(\.endCount) == [1, 1, 1])
        #expect(tracer.all.map(\.hasFailed) == [false, true, false])
        #expect(tracer.all[1].texts["error.type"] == "timedOut")
    }

    private static let failures: [(RequestEvent.HopEnd.Reason, Int?, String)] = [
        (.complete, 404, "404"), (.complete, 500, "500"), (.failed(.timedOut), nil, "timedOut"),
        (.cancelled, nil, "cancelled"), (.restarted, nil, "restarted"),
    ]

    @Test(arguments: failures)
    func failedHopHasErrorStatus(reason: RequestEvent.HopEnd.Reason, status: Int?, type: String) throws {
        TracingMonitor(tracer: tracer).receive([hopBegan(), hopEnded(reason, status: status)])
        let span = try #require(tracer.all.first)
        #expect(span.hasFailed)
        #expect(span.texts["error.type"] == type)
    }

    @Test func pausedHopHasNotFailed() {
        TracingMonitor(tracer: tracer).receive([hopBegan(), hopEnded(.paused)])
        #expect(tracer.all.map(\.hasFailed) == [false])
    }

    @Test func urlIsRedacted() {
        let names = [
            "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "AWSAccessKeyId", "Signature", "sig",
            "X-Goog-Signature", "access_token",
        ]
        let query = names.map { "\($0)=s3cr3t" }.joined(separator: "&")
        TracingMonitor(tracer: tracer).receive([hopBegan("https://ada:s3cr3t@h.test/a?\(query)&q=tea"), hopEnded()])
        let shown = names.map { "\($0)=REDACTED" }.joined(separator: "&")
        #expect(tracer.all.first?.texts["url.full"] == "https://REDACTED@h.test/a?\(shown)&q=tea")
        #expect(tracer.all.first?.texts.values.contains { $0.contains("s3cr3t") } == false)
    }

    @Test func unknownMethodIsNamedHTTP() {
        TracingMonitor(tracer: tracer).receive([hopBegan(method: "PROPFIND"), hopEnded()])
        #expect(tracer.all.first?.operationName == "HTTP")
        #expect(tracer.all.first?.texts["http.request.method"] == "_OTHER")
        #expect(tracer.all.first?.texts["http.request.method_original"] == "PROPFIND")
    }

    @Test func parentOfTheMonitorIsUsed() {
        let root = tracer.root()
        TracingMonitor(tracer: tracer, parent: root.context).receive([hopBegan(), hopEnded()])
        #expect(tracer.sendings.map(\.parent) == [root.identifier])
    }

    // MARK: - Injection

    private func sent(_ monitor: TracingMonitor, _ request: URLRequest? = nil) async throws -> URLRequest {
        let url = try #require(URL(string: "https://api.example.com/v1/me"))
        var request = request ?? URLRequest(url: url)
        try await monitor.propagation.adapt(&request, body: OutgoingBody(.none))
        return request
    }

    @Test func injectedSpanIsTheOneThatEnds() async throws {
        let monitor = TracingMonitor(tracer: tracer)
        let first = try await sent(monitor)
        let second = try await sent(monitor)
        #expect(first.value(forHTTPHeaderField: "traceparent") == RecordingTracer.traceparent(1))
        #expect(second.value(forHTTPHeaderField: "traceparent") == RecordingTracer.traceparent(2))
        // In another order, as operations run concurrently.
        monitor.receive([
            hopBegan("https://api.example.com/b", traceparent: 2, operation: 8),
            hopBegan("https://api.example.com/a", traceparent: 1, operation: 7), hopEnded(operation: 7),
            hopEnded(status: 404, operation: 8), finished(operation: 7), finished(operation: 8),
        ])
        #expect(tracer.all.count == 2)
        #expect(tracer.all.map(\.endCount) == [1, 1])
        #expect(
            tracer.all.map { $0.texts["url.full"] } == ["https://api.example.com/a", "https://api.example.com/b"])
        #expect(tracer.all.map(\.hasFailed) == [false, true])
        #expect(monitor.rememberedCount == 0)
    }

    @Test func hopWithoutAdapterKeepsTheParent() async throws {
        let root = tracer.root()
        let monitor = TracingMonitor(tracer: tracer, parent: root.context)
        _ = try await sent(monitor)
        monitor.receive([
            hopBegan(traceparent: 2), hopEnded(status: 302), hopBegan("https://other.test/", hop: 2, at: 3),
            hopEnded(hop: 2, at: 4), finished(),
        ])
        #expect(tracer.sendings.map(\.parent) == [root.identifier, root.identifier])
        #expect(tracer.sendings.map(\.endCount) == [1, 1])
    }

    @Test func spanWithoutInjectedFieldsIsFoundByItsRequest() async throws {
        let tracer = RecordingTracer(injects: false)
        let monitor = TracingMonitor(tracer: tracer)
        let request = try await sent(monitor)
        #expect(request.allHTTPHeaderFields ?? [:] == [:])
        monitor.receive([hopBegan(), hopEnded(), finished()])
        #expect(tracer.all.map(\.endCount) == [1])
        #expect(monitor.rememberedCount == 0)
    }

    @Test func instrumentMayDifferFromTheTracer() async throws {
        let request = try await sent(TracingMonitor(tracer: tracer, instrument: RecordingTracer(injects: false)))
        #expect(request.allHTTPHeaderFields ?? [:] == [:])
    }

    @Test func earlierTraceparentIsReplaced() async throws {
        let url = try #require(URL(string: "https://api.example.com/"))
        var request = URLRequest(url: url)
        request.setValue("x", forHTTPHeaderField: "Traceparent")
        let sent = try await sent(TracingMonitor(tracer: tracer), request)
        #expect(sent.allHTTPHeaderFields?.count == 1)
        #expect(sent.value(forHTTPHeaderField: "traceparent") == RecordingTracer.traceparent(1))
    }

    // MARK: - Ends that do not come

    @Test func spanWithoutHopEndsAfterAMinute() async throws {
        let monitor = TracingMonitor(tracer: tracer)
        _ = try await sent(monitor)
        monitor.endUnsentSpans(at: .now + .seconds(50))
        #expect(tracer.all.map(\.endCount) == [0])
        monitor.endUnsentSpans(at: .now + .seconds(61))
        #expect(tracer.all.map(\.endCount) == [1])
        #expect(tracer.all.first?.texts["error.type"] == "notSent")
        #expect(monitor.rememberedCount == 0)
    }

    /// Completion handlers run before events arrive.
    @Test func endOfTheOperationDoesNotEndItsSending() {
        let monitor = TracingMonitor(tracer: tracer)
        let trace = OperationTrace(tracer: tracer, parent: .topLevel, spanName: "load")
        _ = monitor.beginSending(method: "GET", url: "https://api.example.com/v1/me", trace: trace)
        trace.end(errorType: nil, statusCode: 200, attemptCount: 1)
        #expect(tracer.all.map(\.endCount) == [1, 0])
        monitor.receive([hopBegan(traceparent: 2), hopEnded(), finished()])
        #expect(tracer.all.map(\.endCount) == [1, 1])
        #expect(tracer.sendings.map(\.parent) == [1])
        #expect(tracer.sendings.first?.hasFailed == false)
    }

    @Test func unsentSpanEndsWithItsOperation() throws {
        let monitor = TracingMonitor(tracer: tracer)
        let trace = OperationTrace(tracer: tracer, parent: .topLevel, spanName: nil)
        _ = monitor.beginSending(method: "GET", url: "https://api.example.com/v1/me", trace: trace)
        trace.end(errorType: "cancelled", statusCode: nil, attemptCount: 1)
        monitor.endUnsentSpans(at: .now + .seconds(61))
        let end = try #require(trace.end).nanosecondsSinceEpoch
        #expect(tracer.all.map(\.state.value.ends) == [[end]])
    }

    @Test func releasedMonitorEndsItsSpans() async throws {
        do {
            let monitor = TracingMonitor(tracer: tracer)
            _ = try await sent(monitor)
            monitor.receive([hopBegan("https://other.test/")])
        }
        #expect(tracer.all.count == 2)
        await becomes([1, 1]) { tracer.all.map(\.endCount) }
    }

    @Test func missingEndOfAHopEndsWithTheNextOne() {
        TracingMonitor(tracer: tracer).receive([hopBegan(), hopBegan(hop: 2, at: 3), finished()])
        #expect(tracer.all.map(\.state.value.ends) == [[nanoseconds(3)], [nanoseconds(9)]])
    }

    @Test func silentOperationsEndAfterDrop() {
        let monitor = TracingMonitor(tracer: tracer)
        for number in 1...20 { monitor.receive([hopBegan(operation: number)]) }
        monitor.receive([RequestEvent(instant: 2_000_000_000, .eventsDropped(40))])
        #expect(monitor.rememberedCount == 20)
        monitor.receive([event(.admitted, at: 700, operation: 99)])
        #expect(monitor.rememberedCount == 0)
        #expect(tracer.all.allSatisfy { $0.endCount == 1 })
    }
}
