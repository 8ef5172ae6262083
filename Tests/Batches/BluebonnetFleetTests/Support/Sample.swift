// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import Foundation

@testable import BluebonnetFleet

/// Values of the fleet, with defaults for what a test does not set.
enum Sample {
    static func line(
        _ position: Int, claim: Int = 1, batch: Int = 1, lane: String = "http://a",
        priority: RequestLine.Priority = .normal, kind: FleetLine.Kind = .safe, losses: Int = 0
    ) -> ClaimedLine {
        ClaimedLine(
            claim: claim, batch: batch, position: position, id: "\(position)", lane: lane, priority: priority,
            kind: kind, isRead: false, text: Data(), needs: [], lossCount: losses)
    }

    static func batch(
        _ number: Int, priority: Int = 0, lanes: [Int: String] = [0: "http://a"],
        _ change: (inout FleetSettings) -> Void = { _ in }
    ) -> OpenBatch {
        var settings = FleetSettings()
        change(&settings)
        return OpenBatch(
            number: number, name: "batch \(number)", priority: priority, hasEdges: false, keySeed: "seed",
            settings: settings, lanes: lanes)
    }

    static func ending(
        _ line: ClaimedLine, _ outcome: ResultLine.Outcome = .success, byteCount: Int = 1
    ) -> LineEnding {
        LineEnding(
            claim: line.claim, batch: line.batch, position: line.position, outcome: outcome, byteCount: byteCount,
            line: ResultLine(id: line.id, outcome: outcome).encodedLine().dropLast(), body: nil)
    }

    static func sign(_ number: Int, beat: Int = 0, lease: Double = 1, knows: Int = 0) -> WorkerSign {
        WorkerSign(number: number, beat: beat, lease: lease, knownWorker: knows)
    }
}
