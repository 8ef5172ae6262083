// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a worker has told of itself last.
struct WorkerSign: Equatable {
    let number: Int
    /// Grows with each sign.
    let beat: Int
    /// How long the worker may be silent, in seconds.
    let lease: Double
    /// The newest worker that it counts when it takes its share of limits.
    let knownWorker: Int
}
