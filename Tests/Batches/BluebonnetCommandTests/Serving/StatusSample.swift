// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import BluebonnetBatch
import BluebonnetFleet
import BluebonnetLocks
import BluebonnetServing
import Foundation

@testable import BluebonnetCommand

/// A state of a fleet with texts that HTML would interpret.
enum StatusSample {
    static let markup = #"<img src=x onerror=alert(1)> & "quotes" '</script>'"#

    static func document(readingNumber: Int = 1) -> StatusDocument {
        var document = StatusDocument(kind: "fleet")
        let now = Date()
        document.batches = [
            StatusDocument.ShownBatch(
                name: "nightly", state: "open", priority: 2, lineCount: 10_000,
                counts: [.success: 4_000 + readingNumber, .failure: 30, .unknown: 2, .skipped: 8], claimedCount: 64,
                byteCount: 123_456, created: now - 75, rate: 62.5),
            StatusDocument.ShownBatch(
                name: markup, state: "complete", lineCount: 3, counts: [.success: 3], claimedCount: 0, byteCount: 10,
                created: now - 7_200),
        ]
        document.batchCount = 2
        document.workers = [
            StatusDocument.Worker(
                name: markup + "w", version: "3", slotCount: 64, claimedCount: 64, endedCount: 4_040, secondsSilent: 1,
                started: now - 300),
            StatusDocument.Worker(
                name: "silent", version: "3", slotCount: 64, claimedCount: 0, endedCount: 0, secondsSilent: 95,
                started: now - 300),
        ]
        document.schedules = schedules(now)
        document.scheduleCount = 4
        document.details = document.batches.map { details(of: $0.name) }
        return document
    }

    private static func schedules(_ now: Date) -> [FleetSchedule] {
        func schedule(
            _ name: String, next: Double?, last: Double?, wasSkipped: Bool = false, batch: String? = nil,
            problem: String? = nil
        ) -> FleetSchedule {
            FleetSchedule(
                name: name, expression: "*/15 * * * *", timeZone: "Europe/Berlin", backfill: nil,
                skipsWhileRunning: true, isPaused: next == nil, nextTick: next.map { now + $0 },
                lastTick: last.map { now + $0 }, wasSkipped: wasSkipped, lastBatch: batch, problem: problem)
        }
        return [
            schedule(markup, next: 90, last: -840, batch: markup + "b"),
            schedule("paused", next: nil, last: nil),
            schedule("late", next: -210, last: -1_080, wasSkipped: true, batch: "old", problem: markup + "p"),
        ]
    }

    private static func details(of name: String) -> StatusDocument.Details {
        var details = StatusDocument.Details(name: name)
        details.origins = [
            StatusDocument.Origin(
                name: "https://api.example.com", lineCount: 9_000, readyCount: 1_001, secondsHeld: 12.5,
                limits: "200 requests per second"),
            StatusDocument.Origin(name: markup, lineCount: 1, readyCount: 0),
        ]
        details.waits = [
            LineWait(id: "login", count: 40, samples: ["a", "b", markup], isBlocked: false),
            LineWait(id: markup, count: 1, samples: ["c"], isBlocked: true),
        ]
        details.blockedCount = 41
        var failures = FailureGroups()
        failures.add(
            .shown(code: "unacceptableStatus", status: 503), count: 29,
            samples: [.init(id: markup, message: "answered " + markup)])
        failures.add(.shown(code: markup, status: nil), samples: [.init(id: "x", message: "no connection")])
        (details.failures, details.examinedCount) = (failures.groups, 4_040)
        return details
    }
}

/// A source that counts its readings.
final class CountingSource: StatusSource {
    private let starts = Mutex<[ContinuousClock.Instant]>([])
    private let failure: String?

    init(failure: String? = nil) { self.failure = failure }

    /// When each reading has begun.
    var readings: [ContinuousClock.Instant] { starts.withLock { $0 } }

    struct Failure: Error, CustomStringConvertible { let description: String }

    func read(details names: [String]) async throws -> StatusDocument {
        let count = starts.withLock { starts in
            starts.append(.now)
            return starts.count
        }
        if let failure { throw Failure(description: failure) }
        return StatusSample.document(readingNumber: count)
    }
}

/// A server of a status page on a free port.
func statusServer(_ source: any StatusSource) throws -> StatusServer {
    try StatusServer(ServeOptions.parse([]), on: ServingAddress(host: "127.0.0.1", port: 0), source)
}
