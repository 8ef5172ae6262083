// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetMonitors
internal import Foundation
internal import Tracing

/// The names, attributes and statuses of spans, by OpenTelemetry's conventions for HTTP clients.
enum SpanFields {
    static func begin(
        _ name: String, _ tracer: any Tracer, context: ServiceContext, kind: SpanKind,
        at instant: DefaultTracerClock.Timestamp
    ) -> any Span {
        func begin(_ tracer: some Tracer) -> any Span {
            tracer.startSpan(name, context: context, ofKind: kind, at: instant)
        }
        return begin(tracer)
    }

    /// The name of a hop's span: its method.
    static func name(ofMethod method: String) -> String {
        ConventionalValue.method(method) == ConventionalValue.other ? "HTTP" : method
    }

    static func instant(_ date: Date) -> DefaultTracerClock.Timestamp {
        .init(nanosecondsSinceEpoch: UInt64(max(0, date.timeIntervalSince1970 * 1e9)))
    }

    /// Sets the attributes that are known when a hop begins.
    static func setRequest(_ head: RequestEvent.HopRequestHead, _ event: RequestEvent, of span: any Span) {
        span.updateAttributes { attributes in
            let method = ConventionalValue.method(head.method)
            attributes["http.request.method"] = method
            if method != head.method { attributes["http.request.method_original"] = head.method }
            if let server = ServerAddress(head.url) ?? event.origin.flatMap({ ServerAddress($0) }) {
                attributes["server.address"] = server.address
                attributes["server.port"] = server.port
            }
            attributes["url.full"] = ShownText.url(head.url)
            if event.hop > 1 { attributes["http.request.resend_count"] = event.hop - 1 }
        }
    }

    /// Sets the attributes that are known when a hop has ended.
    static func setEnd(_ hop: TracedHop, _ end: RequestEvent.HopEnd) {
        let statusCode = end.statusCode ?? hop.statusCode
        hop.span.updateAttributes { attributes in
            if let statusCode { attributes["http.response.status_code"] = statusCode }
            if let version = hop.version { attributes["network.protocol.version"] = version }
            guard let peer = hop.peer, !peer.peerAddress.isEmpty else { return }
            attributes["network.peer.address"] = peer.peerAddress
            attributes["network.peer.port"] = peer.peerPort
        }
        if let errorType = ConventionalValue.errorType(end, statusCode: statusCode) { fail(hop.span, with: errorType) }
    }

    /// Marks a span as failed.
    static func fail(_ span: any Span, with errorType: String) {
        span.updateAttributes { $0["error.type"] = errorType }
        span.setStatus(SpanStatus(code: .error))
    }
}

/// A hop whose span has not ended.
struct TracedHop {
    let span: any Span
    var statusCode: Int?
    var version: String?
    var peer: RequestEvent.ConnectionInformation?
}
