// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Formats the events that matter to people, one line each. A value without a clock.
///
/// A line begins with the seconds since the first event and the id of the request line.
struct VerboseText: Sendable {
    private static let nameWidth = 12
    /// The shortest wait that is shown, and the shortest time that a connection was idle, in seconds.
    private static let shortestWait = 0.001
    private static let shortestIdleTime = 1.0

    private var start: UInt64?
    private var waits: [Int: UInt64] = [:]

    /// Returns the line of an event, with its line end; empty for an event that is not shown.
    mutating func receive(_ event: RequestEvent, of line: ObservedLine?) -> String {
        let start = start ?? event.instant
        self.start = start
        guard let words = words(event, EventRedaction(line)) else { return "" }
        let seconds = String(format: "%8.3f", Double(event.instant - min(event.instant, start)) / 1e9)
        let name = event.operation.map { event.name ?? "#\($0)" } ?? "-"
        return "\(seconds)  \(TerminalText.fit(TerminalText.clean(name), to: Self.nameWidth))  "
            + TerminalText.clean(words) + "\n"
    }

    private mutating func words(_ event: RequestEvent, _ redaction: EventRedaction) -> String? {
        switch event.kind {
        case .waitBegan(let reason):
            if let number = event.operation { waits[number] = event.instant }
            // The other waits are shown when they have ended. A retry has its own line.
            return reason.until == nil || reason.kind == .backoff
                ? nil : "waits (\(reason.kind.rawValue)): \(redaction.hiding(reason.description))"
        case .waitEnded(let kind):
            let wait = event.operation.flatMap { waits.removeValue(forKey: $0) }
            let seconds = wait.map { Double(event.instant - min(event.instant, $0)) / 1e9 } ?? 0
            return seconds < Self.shortestWait ? nil : "waited \(EventText.duration(seconds)) (\(kind.rawValue))"
        case .cacheAnswered(.hit): return "answered by the cache"
        case .paused: return "paused"
        case .resumed: return "resumed"
        case .redirectDecided(let status, let target):
            return "follows the redirect \(status) to \(redaction.url(target))"
        case .challengeAnswered(let status): return "answers the challenge \(status) with a credential"
        case .retryDecided(let verdict): return Self.words(verdict)
        case .finished(let end): return Self.words(end)
        case .governorChanged(let change): return Self.words(change, event.origin ?? "the origin")
        case .connectionClosed(let connection, let reason):
            return "connection \(connection.number) closed (\(reason.rawValue))"
        case .eventsDropped(let count): return "\(Quantity.count(count, "event")) lost, because this output is slow"
        default: return Self.hopWords(event, redaction)
        }
    }
}

// MARK: - Hops

extension VerboseText {
    private static func hopWords(_ event: RequestEvent, _ redaction: EventRedaction) -> String? {
        switch event.kind {
        case .hopBegan(let head):
            let body = head.bodyByteCount.map { $0 == 0 ? "" : ", a body of \(Quantity.bytes($0))" } ?? ", a body"
            let attempt = event.attempt > 1 ? ", attempt \(event.attempt)" : ""
            return "> \(head.method) \(redaction.url(head.url))\(body)\(attempt)"
        case .tlsEstablished(let information, let duration):
            let alpn = information.applicationProtocol.map { ", \($0)" } ?? ""
            let time = EventText.duration(duration.inSeconds)
            return "\(information.version), \(information.cipher)\(alpn), in \(time)"
        case .connectionAcquired(let use): return words(use)
        case .responseHead(let head): return "< HTTP/\(head.version) \(head.statusCode)"
        case .hopEnded(let end): return words(end)
        default: return nil
        }
    }

    private static func words(_ use: RequestEvent.ConnectionUse) -> String {
        let connection = use.connection
        let peer =
            connection.peerAddress.isEmpty ? "a Unix socket" : "\(connection.peerAddress) port \(connection.peerPort)"
        if !use.isReused { return "connection \(connection.number) to \(peer)" }
        let seconds = use.idleTime?.inSeconds ?? 0
        let idle = seconds < shortestIdleTime ? "" : ", idle for \(EventText.duration(seconds))"
        return "connection \(connection.number) to \(peer), kept\(idle)"
    }

    private static func words(_ end: RequestEvent.HopEnd) -> String? {
        let phases = end.phases.byPhase.map { "\($0.rawValue) \(EventText.duration($1.inSeconds))" }
        let details = ([Quantity.bytes(end.receivedByteCount)] + phases).joined(separator: ", ")
        return switch end.reason {
        case .complete: "= complete: \(details)"
        case .paused: "= stopped for a pause: \(details)"
        case .cancelled: "= cancelled: \(details)"
        case .restarted: "= begins again over another connection"
        case .failed(let code): "= failed, \(code.rawValue): \(details)"
        }
    }
}

// MARK: - Decisions and ends

extension VerboseText {
    private static func words(_ verdict: RequestEvent.RetryVerdict) -> String {
        func cause(_ facts: RequestEvent.RetryFacts) -> String {
            facts.statusCode.map { "status \($0)" } ?? facts.code.rawValue
        }
        return switch verdict {
        case .retry(let delay, let rule, let facts):
            "another attempt in \(EventText.duration(delay.inSeconds)) (\(rule.rawValue)) after \(cause(facts))"
        case .stop(let reason, let facts): "no further attempt (\(reason.rawValue)) after \(cause(facts))"
        }
    }

    private static func words(_ end: RequestEvent.OperationEnd) -> String {
        let outcome = end.errorCode.map { "ended with \($0.rawValue)" } ?? "succeeded"
        let timings = end.summary.timings
        let waits = timings.waits.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
            .filter { $0.value.inSeconds >= shortestWait }
            .map { "\($0.key.rawValue) \(EventText.duration($0.value.inSeconds))" }
        let total = EventText.duration(timings.total.inSeconds)
        return "\(outcome) in \(total)" + (waits.isEmpty ? "" : ", of which \(waits.joined(separator: ", "))")
    }

    private static func words(_ change: RequestEvent.GovernorChange, _ origin: String) -> String {
        switch change {
        case .hold(let date, let status):
            "\(origin) is on hold until \(EventText.date(date))" + (status.map { " (status \($0))" } ?? "")
        case .rate(let perSecond): "\(origin) gets \(Quantity.requestsPerSecond(perSecond)) from now on"
        case .breakerOpened(let date): "\(origin) is unavailable until \(EventText.date(date)) (breaker)"
        case .breakerHalfOpened: "one request tries whether \(origin) answers again (breaker)"
        case .breakerClosed: "\(origin) answers again (breaker)"
        }
    }
}
