// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// Counts the threads of a process over all observations.
struct ThreadCounts {
    /// The maximum number of threads in one observation.
    private(set) var maximum = 0
    /// The number of threads apart from the main thread and Dispatch's workers: the network thread, and other threads
    /// of libraries.
    private(set) var ownCount = 0
    private var names: [pid_t: String] = [:]

    /// Adds an observation of a process's threads by name. The latest name of a thread counts, because a new thread
    /// first has the name of its creator.
    mutating func add(_ current: [pid_t: String], of process: pid_t) {
        maximum = max(maximum, current.count)
        names.merge(current) { $1 }
        ownCount = names.count { $0.key != process && !Self.isDispatchWorker($0.value) }
    }

    /// Dispatch names its workers after their root queue, such as `com.apple.root.default-qos.overcommit`. The last 15
    /// bytes of a name are kept.
    private static func isDispatchWorker(_ name: String) -> Bool {
        name.contains("-qos")
    }
}
