// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet

/// Translates events into values of metrics. A value without a clock: durations are distances of events.
package struct Measurements {
    /// The facts of an unfinished operation.
    private struct OperationState {
        /// When the first hop began.
        var firstHop: UInt64?
        /// When the last hop ended.
        var lastEnd: UInt64?
        var hop: Hop?
        /// Whether the hop is counted as active.
        var isActive = false
    }

    private struct Hop {
        var requester: Requester
        var hasBody: Bool
        var statusCode: Int?
        var version: String?
    }

    /// The attributes that all metrics about requests have.
    private struct Requester: Hashable {
        var method: String
        var server: ServerAddress
    }

    private let includesURLScheme: Bool
    private let maximumServerCount: Int
    private var servers: Set<ServerAddress> = []
    private var values: [MetricValue] = []
    private var operations = MonitorTable<OperationState>()
    private var activeCounts: [Requester: Int] = [:]
    private var connections = ConnectionCounts()

    /// - Parameters:
    ///   - includesURLScheme: whether `url.scheme` is an attribute.
    ///   - maximumServerCount: the number of servers with their own attributes.
    package init(includesURLScheme: Bool, maximumServerCount: Int) {
        (self.includesURLScheme, self.maximumServerCount) = (includesURLScheme, maximumServerCount)
    }

    /// The number of operations and connections that are remembered.
    package var rememberedCount: Int { operations.count + connections.count }

    /// The events that `record` uses.
    package static let kinds: RequestEvent.Kinds = [
        .hopBegan, .responseHead, .hopEnded, .connectionAcquired, .finished, .connectionOpened, .connectionIdle,
        .connectionClosed,
    ]

    /// Records an event.
    package mutating func record(_ event: RequestEvent) {
        switch event.kind {
        case .hopBegan(let head): beginHop(event, head)
        case .responseHead(let head):
            change(event) { operation in
                operation.hop?.statusCode = head.statusCode
                operation.hop?.version = head.version
            }
        case .hopEnded(let end): endHop(event, end)
        case .connectionAcquired(let use):
            connections.acquire(use.connection, server: server(of: event.origin), at: event.instant)
            showConnections()
        case .finished(let end): finish(event, end)
        case .connectionOpened(let information):
            connections.acquire(information, server: server(of: event.origin), at: event.instant)
            showConnections()
        case .connectionIdle(let information):
            connections.release(information, server: server(of: event.origin), at: event.instant)
            showConnections()
        case .connectionClosed(let information, _): close(information, event)
        case .eventsDropped:
            operations.recordDrop(at: event.instant)
            connections.recordDrop(at: event.instant)
        default: break
        }
    }

    /// Counts what has probably ended as ended. Called after each batch.
    package mutating func removeStale(at instant: UInt64) {
        for operation in operations.removeStale(at: instant) { endActivity(of: operation) }
        connections.removeStale(at: instant)
        showConnections()
    }

    /// Returns the values since the last call, in the order of their events.
    package mutating func consumeValues() -> [MetricValue] {
        defer { values = [] }
        return values
    }

    private mutating func record(_ value: Double, _ metric: MeasuredMetric, _ attributes: MetricValue.Attributes) {
        values.append(MetricValue(metric: metric, attributes: attributes, number: value))
    }

    /// Returns the server under which an origin or a URL is counted; nil if the text names none.
    private mutating func server(of text: String?) -> ServerAddress? {
        guard let server = text.flatMap({ ServerAddress($0) }) else { return nil }
        if servers.contains(server) { return server }
        guard servers.count < maximumServerCount else {
            return ServerAddress(scheme: server.scheme, address: ConventionalValue.other, port: 0)
        }
        servers.insert(server)
        return server
    }

    private func attributes(_ server: ServerAddress) -> MetricValue.Attributes {
        let place = [("server.address", Optional(server.address)), ("server.port", String(server.port))]
        return place + (includesURLScheme ? [("url.scheme", server.scheme)] : [])
    }
}

// MARK: - Requests

extension Measurements {
    private mutating func change(_ event: RequestEvent, _ change: (inout OperationState) -> Void) {
        guard let number = event.operation else { return }
        operations.update(number, at: event.instant, default: OperationState(), change)
    }

    private mutating func beginHop(_ event: RequestEvent, _ head: RequestEvent.HopRequestHead) {
        guard let number = event.operation, let server = self.server(of: event.origin ?? head.url) else { return }
        let requester = Requester(method: ConventionalValue.method(head.method), server: server)
        // The end of an earlier hop may have been dropped.
        if let earlier = operations[number] { endActivity(of: earlier) }
        change(event) { operation in
            operation.firstHop = operation.firstHop ?? event.instant
            operation.hop = Hop(requester: requester, hasBody: head.bodyByteCount != 0)
            operation.isActive = true
        }
        count(requester, by: 1)
    }

    private mutating func endHop(_ event: RequestEvent, _ end: RequestEvent.HopEnd) {
        guard let number = event.operation, let operation = operations[number], var hop = operation.hop else { return }
        endActivity(of: operation)
        hop.statusCode = end.statusCode ?? hop.statusCode
        change(event) { operation in
            (operation.hop, operation.lastEnd, operation.isActive) = (hop, event.instant, false)
        }
        let attributes = self.attributes(hop, errorType: ConventionalValue.errorType(end, statusCode: hop.statusCode))
        if hop.hasBody { record(Double(end.sentByteCount), .requestBodySize, attributes) }
        if hop.statusCode != nil { record(Double(end.receivedByteCount), .responseBodySize, attributes) }
    }

    private mutating func finish(_ event: RequestEvent, _ end: RequestEvent.OperationEnd) {
        for (reason, duration) in end.summary.timings.waits {
            record(duration.inSeconds, .waitDuration, [("bluebonnet.wait.reason", reason.rawValue)])
        }
        guard let operation = event.operation.flatMap({ operations.remove($0) }) else { return }
        endActivity(of: operation)
        guard let start = operation.firstHop, var hop = operation.hop else { return }
        hop.statusCode = end.statusCode
        let time = (operation.isActive ? nil : operation.lastEnd) ?? event.instant
        let errorType = ConventionalValue.errorType(end.errorCode, statusCode: end.statusCode)
        record(
            Double(time - min(start, time)) / 1e9, .requestDuration, attributes(hop, errorType: errorType))
        record(end.summary.timings.queued.inSeconds, .timeInQueue, attributes(hop.requester))
    }

    private mutating func endActivity(of operation: OperationState) {
        if operation.isActive, let hop = operation.hop { count(hop.requester, by: -1) }
    }

    private mutating func count(_ requester: Requester, by step: Int) {
        let count = activeCounts[requester, default: 0] + step
        activeCounts[requester] = count == 0 ? nil : count
        record(Double(count), .activeRequests, attributes(requester))
    }

    private func attributes(_ requester: Requester) -> MetricValue.Attributes {
        [("http.request.method", requester.method)] + attributes(requester.server)
    }

    private func attributes(_ hop: Hop, errorType: String?) -> MetricValue.Attributes {
        attributes(hop.requester) + [
            ("error.type", errorType), ("http.response.status_code", hop.statusCode.map(String.init)),
            ("network.protocol.version", hop.statusCode == nil ? nil : hop.version),
        ]
    }
}

// MARK: - Connections

extension Measurements {
    private mutating func close(_ information: RequestEvent.ConnectionInformation, _ event: RequestEvent) {
        let server = connections.close(information) ?? self.server(of: event.origin)
        showConnections()
        guard let server, information.openedAt <= event.instant else { return }
        record(
            Double(event.instant - information.openedAt) / 1e9, .connectionDuration, attributes(server))
    }

    private mutating func showConnections() {
        for (place, count) in connections.consumeChanges() {
            let state = ("http.connection.state", Optional(place.isIdle ? "idle" : "active"))
            record(Double(count), .openConnections, [state] + attributes(place.server))
        }
    }
}
