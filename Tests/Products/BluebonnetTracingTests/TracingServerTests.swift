// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import BluebonnetTracing
import Foundation
import Testing
import Tracing

/// Spans of real operations.
@Suite(.timeLimit(.minutes(1)))
struct TracingServerTests {
    /// Adapters and completions of operations do not depend on events.
    @Test func contextOfTheCallerIsInjected() async throws {
        try await TestServer.serving { _ in
            .response(body: "hello")
        } _: { server in
            let tracer = RecordingTracer()
            let tracing = TracingMonitor(tracer: tracer)
            let manager = RequestOperationManager(baseURL: server.url("/"))
            manager.configure = { tracing.trace($0, spanName: "hello") }
            let root = tracer.root()
            try await ServiceContext.withValue(root.context) {
                _ = try await manager.call("hello").response()
            }
            let own = try #require(tracer.all.first { $0.operationName == "hello" })
            let sending = try #require(tracer.sendings.first)
            #expect(own.parent == root.identifier)
            #expect(sending.parent == own.identifier)
            #expect(
                server.requests.first?.headers["traceparent"] == RecordingTracer.traceparent(sending.identifier))
            await becomes(1) { own.endCount }
        }
    }

    @Test func realSendingsBecomeSpans() async throws {
        try await TestServer.serving { request in
            request.path == "/old" ? .response(status: 302, headers: ["Location": "/new"]) : .response(status: 404)
        } _: { server in
            let tracer = RecordingTracer()
            let tracing = TracingMonitor(tracer: tracer)
            let manager = RequestOperationManager(baseURL: server.url("/"))
            manager.eventMonitors = [tracing]
            manager.requestAdapters = [tracing.propagation]
            await #expect(throws: NetworkingError.self) { _ = try await manager.call("old").response() }
            await becomes([1, 1]) { tracer.sendings.map(\.endCount) }

            let (first, second) = (try #require(tracer.sendings.first), try #require(tracer.sendings.last))
            #expect(
                server.requests.map { $0.headers["traceparent"] }
                    == [first, second].map { RecordingTracer.traceparent($0.identifier) })
            #expect(first.texts["url.full"] == server.url("/old").absoluteString)
            #expect(first.texts["http.response.status_code"] == "302")
            #expect(!first.hasFailed)
            #expect(second.texts["http.request.resend_count"] == "1")
            #expect(second.texts["error.type"] == "404")
            #expect(second.hasFailed)
            #expect(second.texts["network.peer.address"] == "127.0.0.1")
            #expect(second.texts["network.protocol.version"] == "1.1")
        }
    }
}
