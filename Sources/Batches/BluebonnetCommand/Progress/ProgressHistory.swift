// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// Computes the speed of a run from successive snapshots. A value type without its own clock.
struct ProgressHistory: Sendable {
    private var requests = RateEstimate()
    private var transfers: [ByteString: RateEstimate] = [:]

    /// Returns the reading of a snapshot taken `elapsed` seconds after the start.
    mutating func reading(
        of snapshot: RequestLineRunner.Snapshot, isTotalKnown: Bool, at elapsed: Double
    ) -> ProgressReading {
        requests.record(Double(snapshot.finishedCount), at: elapsed)
        var estimates: [ByteString: RateEstimate] = [:]
        for transfer in snapshot.largestTransfers {
            estimates[ByteString(transfer.id)] = transfers[ByteString(transfer.id)] ?? RateEstimate()
            estimates[ByteString(transfer.id)]?.record(Double(transfer.receivedByteCount), at: elapsed)
        }
        transfers = estimates
        return ProgressReading(
            finishedCount: snapshot.finishedCount, totalCount: snapshot.totalCount, isTotalKnown: isTotalKnown,
            failureCount: snapshot.failureCount, receivedByteCount: snapshot.receivedByteCount, elapsed: elapsed,
            requestsPerSecond: requests.perSecond,
            transfers: snapshot.largestTransfers.map { transfer in
                ProgressReading.Transfer(
                    id: transfer.id, receivedByteCount: transfer.receivedByteCount,
                    expectedByteCount: transfer.expectedByteCount < 0 ? nil : transfer.expectedByteCount,
                    bytesPerSecond: estimates[ByteString(transfer.id)]?.perSecond)
            },
            waitingRetryCount: snapshot.waitingRetryCount,
            heldOrigins: snapshot.heldOrigins.map { paused in
                ProgressReading.HeldOrigin(
                    origin: paused.origin, secondsLeft: paused.secondsLeft, waitingCount: paused.waitingCount)
            })
    }
}
