// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

@testable import BluebonnetBatch
@testable import BluebonnetCommand

/// Makes lists of events, as monitors would receive them.
struct EventScript {
    /// 2026-11-28T09:00:00Z.
    static let start = Date(timeIntervalSince1970: 1_795_856_400)
    private(set) var events: [RequestEvent] = []
    private var hops: [Int: Int] = [:]

    /// Adds an event at a number of milliseconds after the start.
    mutating func add(
        _ milliseconds: Double, _ operation: Int?, _ kind: RequestEvent.Kind, attempt: Int = 1,
        origin: String? = "http://a.test:80"
    ) {
        if case .hopBegan = kind, let operation { hops[operation, default: 0] += 1 }
        let instant = 5_000_000_000 + UInt64(milliseconds * 1_000_000)
        let hop = operation.flatMap { hops[$0] } ?? 0
        events.append(
            RequestEvent(
                operation: operation, name: operation.map { "line\($0)" }, attempt: hop == 0 ? 0 : attempt, hop: hop,
                origin: hop == 0 && operation != nil ? nil : origin, instant: instant,
                date: Self.start.addingTimeInterval(milliseconds / 1000), kind))
    }

    /// Adds a hop of 10 ms: 1 ms look-up, 1 ms connect, 2 ms TLS, 4 ms waiting, 2 ms receiving.
    mutating func addHop(
        _ begin: Double, _ operation: Int, method: String = "GET", url: String = "http://a.test/",
        headers: [(name: String, value: String)] = [], status: Int = 200,
        responseHeaders: [(name: String, value: String)] = [], reason: RequestEvent.HopEnd.Reason = .complete,
        attempt: Int = 1, origin: String = "http://a.test:80"
    ) {
        let head = RequestEvent.HopRequestHead(method: method, url: url, headers: headers)
        add(begin, operation, .hopBegan(head), attempt: attempt, origin: origin)
        let connection = RequestEvent.ConnectionInformation(number: 3, peerAddress: "127.0.0.1", peerPort: 80)
        let use = RequestEvent.ConnectionUse(connection, isReused: false)
        add(begin + 4, operation, .connectionAcquired(use), attempt: attempt, origin: origin)
        let response = RequestEvent.HopResponseHead(statusCode: status, headers: responseHeaders)
        add(begin + 8, operation, .responseHead(response), attempt: attempt, origin: origin)
        let phases = RequestEvent.HopPhases(
            nameLookup: .milliseconds(1), connect: .milliseconds(1), tls: .milliseconds(2), waiting: .milliseconds(4),
            receiving: .milliseconds(2))
        let end = RequestEvent.HopEnd(reason, statusCode: status, receivedByteCount: 100, phases: phases)
        add(begin + 10, operation, .hopEnded(end), attempt: attempt, origin: origin)
    }

    /// Adds an operation with one hop: queued, 5 ms in the slot queue, a hop of 10 ms.
    mutating func addOperation(_ begin: Double, _ operation: Int, origin: String = "http://a.test:80") {
        add(begin, operation, .queued(.slot(limit: 6)))
        add(begin + 5, operation, .admitted)
        addHop(begin + 5, operation, url: origin + "/", origin: origin)
        add(begin + 16, operation, .finished(Self.end(waits: [.slot: 5], phases: [.waiting: 4, .receiving: 2])))
    }

    /// Returns the end of an operation with these times in milliseconds.
    static func end(
        waits: [WaitReason.Kind: Double] = [:], phases: [TransferTimings.Phase: Double] = [:],
        error: NetworkingError.Code? = nil
    ) -> RequestEvent.OperationEnd {
        var summary = TransferSummary()
        for (kind, time) in waits { summary.timings.nanoseconds.shares.add(UInt64(time * 1e6), to: .wait(kind)) }
        for (phase, time) in phases { summary.timings.nanoseconds.shares.add(UInt64(time * 1e6), to: .phase(phase)) }
        summary.timings.nanoseconds.total = summary.timings.nanoseconds.shares.total
        return RequestEvent.OperationEnd(errorCode: error, statusCode: error == nil ? 200 : nil, summary: summary)
    }

    /// Three operations: a redirect, a retry after status 503, and a failure.
    static var mixed: EventScript {
        var script = EventScript()
        script.add(0, 1, .queued(nil))
        script.addHop(2, 1, url: "http://a.test/old", status: 302, responseHeaders: [("Location", "/new")])
        script.add(12, 1, .redirectDecided(status: 302, target: "http://a.test/new"))
        script.addHop(13, 1, url: "http://a.test/new")
        script.add(24, 1, .finished(end(phases: [.waiting: 8])))
        script.add(1, 2, .queued(.slot(limit: 1)))
        script.addHop(24, 2, status: 503)
        script.add(34, 2, .waitBegan(.backoff(attempt: 2, until: start)))
        script.add(50, 2, .waitEnded(.backoff))
        script.addHop(50, 2, attempt: 2)
        script.add(61, 2, .finished(end(waits: [.backoff: 16, .slot: 23])))
        script.add(2, 3, .queued(nil))
        script.addHop(3, 3, reason: .failed(.connectionLost))
        script.add(14, 3, .finished(end(error: .connectionLost)))
        return script
    }
}

extension JSONValue {
    init(parsing text: String) throws { try self.init(parsing: Data(text.utf8)) }
}
