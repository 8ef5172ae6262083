// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The last sign of a worker.
struct WorkerSign: Equatable {
    let number: Int
    /// Grows with each sign.
    let beat: Int
    /// How long the worker may be silent, in seconds.
    let lease: Double
    /// The newest worker that it counts when it takes its share of limits.
    let knownWorker: Int
}
