// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The last heartbeat of a worker.
struct WorkerSign: Equatable {
    let number: Int
    /// Incremented with each heartbeat.
    let beat: Int
    /// How long the worker may be silent before it is lost, in seconds.
    let lease: Double
    /// The newest worker that this worker counts when it computes its share of the limits.
    let knownWorker: Int
}
