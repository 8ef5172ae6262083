// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import BluebonnetLocks
internal import BluebonnetMonitors
internal import Dispatch
public import Tracing

/// Traces what operations do, with swift-distributed-tracing: one client span for each sending, by OpenTelemetry's
/// conventions for HTTP clients.
///
/// ```swift
/// let tracing = TracingMonitor(tracer: tracer)
/// manager.configure = { tracing.trace($0) }
/// ```
///
/// `trace(_:parent:spanName:)` makes the spans children of the caller's span, and injects the context of each span into
/// the fields of its request: `traceparent`, if the instrument uses that field. To trace all operations of a manager
/// under one parent instead, set the monitor and its adapter yourself:
///
/// ```swift
/// manager.eventMonitors.append(tracing)
/// manager.requestAdapters.append(tracing.propagation)
/// ```
///
/// Without the adapter, spans are made, but the server does not see them, and the response cache stays in use: an
/// operation with adapters does not use it.
///
/// | | span of a sending | span of an operation, if asked for |
/// |---|---|---|
/// | name | the method; `HTTP` for an unknown method | `spanName` |
/// | begin | the adapter's turn; without adapter, the begin of the hop | when `trace` was called |
/// | end | the end of the hop | the end of the operation |
/// | parent | the operation's span; without one, as on the right | the `parent` of `trace`, or of the monitor |
///
/// A redirect to another origin is sent without adapters, and therefore without `traceparent`; its span has the same
/// parent as those before it. URLs are recorded without secrets, as `curlCommand()` shows them.
///
/// Adapters run on a task of the library, in which there is no context of the caller. So the parent is read where
/// `trace` is called: `configure` of a manager or a call runs where the operation is created.
///
/// Spans end after the fact, on the queue of `EventMonitor.receive(_:)`, with the dates of the events. The span of a
/// request that is not sent after its adapters is ended within two minutes, with the `error.type` `notSent`. The
/// monitor remembers each operation until it is finished, and at most 100,000 of them. After `eventsDropped`,
/// operations that stay silent for ten minutes count as ended.
public final class TracingMonitor: EventMonitor {
    /// The facts of an unfinished operation.
    private struct OperationState {
        var parent: ServiceContext?
        /// Retained, because the operation may be released before its last events arrive.
        var trace: OperationTrace?
        var hop: TracedHop?
    }

    private struct State {
        var operations = MonitorTable<OperationState>()
        var pending = PendingSpans()
        var isTimerSet = false
    }

    let tracer: any Tracer
    private let instrument: any Instrument
    private let parent: ServiceContext
    private let state = Mutex(State())

    /// Makes a monitor.
    ///
    /// - Parameters:
    ///   - tracer: begins the spans. Default: the tracer of the program, at the time of the call.
    ///   - instrument: injects the contexts of spans into requests. Default nil: the tracer.
    ///   - parent: the context of the spans of operations that `trace` was not called for. Default: none.
    public init(
        tracer: any Tracer = InstrumentationSystem.tracer, instrument: (any Instrument)? = nil,
        parent: ServiceContext = .topLevel
    ) {
        (self.tracer, self.instrument, self.parent) = (tracer, instrument ?? tracer, parent)
    }

    deinit {
        let pending = state.withLock { state in
            let hops = state.operations.removeAll().compactMap(\.hop)
            for hop in hops { hop.span.end() }
            return state.pending.removeAll()
        }
        for pending in pending { Self.endUnsent(pending) }
    }

    /// The adapter that begins the span of each sending and injects its context. Append it to the adapters of a
    /// manager: adapters before it do not see its fields, so that it changes no signature.
    public var propagation: TracePropagation { TracePropagation(monitor: self, trace: nil) }

    /// Traces one operation: adds the monitor and an adapter. Call it before the operation is added to a queue or
    /// started.
    ///
    /// - Parameters:
    ///   - operation: the operation.
    ///   - parent: the context of the operation's spans. Default: the caller's; without one, the monitor's.
    ///   - spanName: the name of the operation's own span of the kind `internal`, which is the parent of its sendings
    ///     and lasts from this call to the end of the operation. Default nil: no such span.
    public func trace(
        _ operation: HTTPRequestOperation, parent: ServiceContext? = ServiceContext.current, spanName: String? = nil
    ) {
        let trace = OperationTrace(tracer: tracer, parent: parent ?? self.parent, spanName: spanName)
        operation.addEventMonitor(self)
        operation.requestAdapters.removeAll { ($0 as? TracePropagation)?.monitor === self }
        operation.requestAdapters.append(TracePropagation(monitor: self, trace: trace))
        operation.addCompletion { operation, _ in
            let errorType = ConventionalValue.errorType(operation.error?.code, statusCode: operation.statusCode)
            trace.end(
                errorType: errorType, statusCode: operation.statusCode, attemptCount: operation.retries.count + 1)
        }
    }

    public var kinds: RequestEvent.Kinds { [.hopBegan, .connectionAcquired, .responseHead, .hopEnded, .finished] }

    public func receive(_ events: [RequestEvent]) {
        for event in events { record(event) }
        guard let last = events.last else { return }
        let stale = state.withLock { $0.operations.removeStale(at: last.instant) }
        for hop in stale.compactMap(\.hop) { hop.span.end(at: SpanFields.instant(last.date)) }
        endUnsentSpans(at: .now)
    }

    /// The number of operations and unsent requests that the monitor remembers.
    var rememberedCount: Int { state.withLock { $0.operations.count + $0.pending.count } }
}

// MARK: - Events

extension TracingMonitor {
    private func record(_ event: RequestEvent) {
        switch event.kind {
        case .hopBegan(let head): beginHop(event, head)
        case .connectionAcquired(let use): change(event) { $0.hop?.peer = use.connection }
        case .responseHead(let head):
            change(event) { operation in
                operation.hop?.statusCode = head.statusCode
                operation.hop?.version = head.version
            }
        case .hopEnded(let end): endHop(event, end)
        case .finished:
            guard let number = event.operation else { return }
            // The end of the hop was dropped.
            if let hop = state.withLock({ $0.operations.remove(number)?.hop }) {
                hop.span.end(at: SpanFields.instant(event.date))
            }
        case .eventsDropped: state.withLock { $0.operations.recordDrop(at: event.instant) }
        default: break
        }
    }

    /// Changes the state of a known operation, and returns the result of the change; nil for an unknown operation.
    @discardableResult
    private func change<Result: Sendable>(
        _ event: RequestEvent, _ change: @Sendable (inout OperationState) -> Result
    ) -> Result? {
        guard let number = event.operation else { return nil }
        return state.withLock { state in
            guard state.operations[number] != nil else { return nil }
            return state.operations.update(number, at: event.instant, default: OperationState(), change)
        }
    }

    private func beginHop(_ event: RequestEvent, _ head: RequestEvent.HopRequestHead) {
        guard let number = event.operation else { return }
        let (pending, earlier) = state.withLock { state in
            (
                state.pending.remove(headers: head.headers, method: head.method, url: head.url),
                state.operations[number]
            )
        }
        earlier?.hop?.span.end(at: SpanFields.instant(event.date))
        let context = pending?.parent ?? earlier?.parent ?? parent
        let name = SpanFields.name(ofMethod: head.method)
        let span =
            pending?.span
            ?? SpanFields.begin(name, tracer, context: context, kind: .client, at: SpanFields.instant(event.date))
        span.operationName = name  // a later adapter may have changed the method
        SpanFields.setRequest(head, event, of: span)
        state.withLock { state in
            state.operations.update(number, at: event.instant, default: OperationState()) { operation in
                operation.parent = context
                operation.trace = pending?.trace ?? operation.trace
                operation.hop = TracedHop(span: span)
            }
        }
    }

    private func endHop(_ event: RequestEvent, _ end: RequestEvent.HopEnd) {
        let hop = change(event) { operation in
            defer { operation.hop = nil }
            return operation.hop
        }
        guard let ended = hop ?? nil else { return }
        SpanFields.setEnd(ended, end)
        ended.span.end(at: SpanFields.instant(event.date))
    }
}

// MARK: - Injection

extension TracingMonitor {
    /// Begins the span of a request, and returns the fields to inject. Called by the adapter.
    func beginSending(method: String, url: String, trace: OperationTrace?) -> [(name: String, value: String)] {
        let context = trace?.context() ?? ServiceContext.current ?? parent
        let name = SpanFields.name(ofMethod: method)
        let span = SpanFields.begin(name, tracer, context: context, kind: .client, at: DefaultTracerClock.now)
        var fields: [(name: String, value: String)] = []
        instrument.inject(span.context, into: &fields, using: FieldInjector())
        let pending = PendingSpans.Pending(span: span, parent: context, trace: trace, begin: .now)
        let (surplus, setsTimer) = state.withLock { state in
            defer { state.isTimerSet = true }
            return (state.pending.add(pending, fields: fields, method: method, url: url), !state.isTimerSet)
        }
        for pending in surplus { Self.endUnsent(pending) }
        if setsTimer { setTimer() }
        return fields
    }

    private func setTimer() {
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(60)) { [weak self] in
            guard let self else { return }
            endUnsentSpans(at: .now)
            let isNeeded = state.withLock { state in
                state.isTimerSet = state.pending.count > 0
                return state.isTimerSet
            }
            if isNeeded { setTimer() }
        }
    }

    /// Ends the spans of requests that were not sent.
    func endUnsentSpans(at now: ContinuousClock.Instant) {
        for pending in state.withLock({ $0.pending.removeExpired(at: now) }) { Self.endUnsent(pending) }
    }

    private static func endUnsent(_ pending: PendingSpans.Pending) {
        SpanFields.fail(pending.span, with: "notSent")
        pending.span.end(at: pending.trace?.end ?? DefaultTracerClock.now)
    }
}

/// Collects the fields that an instrument injects.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout [(name: String, value: String)]) {
        carrier.removeAll { $0.name == key }
        carrier.append((key, value))
    }
}
