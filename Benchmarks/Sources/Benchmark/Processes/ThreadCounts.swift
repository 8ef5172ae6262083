// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// The threads of a process, over all the moments at which it was looked at.
struct ThreadCounts {
    /// The most at one moment.
    private(set) var maximum = 0
    /// Those besides the main thread and Dispatch's workers: the network thread, and whatever else a library starts.
    private(set) var ownCount = 0
    private var names: [pid_t: String] = [:]

    /// Takes in the names of a process's threads at one moment. A thread's latest name counts: it is born with its
    /// maker's.
    mutating func add(_ current: [pid_t: String], of process: pid_t) {
        maximum = max(maximum, current.count)
        names.merge(current) { $1 }
        ownCount = names.count { $0.key != process && !Self.isDispatchWorker($0.value) }
    }

    /// Dispatch names its workers after their root queue, such as `com.apple.root.default-qos.overcommit`; the last
    /// 15 bytes are kept.
    private static func isDispatchWorker(_ name: String) -> Bool {
        name.contains("-qos")
    }
}
