// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Bluebonnet
internal import BluebonnetLocks
internal import BluebonnetMonitors
public import Logging

/// Logs what operations do, with swift-log.
///
/// ```swift
/// manager.eventMonitors.append(LoggingMonitor(logger: logger))
/// let me: User = try await manager.call("me").logger(callLogger)
///     .value(as: User.self)
/// ```
///
/// | level | messages |
/// |---|---|
/// | `warning` | an operation failed; events were dropped |
/// | `notice` | a retry, a hold, an open circuit breaker, a rate that was learned |
/// | `debug` | everything else that happens once for an operation or for a sending, also cancellation by the program |
/// | `trace` | phases, header fields, progress and connections |
///
/// The texts of messages are constant. The details are metadata: `bluebonnet.request.number` is in each message about
/// an operation, and groups its messages. URLs and fields are logged without secrets, as `curlCommand()` shows them.
///
/// Messages arrive after the fact, usually within 20 milliseconds, on the queue of `EventMonitor.receive(_:)`: the
/// time stamps of the handler are later than the events, and `bluebonnet.instant` orders messages exactly. The log
/// handler is called on that queue. The monitor may be used by any number of managers and operations.
///
/// The level of the logger is read when the monitor is first used: without `trace`, the monitor does not ask for the
/// events whose messages are `trace`, and requests are faster.
///
/// The monitor remembers each operation until it is finished, and at most 100,000 of them: after dropped events, a
/// message may lack the method and the URL.
public final class LoggingMonitor: EventMonitor {
    private let logger: Logger
    private let includesConnections: Bool
    private let operations = Mutex(MonitorTable<LoggedOperation>())

    /// Makes a monitor.
    ///
    /// - Parameters:
    ///   - logger: receives the messages; its level and its metadata are respected.
    ///   - includesConnections: whether events without an operation are logged, too: connections, which belong to the
    ///     whole process, and changes of governors. Default true.
    public init(logger: Logger, includesConnections: Bool = true) {
        (self.logger, self.includesConnections) = (logger, includesConnections)
    }

    public var kinds: RequestEvent.Kinds {
        let logged = logger.logLevel <= .trace ? .all : RequestEvent.Kinds.all.subtracting(Self.traced)
        return includesConnections ? logged : logged.subtracting(RequestEvent.Kinds.connections.union(.governorChanged))
    }

    /// The events that are logged with the level `trace` only.
    static let traced: RequestEvent.Kinds = [
        .nameLookedUp, .connected, .tlsEstablished, .connectionAcquired, .requestHeadSent, .requestBodySent,
        .firstByte, .bodyProgress, .responseBodyReceived, .connectionOpened, .connectionIdle, .connectionClosed,
    ]

    public func receive(_ events: [RequestEvent]) {
        for event in events {
            let operation = record(event)
            if event.operation == nil, !includesConnections, !event.isDrop { continue }
            log(event, operation)
        }
        guard let last = events.last else { return }
        operations.withLock { _ = $0.removeStale(at: last.instant) }
    }

    /// The number of operations that the monitor remembers.
    var rememberedCount: Int { operations.withLock { $0.count } }

    /// Applies an event, and returns what is known of its operation.
    private func record(_ event: RequestEvent) -> LoggedOperation? {
        operations.withLock { operations in
            if event.isDrop { operations.recordDrop(at: event.instant) }
            guard let number = event.operation else { return nil }
            if case .finished = event.kind { return operations.remove(number) }
            return operations.update(number, at: event.instant, default: LoggedOperation()) { operation in
                operation.apply(event.kind)
                return operation
            }
        }
    }

    private func log(_ event: RequestEvent, _ operation: LoggedOperation?) {
        let (level, message) = event.kind.levelAndMessage
        logger.log(
            level: level, "\(message)", metadata: EventMetadata.metadata(event, operation), source: "BluebonnetLogging")
        guard let headers = EventMetadata.headers(of: event.kind) else { return }
        logger.log(
            level: .trace, "\(headers.message)",
            metadata: EventMetadata.origin(event).merging([headers.key: .array(headers.shown)]) { $1 },
            source: "BluebonnetLogging")
    }
}

/// The facts of an unfinished operation, for the message at its end.
struct LoggedOperation {
    var method: String?
    var url: String?
    var stopReason: RequestEvent.RetryStopReason?

    mutating func apply(_ kind: RequestEvent.Kind) {
        switch kind {
        case .hopBegan(let head): (method, url) = (head.method, head.url)
        case .retryDecided(.stop(let reason, _)): stopReason = reason
        default: break
        }
    }
}

extension RequestEvent {
    var isDrop: Bool {
        if case .eventsDropped = kind { true } else { false }
    }
}

extension Call {
    /// Logs this call with a logger, in addition to the manager's monitors. Events of connections are not logged.
    ///
    /// ```swift
    /// var logger = Logger(label: "shop")
    /// logger[metadataKey: "order"] = "17"
    /// let order: Order = try await manager.call("orders/17").logger(logger)
    ///     .value(as: Order.self)
    /// ```
    public func logger(_ logger: Logger) -> Call {
        configure { $0.addEventMonitor(LoggingMonitor(logger: logger, includesConnections: false)) }
    }
}
