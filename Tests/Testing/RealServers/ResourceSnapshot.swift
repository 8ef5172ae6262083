// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// The descriptors and threads of this process at one moment. Two snapshots show what a test left behind.
///
/// Take the first snapshot after everything that starts once and stays: the servers' thread, the certificates.
public struct ResourceSnapshot: Sendable, Equatable {
    /// The target of each open descriptor, by its number: a path, or "socket:[…]", "pipe:[…]", "anon_inode:[…]".
    /// Timer descriptors are left out: Dispatch creates one for each of its clocks when something first waits for
    /// that clock, and keeps it. Waiting for the process to settle can be that first wait.
    public var descriptors: [Int: String]
    /// The name of each thread, by its id. Dispatch's shared workers are left out, because they come and go.
    public var threads: [Int: String]

    /// The number of open descriptors.
    public var descriptorCount: Int { descriptors.count }

    /// The number of threads.
    public var threadCount: Int { threads.count }

    /// Returns a snapshot of the process.
    public static func current() -> ResourceSnapshot {
        ResourceSnapshot(
            descriptors: entries(of: "/proc/self/fd") { path in
                let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
                // Listing the folder opens a descriptor, too.
                return link.flatMap {
                    $0.hasPrefix("/proc/") && $0.hasSuffix("/fd") || $0.hasSuffix("[timerfd]") ? nil : $0
                }
            },
            threads: entries(of: "/proc/self/task") { path in
                let name = try? String(contentsOfFile: path + "/comm", encoding: .utf8)
                return name.flatMap { $0.contains("-qos") ? nil : $0.trimmingCharacters(in: .newlines) }
            })
    }

    /// Descriptors and threads that an earlier snapshot did not have, one line each. Empty if neither count is
    /// higher.
    public func growth(since earlier: ResourceSnapshot) -> [String] {
        var lines: [String] = []
        if descriptorCount > earlier.descriptorCount {
            let new = descriptors.filter { earlier.descriptors[$0.key] != $0.value }.sorted { $0.key < $1.key }
            lines += new.map { "descriptor \($0.key): \($0.value)" }
        }
        if threadCount > earlier.threadCount {
            let new = threads.filter { earlier.threads[$0.key] == nil }.sorted { $0.key < $1.key }
            lines += new.map { "thread \($0.key): \($0.value)" }
        }
        return lines
    }

    /// Waits, for a bounded time, until the process has at most as many descriptors and threads as in an earlier
    /// snapshot. Returns the remaining growth, which is empty if the process settled.
    public static func growthAfterSettling(
        to earlier: ResourceSnapshot, within limit: Duration = .seconds(10)
    ) async -> [String] {
        await Polling.lastValue(of: current().growth(since: earlier), within: limit) { $0.isEmpty }
    }

    /// Whether, within a bounded time, the process has at most as many descriptors and threads as in an earlier
    /// snapshot.
    public static func settles(to earlier: ResourceSnapshot, within limit: Duration = .seconds(10)) async -> Bool {
        await growthAfterSettling(to: earlier, within: limit).isEmpty
    }

    private static func entries(of folder: String, _ describe: (String) -> String?) -> [Int: String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.reduce(into: [:]) { found, name in
            if let number = Int(name) { found[number] = describe("\(folder)/\(name)") }
        }
    }
}
