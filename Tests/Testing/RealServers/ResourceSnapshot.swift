// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation

/// The descriptors and threads that this process has at one moment, to see what a test left behind.
///
/// Take the first one after whatever starts once and stays: the servers' thread, the certificates.
public struct ResourceSnapshot: Sendable, Equatable {
    /// What each open descriptor refers to, by its number: a path, or "socket:[…]", "pipe:[…]", "anon_inode:[…]". Timer
    /// descriptors are left out: Dispatch makes one for each of its clocks when something first waits for it, be it who
    /// waits for the process to settle, and keeps it.
    public var descriptors: [Int: String]
    /// The name of each thread, by its id. Dispatch's shared workers are left out, because they come and go.
    public var threads: [Int: String]

    /// How many descriptors are open.
    public var descriptorCount: Int { descriptors.count }

    /// How many threads there are.
    public var threadCount: Int { threads.count }

    /// What the process has now.
    public static func take() -> ResourceSnapshot {
        ResourceSnapshot(
            descriptors: entries(of: "/proc/self/fd") { path in
                let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
                // Listing the folder opens a descriptor of its own.
                return link.flatMap {
                    $0.hasPrefix("/proc/") && $0.hasSuffix("/fd") || $0.hasSuffix("[timerfd]") ? nil : $0
                }
            },
            threads: entries(of: "/proc/self/task") { path in
                let name = try? String(contentsOfFile: path + "/comm", encoding: .utf8)
                return name.flatMap { $0.contains("-qos") ? nil : $0.trimmingCharacters(in: .newlines) }
            })
    }

    /// What is here and was not in an earlier snapshot, a line for each. Empty if both counts are no higher.
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

    /// Waits, for a bounded time, until the process has no more descriptors and threads than in an earlier snapshot.
    /// Returns what it still has more: nothing, if it settled.
    public static func growthAfterSettling(
        to earlier: ResourceSnapshot, within limit: Duration = .seconds(10)
    ) async -> [String] {
        await Polling.lastValue(of: take().growth(since: earlier), within: limit) { $0.isEmpty }
    }

    /// Whether, within a bounded time, the process has no more descriptors and threads than in an earlier snapshot.
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
