// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// What a client process measured of itself.
struct Measurement: Codable {
    var requestCount: Int
    var byteCount: Int64
    /// How long the measured part took.
    var wallSeconds: Double
    /// User and system time of all threads in the measured part.
    var cpuSeconds: Double
    /// The most memory that the process had resident (VmHWM), warm-up included.
    var peakResidentByteCount: Int64
    /// Descriptors, all connections closed, before and after the measured part.
    var descriptorCountBefore: Int?
    var descriptorCountAfter: Int?
}

extension Assignment {
    /// Does the work in this process and measures it.
    func carryOut() throws -> Measurement {
        let client = try client.makeClient(concurrency: concurrency)
        try client.run(warmUp)
        let before = descriptorCount(client)
        let (start, cpuStart) = (ContinuousClock.now, ProcessFigures.cpuSeconds)
        try client.run(work)
        let (wall, cpu) = (ContinuousClock.now - start, ProcessFigures.cpuSeconds - cpuStart)
        return Measurement(
            requestCount: work.requestCount, byteCount: work.byteCount * Int64(work.requestCount),
            wallSeconds: wall / .seconds(1), cpuSeconds: cpu,
            peakResidentByteCount: try ProcessFigures.peakResidentByteCount(),
            descriptorCountBefore: before, descriptorCountAfter: descriptorCount(client))
    }

    private func descriptorCount(_ client: any Client) -> Int? {
        guard countsDescriptors else { return nil }
        client.closeIdleConnections()
        return ProcessFigures.descriptorCount
    }
}
