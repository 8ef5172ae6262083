// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Tracing

/// A tracer that stores its spans, and injects `traceparent`.
struct RecordingTracer: Tracer {
    /// Whether spans are injected.
    var injects = true
    let spans = Observed([RecordingSpan]())

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordingSpan {
        let (parent, begin) = (context(), instant().nanosecondsSinceEpoch)
        return spans.update { spans in
            let identifier = spans.count + 1
            var context = parent
            context[SpanKey.self] = identifier
            let span = RecordingSpan(
                identifier: identifier, parent: parent[SpanKey.self], context: context, kind: kind,
                begin: begin, name: operationName)
            spans.append(span)
            return span
        }
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard injects, let identifier = context[SpanKey.self] else { return }
        injector.inject(Self.traceparent(identifier), forKey: "traceparent", into: &carrier)
    }

    static func traceparent(_ identifier: Int) -> String {
        let digits = String(identifier)
        return "00-0af7651916cd43dd8448eb211c80319c-" + String(repeating: "0", count: 16 - digits.count) + digits
            + "-01"
    }

    /// Begins a span of the program.
    func root() -> RecordingSpan {
        startSpan(
            "root", context: .topLevel, ofKind: .internal, at: DefaultTracerClock.now, function: "", file: "", line: 0)
    }

    var all: [RecordingSpan] { spans.value }
    /// The spans of the kind `client`.
    var sendings: [RecordingSpan] { all.filter { $0.kind == .client } }
}

enum SpanKey: ServiceContextKey {
    typealias Value = Int
}

final class RecordingSpan: Span {
    struct State: Sendable {
        var name: String
        var attributes = SpanAttributes()
        var status: SpanStatus?
        var ends: [UInt64] = []
    }

    let identifier: Int
    let parent: Int?
    let context: ServiceContext
    let kind: SpanKind
    let begin: UInt64
    let state: Observed<State>

    init(identifier: Int, parent: Int?, context: ServiceContext, kind: SpanKind, begin: UInt64, name: String) {
        (self.identifier, self.parent, self.context) = (identifier, parent, context)
        (self.kind, self.begin, state) = (kind, begin, Observed(State(name: name)))
    }

    var operationName: String {
        get { state.value.name }
        set { state.update { $0.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { state.value.attributes }
        set { state.update { $0.attributes = newValue } }
    }

    var isRecording: Bool { state.value.ends.isEmpty }
    var hasFailed: Bool { state.value.status?.code == .error }
    var endCount: Int { state.value.ends.count }

    func setStatus(_ status: SpanStatus) { state.update { $0.status = status } }
    func addEvent(_ event: SpanEvent) {}
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {}
    func addLink(_ link: SpanLink) {}

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let end = instant().nanosecondsSinceEpoch
        state.update { $0.ends.append(end) }
    }

    /// The attributes as texts.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        let add = { (name: String, value: SpanAttribute) in
            switch value {
            case .string(let text): texts[name] = text
            case .int32(let number): texts[name] = String(number)
            case .int64(let number): texts[name] = String(number)
            default: texts[name] = "\(value)"
            }
        }
        attributes.forEach(add)
        return texts
    }
}
