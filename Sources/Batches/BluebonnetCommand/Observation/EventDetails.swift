// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Writes the members of a log line that belong to one kind of event.
struct EventDetails {
    private let kind: RequestEvent.Kind
    private let redaction: EventRedaction

    init(_ kind: RequestEvent.Kind, _ redaction: EventRedaction) { (self.kind, self.redaction) = (kind, redaction) }

    func write(to text: inout JSONText) {
        switch kind {
        case .queued(let reason): reason.map { write($0, to: &text) }
        case .waitBegan(let reason): write(reason, to: &text)
        case .waitEnded(let kind): text.member("wait", kind.rawValue)
        case .admitted, .paused, .resumed: break
        case .cacheAnswered(let answer): text.member("answer", answer.rawValue)
        case .hopBegan, .nameLookedUp, .connected, .tlsEstablished, .connectionAcquired, .requestHeadSent,
            .requestBodySent, .firstByte, .responseHead, .bodyProgress, .responseBodyReceived, .hopEnded:
            writeHop(to: &text)
        case .redirectDecided(let status, let target):
            text.member("status", status)
            text.member("target", redaction.url(target))
        case .challengeAnswered(let status): text.member("status", status)
        case .retryDecided(let verdict): write(verdict, to: &text)
        case .finished(let end): write(end, to: &text)
        case .governorChanged(let change): write(change, to: &text)
        case .connectionOpened(let connection), .connectionIdle(let connection): write(connection, to: &text)
        case .connectionClosed(let connection, let reason):
            write(connection, to: &text)
            text.member("reason", reason.rawValue)
        case .eventsDropped(let count): text.member("count", count)
        }
    }

    private func write(_ reason: WaitReason, to text: inout JSONText) {
        text.member("wait", reason.kind.rawValue)
        text.member("text", redaction.hiding(reason.description))
        text.member("until", reason.until.map(EventText.date))
    }

    private func write(_ connection: RequestEvent.ConnectionInformation, to text: inout JSONText) {
        text.member("connection", connection.number)
        text.member("address", connection.peerAddress)
        text.member("port", connection.peerPort)
    }
}

// MARK: - Hops

extension EventDetails {
    private func writeHop(to text: inout JSONText) {
        switch kind {
        case .hopBegan(let head):
            text.member("method", head.method)
            text.member("url", redaction.url(head.url))
            text.member("headers", pairs: redaction.fields(head.headers))
            text.member("bytes", head.bodyByteCount)
        case .nameLookedUp(let duration), .connected(let duration), .firstByte(let duration):
            text.member("seconds", seconds: duration)
        case .tlsEstablished(let information, let duration):
            text.member("seconds", seconds: duration)
            text.member("version", information.version.description)
            text.member("cipher", information.cipher)
            text.member("applicationProtocol", information.applicationProtocol)
        case .connectionAcquired(let use):
            write(use.connection, to: &text)
            text.member("reused", use.isReused)
            text.member("idle", seconds: use.idleTime)
        case .requestBodySent(let count): text.member("bytes", count)
        case .responseHead(let head):
            text.member("status", head.statusCode)
            text.member("version", head.version)
            text.member("headers", pairs: redaction.fields(head.headers))
        case .bodyProgress(let progress):
            text.member("direction", progress.direction.rawValue)
            text.member("bytes", progress.byteCount)
            text.member("expected", progress.expectedByteCount)
        case .responseBodyReceived(let count, let decoded):
            text.member("bytes", count)
            text.member("decoded", decoded)
        case .hopEnded(let end): write(end, to: &text)
        default: break
        }
    }

    private func write(_ end: RequestEvent.HopEnd, to text: inout JSONText) {
        switch end.reason {
        case .complete: text.member("reason", "complete")
        case .paused: text.member("reason", "paused")
        case .cancelled: text.member("reason", "cancelled")
        case .restarted: text.member("reason", "restarted")
        case .failed(let code):
            text.member("reason", "failed")
            text.member("error", code.rawValue)
        }
        text.member("status", end.statusCode)
        text.member("sent", end.sentByteCount)
        text.member("received", end.receivedByteCount)
        write("phases", end.phases.byPhase.map { ($0.rawValue, $1) }, to: &text)
    }

    fileprivate func write(_ name: StaticString, _ times: [(String, Duration)], to text: inout JSONText) {
        text.key(name)
        text.object { text in
            for (word, duration) in times {
                text.key(word)
                text.seconds(duration.inSeconds)
            }
        }
    }
}

// MARK: - Decisions and ends

extension EventDetails {
    private func write(_ verdict: RequestEvent.RetryVerdict, to text: inout JSONText) {
        let facts: RequestEvent.RetryFacts
        switch verdict {
        case .retry(let delay, let rule, let failed):
            text.member("retry", true)
            text.member("seconds", seconds: delay)
            text.member("rule", rule.rawValue)
            facts = failed
        case .stop(let reason, let failed):
            text.member("retry", false)
            text.member("reason", reason.rawValue)
            facts = failed
        }
        text.member("error", facts.code.rawValue)
        text.member("status", facts.statusCode)
        text.member("certainlyNotProcessed", facts.certainlyNotProcessed)
    }

    private func write(_ end: RequestEvent.OperationEnd, to text: inout JSONText) {
        let timings = end.summary.timings
        text.member("error", end.errorCode?.rawValue)
        text.member("status", end.statusCode)
        text.member("received", end.receivedByteCount)
        text.member("transfers", end.summary.transferCount)
        text.member("redirects", end.summary.redirectCount)
        text.member("seconds", seconds: timings.total)
        write("waits", timings.waits.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }, to: &text)
        let phases = TransferTimings.Phase.allCases.compactMap { phase in
            timings.phases[phase].map { (phase.rawValue, $0) }
        }
        write("phases", phases, to: &text)
    }

    private func write(_ change: RequestEvent.GovernorChange, to text: inout JSONText) {
        switch change {
        case .hold(let date, let status):
            text.member("change", "hold")
            text.member("until", EventText.date(date))
            text.member("status", status)
        case .rate(let perSecond):
            text.member("change", "rate")
            text.key("perSecond")
            text.seconds(perSecond)
        case .breakerOpened(let date):
            text.member("change", "breakerOpened")
            text.member("until", EventText.date(date))
        case .breakerHalfOpened: text.member("change", "breakerHalfOpened")
        case .breakerClosed: text.member("change", "breakerClosed")
        }
    }
}

extension RequestEvent.HopPhases {
    /// The phases that happened, in order, with the words that logs use.
    var byPhase: [(TransferTimings.Phase, Duration)] {
        let all: [(TransferTimings.Phase, Duration)] = [
            (.nameLookup, nameLookup), (.connect, connect), (.tls, tls), (.waiting, waiting), (.receiving, receiving),
        ]
        return all.filter { $0.1 > .zero }
    }
}
