// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetMonitors
internal import Foundation
internal import Logging

/// The metadata of an event's message. The keys are OpenTelemetry's where it has one.
enum EventMetadata {
    /// The metadata of all events: operation, attempt, hop and origin.
    static func origin(_ event: RequestEvent) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["bluebonnet.instant": .stringConvertible(event.instant)]
        metadata["bluebonnet.request.number"] = event.operation.map { .stringConvertible($0) }
        metadata["bluebonnet.request.name"] = event.name.map { .string($0) }
        if event.hop > 0 {
            metadata["bluebonnet.attempt"] = .stringConvertible(event.attempt)
            metadata["bluebonnet.hop"] = .stringConvertible(event.hop)
        }
        metadata["bluebonnet.origin"] = event.origin.map { .string($0) }
        return metadata
    }

    /// The metadata of an event's message.
    static func metadata(_ event: RequestEvent, _ operation: LoggedOperation?) -> Logger.Metadata {
        origin(event).merging(details(event.kind, operation)) { $1 }
    }

    /// The message about the fields of a head; nil for events without fields.
    static func headers(
        of kind: RequestEvent.Kind
    ) -> (message: String, key: String, shown: [Logger.Metadata.Value])? {
        switch kind {
        case .hopBegan(let head): ("Request fields", "http.request.headers", shown(head.headers))
        case .responseHead(let head): ("Response fields", "http.response.headers", shown(head.headers))
        default: nil
        }
    }

    private static func shown(_ headers: [(name: String, value: String)]) -> [Logger.Metadata.Value] {
        headers.map { .string("\($0.name): \(Redaction.value($0.value, ofField: $0.name))") }
    }

    private static func details(_ kind: RequestEvent.Kind, _ operation: LoggedOperation?) -> Logger.Metadata {
        switch kind {
        case .queued(let reason): reason.map(wait) ?? [:]
        case .waitBegan(let reason): wait(reason)
        case .waitEnded(let kind): ["bluebonnet.wait.reason": .string(kind.rawValue)]
        case .cacheAnswered(let answer): ["bluebonnet.cache": .string(answer.rawValue)]
        case .hopBegan(let head): request(head.method, head.url)
        case .responseHead(let head):
            ["http.response.status_code": number(head.statusCode), "network.protocol.version": .string(head.version)]
        case .hopEnded(let end): self.end(end)
        case .redirectDecided(let status, let target):
            ["http.response.status_code": number(status), "bluebonnet.redirect.target": .string(ShownText.url(target))]
        case .challengeAnswered(let status): ["http.response.status_code": number(status)]
        case .retryDecided(let verdict): retry(verdict)
        case .finished(let end): finish(end, operation)
        case .governorChanged(let change): governor(change)
        case .eventsDropped(let count): ["bluebonnet.dropped": number(count)]
        default: connection(kind)
        }
    }

    private static func connection(_ kind: RequestEvent.Kind) -> Logger.Metadata {
        switch kind {
        case .nameLookedUp(let duration), .connected(let duration), .firstByte(let duration): seconds(duration)
        case .tlsEstablished(let information, let duration):
            seconds(duration).merging(["bluebonnet.tls": .string("\(information)")]) { $1 }
        case .connectionAcquired(let use):
            connection(use.connection).merging(["bluebonnet.connection.reused": .stringConvertible(use.isReused)]) {
                $1
            }
        case .connectionOpened(let information), .connectionIdle(let information): connection(information)
        case .connectionClosed(let information, let reason):
            connection(information).merging(["bluebonnet.connection.end": .string(reason.rawValue)]) { $1 }
        case .requestBodySent(let count): ["http.request.body.size": number(count)]
        case .responseBodyReceived(let count, let decoded):
            ["http.response.body.size": number(count)].merging(
                decoded.map { ["bluebonnet.decoded": number($0)] } ?? [:]
            ) { $1 }
        case .bodyProgress(let progress):
            [
                progress.direction == .sent ? "http.request.body.size" : "http.response.body.size":
                    number(progress.byteCount)
            ]
        default: [:]
        }
    }

    private static func connection(_ information: RequestEvent.ConnectionInformation) -> Logger.Metadata {
        [
            "bluebonnet.connection.number": number(information.number),
            "network.peer.address": .string(information.peerAddress),
            "network.peer.port": number(information.peerPort),
        ]
    }

    private static func request(_ method: String, _ url: String) -> Logger.Metadata {
        ["http.request.method": .string(method), "url.full": .string(ShownText.url(url))]
    }

    private static func wait(_ reason: WaitReason) -> Logger.Metadata {
        ["bluebonnet.wait.reason": .string(reason.kind.rawValue), "bluebonnet.wait": .string(reason.description)]
    }

    private static func end(_ end: RequestEvent.HopEnd) -> Logger.Metadata {
        var metadata: Logger.Metadata = seconds(end.phases.total)
        metadata["http.response.status_code"] = end.statusCode.map(number)
        metadata["http.request.body.size"] = number(end.sentByteCount)
        metadata["http.response.body.size"] = number(end.receivedByteCount)
        metadata["error.type"] = ConventionalValue.errorType(end, statusCode: end.statusCode).map { .string($0) }
        if end.reason == .paused { metadata["bluebonnet.hop.end"] = "paused" }
        return metadata
    }

    private static func retry(_ verdict: RequestEvent.RetryVerdict) -> Logger.Metadata {
        switch verdict {
        case .retry(let wait, let rule, let facts):
            self.facts(facts).merging([
                "bluebonnet.retry.delay": .stringConvertible(wait.inSeconds),
                "bluebonnet.retry.rule": .string("\(rule)"),
            ]) { $1 }
        case .stop(let reason, let facts):
            self.facts(facts).merging(["bluebonnet.retry.stop": .string(reason.rawValue)]) { $1 }
        }
    }

    private static func facts(_ facts: RequestEvent.RetryFacts) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["error.type": .string(facts.code.rawValue)]
        metadata["http.response.status_code"] = facts.statusCode.map(number)
        return metadata
    }

    private static func finish(_ end: RequestEvent.OperationEnd, _ operation: LoggedOperation?) -> Logger.Metadata {
        var metadata: Logger.Metadata = seconds(end.summary.timings.total)
        metadata["error.type"] = end.errorCode.map { .string($0.rawValue) }
        metadata["http.response.status_code"] = end.statusCode.map(number)
        metadata["bluebonnet.received"] = number(end.receivedByteCount)
        metadata["bluebonnet.transfers"] = number(end.summary.transferCount)
        if let operation, let method = operation.method, let url = operation.url {
            metadata.merge(request(method, url)) { $1 }
        }
        metadata["bluebonnet.retry.stop"] = operation?.stopReason.map { .string($0.rawValue) }
        return metadata
    }

    private static func governor(_ change: RequestEvent.GovernorChange) -> Logger.Metadata {
        switch change {
        case .hold(let date, let status):
            var metadata: Logger.Metadata = ["bluebonnet.until": .string(date.formatted(.iso8601))]
            metadata["http.response.status_code"] = status.map(number)
            return metadata
        case .rate(let perSecond): return ["bluebonnet.rate": .stringConvertible(perSecond)]
        case .breakerOpened(let date): return ["bluebonnet.until": .string(date.formatted(.iso8601))]
        case .breakerHalfOpened, .breakerClosed: return [:]
        }
    }

    private static func seconds(_ duration: Duration) -> Logger.Metadata {
        ["bluebonnet.seconds": .stringConvertible(duration.inSeconds)]
    }

    private static func number(_ number: some BinaryInteger & Sendable) -> Logger.Metadata.Value {
        .stringConvertible(number)
    }
}
