// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// The optimisations of the library that can be turned off, for the whole process.
///
/// `all` is on by default. The benchmark `tuning` measures what each part does and gains; the page <doc:Speed> lists
/// the results. Turn a part off if it does not suit the environment, or to find out whether it does:
///
/// ```swift
/// Tuning.current.remove(.busyPolling)
/// ```
///
/// Any thread. A change takes effect with the network thread's next turn.
public struct Tuning: OptionSet, Sendable {
    public let rawValue: Int

    /// Makes a set of parts from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The network thread polls its sockets for up to 0.2 ms before it sleeps, after a short sleep and with up to 16
    /// small responses outstanding: sleeping and waking takes longer than a nearby server takes to respond. Polling
    /// uses a processor for that time. The thread never polls if the process has fewer than two processors by its
    /// affinity (sched_setaffinity(2)) or by the quota of its control groups (cgroups(7), `cpu.max`).
    public static let busyPolling = Tuning(rawValue: 1 << 0)

    /// Requests that are written to one HTTP/2 connection in the same turn are sent in shared segments (TCP_CORK;
    /// tcp(7)).
    public static let corkedWrites = Tuning(rawValue: 1 << 1)

    /// An easy handle of libcurl is reused for later requests, and only the options that differ are set.
    public static let reusedHandles = Tuning(rawValue: 1 << 2)

    /// All parts.
    public static let all: Tuning = [.busyPolling, .corkedWrites, .reusedHandles]

    /// The parts that are on.
    public static var current: Tuning {
        get { Tuning(rawValue: bits.load(ordering: .relaxed)) }
        set { bits.store(newValue.rawValue, ordering: .relaxed) }
    }

    private static let bits = Atomic<Int>(all.rawValue)
}
