// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import FaultKit

/// The memory in use over time.
struct SoakMemory {
    private var samples: [(seconds: Double, mebibytes: Double)] = []

    mutating func sample(at seconds: Double) {
        samples.append((seconds, Double(MemoryUse.residentByteCount) / 1_048_576))
    }

    /// The last sample in MiB.
    var last: Double { samples.last?.mebibytes ?? 0 }

    /// The slope of the line through all samples from `start` on (least squares), in MiB per ten minutes.
    func slope(from start: Double) -> Double {
        let used = samples.filter { $0.seconds >= start }
        guard used.count > 2 else { return 0 }
        let count = Double(used.count)
        let (meanTime, mean) = (used.map(\.seconds).reduce(0, +) / count, used.map(\.mebibytes).reduce(0, +) / count)
        let products = used.map { ($0.seconds - meanTime) * ($0.mebibytes - mean) }.reduce(0, +)
        let squares = used.map { ($0.seconds - meanTime) * ($0.seconds - meanTime) }.reduce(0, +)
        return squares == 0 ? 0 : products / squares * 600
    }

    /// The growth in MiB from `start` to the last sample.
    func growth(from start: Double) -> Double { last - (samples.first { $0.seconds >= start }?.mebibytes ?? last) }
}
