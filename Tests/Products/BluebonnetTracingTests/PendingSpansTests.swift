// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Testing
import Tracing

@testable import BluebonnetTracing

@Suite struct PendingSpansTests {
    private let tracer = RecordingTracer()
    private let now = ContinuousClock.now

    private func pending(after duration: Duration = .zero) -> PendingSpans.Pending {
        PendingSpans.Pending(span: tracer.root(), parent: .topLevel, trace: nil, begin: now + duration)
    }

    private func identifier(_ pending: PendingSpans.Pending?) -> Int? { pending?.span.context[SpanKey.self] }

    @Test func spanIsFoundByAllItsFields() {
        var spans = PendingSpans()
        _ = spans.add(pending(), fields: [("traceparent", "a"), ("baggage", "x")], method: "GET", url: "u")
        _ = spans.add(pending(), fields: [("traceparent", "b")], method: "GET", url: "u")
        #expect(identifier(spans.remove(headers: [("Baggage", "x")], method: "GET", url: "u")) == nil)
        let both = [(name: "Baggage", value: "x"), (name: "Accept", value: "*/*"), (name: "Traceparent", value: "a")]
        #expect(identifier(spans.remove(headers: both, method: "POST", url: "other")) == 1)
        #expect(identifier(spans.remove(headers: both, method: "POST", url: "other")) == nil)
        #expect(identifier(spans.remove(headers: [("TRACEPARENT", "b")], method: "GET", url: "u")) == 2)
        #expect(spans.count == 0)
    }

    @Test func spansOfEqualRequestsAreFoundInOrder() {
        var spans = PendingSpans()
        for _ in 0..<2 { _ = spans.add(pending(), fields: [], method: "GET", url: "u") }
        #expect(identifier(spans.remove(headers: [], method: "GET", url: "v")) == nil)
        #expect(identifier(spans.remove(headers: [], method: "GET", url: "u")) == 1)
        #expect(identifier(spans.remove(headers: [], method: "GET", url: "u")) == 2)
    }

    @Test func oldSpansExpire() {
        var spans = PendingSpans()
        _ = spans.add(pending(), fields: [("traceparent", "a")], method: "GET", url: "u")
        _ = spans.add(pending(after: .seconds(30)), fields: [("traceparent", "b")], method: "GET", url: "u")
        #expect(spans.removeExpired(at: now + .seconds(60)).isEmpty)
        #expect(spans.removeExpired(at: now + .seconds(61)).map(identifier) == [1])
        #expect(spans.count == 1)
    }

    @Test func listIsBounded() {
        var spans = PendingSpans()
        var removed = 0
        for number in 0..<10_500 {
            let fields = [(name: "traceparent", value: "\(number)")]
            let pending = pending(after: .milliseconds(number))
            removed += spans.add(pending, fields: fields, method: "GET", url: "u").count
        }
        #expect((9_000...10_000).contains(spans.count))
        #expect(spans.count + removed == 10_500)
    }
}
