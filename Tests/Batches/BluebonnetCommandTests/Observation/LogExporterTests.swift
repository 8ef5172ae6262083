// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct LogExporterTests {
    private func lines(_ script: EventScript) throws -> [JSONValue] {
        var exporter = LogExporter()
        return try exporter.file(script.events).split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }

    /// One event of each kind, and the members of its line that only this kind has.
    private static let kinds: [(RequestEvent.Kind, [String])] = [
        (.queued(nil), []), (.queued(.slot(limit: 6)), ["text", "wait"]), (.admitted, []),
        (.waitBegan(.backoff(attempt: 2, until: EventScript.start)), ["text", "until", "wait"]),
        (.waitEnded(.slot), ["wait"]), (.paused, []), (.resumed, []), (.cacheAnswered(.hit), ["answer"]),
        (.hopBegan(.init(method: "GET", url: "http://a.test/")), ["bytes", "headers", "method", "url"]),
        (.nameLookedUp(.milliseconds(1)), ["seconds"]), (.connected(.milliseconds(1)), ["seconds"]),
        (
            .connectionAcquired(.init(.init(number: 1), isReused: true, idleTime: .seconds(1))),
            ["address", "connection", "idle", "port", "reused"]
        ),
        (.requestHeadSent, []), (.requestBodySent(byteCount: 1), ["bytes"]),
        (.responseBodyReceived(byteCount: 1, decodedByteCount: 2), ["bytes", "decoded"]),
        (.firstByte(.milliseconds(1)), ["seconds"]),
        (.responseHead(.init(statusCode: 200)), ["headers", "status", "version"]),
        (
            .bodyProgress(.init(.received, byteCount: 1, expectedByteCount: 2)), ["bytes", "direction", "expected"]
        ),
        (.hopEnded(.init(.complete, statusCode: 200)), ["phases", "reason", "received", "sent", "status"]),
        (.hopEnded(.init(.failed(.timedOut))), ["error", "phases", "reason", "received", "sent"]),
        (.redirectDecided(status: 302, target: "http://a.test/"), ["status", "target"]),
        (.challengeAnswered(status: 401), ["status"]),
        (
            .retryDecided(.retry(after: .seconds(1), rule: .backoff, .init(code: .timedOut))),
            ["certainlyNotProcessed", "error", "retry", "rule", "seconds"]
        ),
        (
            .retryDecided(.stop(.unsafeMethod, .init(code: .unacceptableStatus, statusCode: 503))),
            ["certainlyNotProcessed", "error", "reason", "retry", "status"]
        ),
        (
            .finished(EventScript.end(error: .timedOut)),
            ["error", "phases", "received", "redirects", "seconds", "transfers", "waits"]
        ),
        (.governorChanged(.hold(until: EventScript.start, status: 429)), ["change", "status", "until"]),
        (.governorChanged(.rate(perSecond: 2)), ["change", "perSecond"]),
        (.governorChanged(.breakerClosed), ["change"]),
        (.connectionOpened(.init(number: 1)), ["address", "connection", "port"]),
        (.connectionIdle(.init(number: 1)), ["address", "connection", "port"]),
        (.connectionClosed(.init(number: 1), .idle), ["address", "connection", "port", "reason"]),
        (.eventsDropped(3), ["count"]),
    ]

    @Test func everyKindOfEventHasItsMembers() throws {
        for (kind, members) in Self.kinds {
            var script = EventScript()
            script.add(1, 7, kind)
            let line = try #require(try lines(script).first?.object)
            let common = ["time", "instant", "event", "operation", "line", "attempt", "hop", "origin"]
            #expect(line.names.filter { !common.contains($0) } == members, "\(kind)")
            #expect(line["event"]?.string == kind.word && line["operation"] == 7 && line["line"] == "line7")
            #expect(line["time"] == "2026-11-28T09:00:00.001000Z" && line["instant"] == 5_001_000_000)
        }
    }

    @Test func eventWithoutAnOperationHasNoMembersOfOne() throws {
        var script = EventScript()
        script.add(0, nil, .governorChanged(.breakerHalfOpened))
        let line = try #require(try lines(script).first?.object)
        #expect(line.names == ["change", "event", "instant", "origin", "time"])
    }

    @Test func finishedHasTheTimeOfEachWaitAndPhase() throws {
        var script = EventScript()
        script.add(0, 1, .finished(EventScript.end(waits: [.slot: 5, .backoff: 2], phases: [.waiting: 4])))
        let line = try #require(try lines(script).first)
        #expect(line["waits"] == ["backoff": 0.002, "slot": 0.005] && line["phases"] == ["waiting": 0.004])
        #expect(line["seconds"] == 0.011)
    }

    @Test func dateIsWrittenInUTC() {
        let date = { (seconds: Double) in EventText.date(Date(timeIntervalSince1970: seconds)) }
        #expect(date(0) == "1970-01-01T00:00:00.000000Z")
        #expect(date(951_826_554.5) == "2000-02-29T12:15:54.500000Z")
        #expect(date(-1) == "1969-12-31T23:59:59.000000Z")
        for day in stride(from: -40_000.0, to: 80_000, by: 37) {
            let date = Date(timeIntervalSince1970: day * 86_400)
            #expect(EventText.date(date).prefix(10) == date.formatted(.iso8601.year().month().day()))
        }
    }
}
