// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetFleet
import BluebonnetLocks
import Foundation

/// Provides the state that a status page shows.
protocol StatusSource: Sendable {
    /// Reads the state. Called once a second at most, never twice at the same time, and only while there are viewers.
    ///
    /// - Parameter names: the batches with details.
    func read(details names: [String]) async throws -> StatusDocument
}

/// The state of a fleet, from its store.
final class FleetStatusSource: StatusSource {
    private let reader: StatusReader
    private let rates = Mutex<[String: RateEstimate]>([:])
    private let start = ContinuousClock.now

    init(_ fleet: Fleet) { reader = StatusReader(store: fleet.store) }

    /// The number of statements that were sent for states.
    var statementCount: Int { get async { await reader.statementCount } }

    func read(details names: [String]) async throws -> StatusDocument {
        let status = try await reader.read(details: names)
        var document = StatusDocument(kind: "fleet")
        document.batches = batches(status.batches, at: (.now - start) / .seconds(1))
        document.batchCount = status.batchCount
        document.workers = status.members.map { member in
            StatusDocument.Worker(
                name: member.name, version: member.version, slotCount: member.slotCount,
                claimedCount: member.claimedCount, endedCount: member.endedCount, secondsSilent: member.secondsSilent,
                started: member.started)
        }
        (document.schedules, document.scheduleCount) = (status.schedules, status.scheduleCount)
        document.details = status.details.map(StatusDocument.Details.init)
        return document
    }

    private func batches(_ batches: [FleetBatch], at instant: Double) -> [StatusDocument.ShownBatch] {
        rates.withLock { rates in
            var kept: [String: RateEstimate] = [:]
            let shown = batches.map { batch in
                var rate = rates[batch.name] ?? RateEstimate(memory: 10)
                rate.record(Double(batch.endedCount), at: instant)
                kept[batch.name] = rate
                return StatusDocument.ShownBatch(
                    name: batch.name,
                    state: batch.state == .open && batch.isComplete ? "complete" : batch.state.rawValue,
                    priority: batch.priority, lineCount: batch.lineCount, counts: batch.counts,
                    claimedCount: batch.claimedCount, byteCount: batch.byteCount, created: batch.created,
                    // Lines that run again make the count fall.
                    rate: rate.perSecond.map { max(0, $0) })
            }
            rates = kept
            return shown
        }
    }
}

extension StatusDocument.Details {
    fileprivate init(_ details: FleetStatus.Details) {
        let limits = [
            details.settings?.maximumConcurrentTransferCountPerOrigin.map {
                "\(Quantity.count($0, "transfer")) at once"
            },
            details.settings?.rateLimitPerOrigin.map { rate in
                let words = [1.0: "second", 60: "minute", 3_600: "hour"]
                let seconds = rate.period / .seconds(1)
                return "\(Quantity.count(rate.count, "request")) per \(words[seconds] ?? Quantity.duration(seconds))"
            },
        ].compactMap(\.self).joined(separator: ", ")
        self.init(
            name: details.name,
            origins: details.origins.map { origin in
                StatusDocument.Origin(
                    name: origin.origin, lineCount: origin.lineCount, readyCount: origin.readyCount,
                    secondsHeld: origin.secondsHeld, limits: limits)
            },
            waits: details.waits, blockedCount: details.blockedCount, failures: details.failures,
            examinedCount: details.examinedCount)
    }
}
