// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks
internal import Tracing

/// The parts that all hops of a traced operation share: the context of their spans, and the operation's own span,
/// if there is one. Any thread.
///
/// The own span begins with the first hop's adapter, or at the end; its begin is dated back. So an operation that is
/// never started leaves no span.
final class OperationTrace: Sendable {
    private struct State {
        var span: (any Span)?
        var end: DefaultTracerClock.Timestamp?
    }

    private let tracer: any Tracer
    private let parent: ServiceContext
    private let spanName: String?
    private let creation = DefaultTracerClock.now
    private let state = Mutex(State())

    /// - Parameter spanName: nil without a span of the operation's own.
    init(tracer: any Tracer, parent: ServiceContext, spanName: String?) {
        (self.tracer, self.parent, self.spanName) = (tracer, parent, spanName)
    }

    /// An operation that was released while it was paused gets no result.
    deinit {
        if let span = state.withLock({ $0.end == nil ? $0.span : nil }) {
            SpanFields.fail(span, with: NetworkingError.Code.cancelled.rawValue)
            span.end()
        }
    }

    /// The context of the hops' spans.
    func context() -> ServiceContext { beginSpan()?.context ?? parent }

    /// When the operation ended; nil before.
    var end: DefaultTracerClock.Timestamp? { state.withLock { $0.end } }

    /// Ends the operation, and its own span. Later calls have no effect.
    func end(errorType: String?, statusCode: Int?, attemptCount: Int) {
        let now = DefaultTracerClock.now
        let isFirst = state.withLock { state in
            defer { state.end = state.end ?? now }
            return state.end == nil
        }
        guard isFirst, let span = beginSpan() else { return }
        span.updateAttributes { attributes in
            attributes["bluebonnet.request.attempts"] = attemptCount
            if let statusCode { attributes["http.response.status_code"] = statusCode }
        }
        if let errorType { SpanFields.fail(span, with: errorType) }
        span.end(at: now)
    }

    /// Returns the own span. The tracer is called without the lock: the adapters of an operation run one after the
    /// other, and its end comes after them, so no second span begins.
    private func beginSpan() -> (any Span)? {
        guard let spanName else { return nil }
        if let span = state.withLock({ $0.span }) { return span }
        let span = SpanFields.begin(spanName, tracer, context: parent, kind: .internal, at: creation)
        state.withLock { $0.span = span }
        return span
    }
}
