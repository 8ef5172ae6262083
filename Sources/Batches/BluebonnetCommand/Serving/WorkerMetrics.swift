// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetFleet
internal import BluebonnetServing
import Foundation

/// Writes the figures of a worker as a page of metrics. A value.
struct WorkerMetrics {
    let figures: WorkerFigures
    let slotCount: Int
    /// Whether the worker has a connection to the store.
    let isConnected: Bool
    let now: ContinuousClock.Instant

    /// Appends the families about the worker.
    func write(to text: inout OpenMetricsText) {
        writeLines(to: &text)
        writeOrigins(to: &text)
        writeStore(to: &text)
        text.begin("bluebonnet_build", .info, help: "The version of the program.")
        text.info([("version", LibraryVersion.text)])
    }

    private func writeLines(to text: inout OpenMetricsText) {
        text.begin("bluebonnet_fleet_lines", .counter, help: "Lines that have ended on this worker.")
        for outcome in ResultLine.Outcome.allCases {
            text.count(figures.endedCounts[outcome] ?? 0, [("outcome", outcome.rawValue)])
        }
        text.begin(
            "bluebonnet_fleet_lines_refused", .counter,
            help: "Ended lines whose outcomes the store refused, because other workers had got the lines.")
        text.count(figures.refusedCount)
        text.begin("bluebonnet_fleet_lines_claimed", .counter, help: "Lines that this worker has claimed.")
        text.count(figures.claimedCount)
        gauge("bluebonnet_fleet_lines_in_flight", "Lines whose requests are running.", figures.inFlightCount, &text)
        gauge("bluebonnet_fleet_lines_held", "Lines in this worker's claims.", figures.lineCount, &text)
        gauge("bluebonnet_fleet_claims", "Claims of this worker.", figures.claimCount, &text)
        gauge(
            "bluebonnet_fleet_lines_unrecorded", "Outcomes that are not recorded yet.", figures.unrecordedCount, &text)
        gauge("bluebonnet_fleet_slots", "Transfers that may run at once.", slotCount, &text)
        gauge("bluebonnet_fleet_draining", "1 if the worker starts no more lines.", figures.isDraining ? 1 : 0, &text)
    }

    private func writeOrigins(to text: inout OpenMetricsText) {
        text.begin(
            "bluebonnet_fleet_origin_hold_seconds", .gauge, unit: "seconds",
            help: "Seconds until requests to an origin continue. Absent without a pause.")
        for origin in figures.origins {
            guard let end = origin.pauseEnd, end > now else { continue }
            text.add((end - now) / .seconds(1), [("origin", origin.origin)])
        }
        text.begin(
            "bluebonnet_fleet_origin_rate_limit", .gauge,
            help: "This worker's share of the requests in a second to an origin. Absent without a limit.")
        for origin in figures.origins {
            if let rate = origin.rate { text.add(rate, [("origin", origin.origin)]) }
        }
        text.begin(
            "bluebonnet_fleet_origin_transfer_limit", .gauge,
            help: "This worker's share of the concurrent transfers to an origin. Absent without a limit.")
        for origin in figures.origins {
            if let count = origin.transferCount { text.add(count, [("origin", origin.origin)]) }
        }
    }

    private func writeStore(to text: inout OpenMetricsText) {
        gauge("bluebonnet_fleet_store_up", "1 if there is a connection to the store.", isConnected ? 1 : 0, &text)
        text.begin(
            "bluebonnet_fleet_store_silence_seconds", .gauge, unit: "seconds",
            help: "Seconds since the store's last answer. Absent before the first one.")
        if let answer = figures.lastAnswer { text.add((now - answer) / .seconds(1)) }
        text.begin(
            "bluebonnet_fleet_store_statement_duration_seconds", .histogram, unit: "seconds",
            help: "The time until the store had answered a statement.")
        let times = figures.statements
        text.add(
            MetricHistogram(
                bounds: StatementTimes.bounds, counts: times.counts, count: times.count, sum: times.sum))
    }

    private func gauge(_ name: String, _ help: String, _ value: Int, _ text: inout OpenMetricsText) {
        text.begin(name, .gauge, help: help)
        text.add(value)
    }
}

/// Decides whether a worker is healthy. A value.
struct WorkerHealth: Equatable {
    /// Why the worker is not healthy; nil if it is.
    let reason: String?

    /// - Parameters:
    ///   - problem: why there is no connection to the store; nil while there is one.
    ///   - lease: how long the store may be silent.
    init(
        figures: WorkerFigures, problem: String?, isStopping: Bool, lease: Duration, now: ContinuousClock.Instant
    ) {
        if isStopping || figures.isDraining {
            reason = "draining: the worker starts no more lines"
        } else if let problem {
            reason = "no connection to the store: \(problem)"
        } else if let answer = figures.lastAnswer {
            let silence = now - answer
            let seconds = Int((silence / .seconds(1)).rounded())
            reason = silence < lease ? nil : "the store has not answered for \(seconds) s"
        } else {
            reason = "not connected to the store yet"
        }
    }
}
