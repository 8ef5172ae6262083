// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Testing
import Tracing

@testable import BluebonnetTracing

@Suite(.timeLimit(.minutes(1))) struct OperationTraceTests {
    private let tracer = RecordingTracer()

    private func trace(_ name: String?) -> (OperationTrace, root: RecordingSpan) {
        let root = tracer.root()
        return (OperationTrace(tracer: tracer, parent: root.context, spanName: name), root)
    }

    @Test func ownSpanIsTheParentOfSendings() {
        let (trace, root) = trace("load orders")
        let context = trace.context()
        let span = tracer.all.last
        #expect(span?.operationName == "load orders")
        #expect(span?.kind == .internal)
        #expect(span?.parent == root.identifier)
        #expect(context[SpanKey.self] == span?.identifier)
        #expect(trace.context()[SpanKey.self] == span?.identifier)
        #expect(tracer.all.count == 2)
        trace.end(errorType: nil, statusCode: 200, attemptCount: 2)
        trace.end(errorType: "cancelled", statusCode: nil, attemptCount: 1)
        #expect(span?.endCount == 1)
        #expect(span?.texts == ["bluebonnet.request.attempts": "2", "http.response.status_code": "200"])
        #expect(span?.hasFailed == false)
    }

    @Test func withoutNameThereIsNoOwnSpan() {
        let (trace, root) = trace(nil)
        #expect(trace.context()[SpanKey.self] == root.identifier)
        trace.end(errorType: nil, statusCode: 200, attemptCount: 1)
        #expect(tracer.all.count == 1)
    }

    @Test func operationWithoutSendingHasItsSpan() {
        let (trace, _) = trace("load")
        trace.end(errorType: "cancelled", statusCode: nil, attemptCount: 1)
        #expect(tracer.all.last?.hasFailed == true)
        #expect(tracer.all.last?.texts["error.type"] == "cancelled")
        #expect(tracer.all.last?.endCount == 1)
    }

    @Test func unusedTraceLeavesNoSpan() {
        _ = trace("load")
        #expect(tracer.all.count == 1)
    }

    @Test func releasedTraceEndsItsSpan() {
        do {
            let (trace, _) = trace("load")
            _ = trace.context()
        }
        #expect(tracer.all.last?.endCount == 1)
        #expect(tracer.all.last?.texts["error.type"] == "cancelled")
    }
}
