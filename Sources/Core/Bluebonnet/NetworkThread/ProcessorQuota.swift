// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// How many processors the process may use: by its affinity, and by the quota of the control groups that it is in.
///
/// A container with a quota sees all processors of its machine. A thread that polls there uses up the time that the
/// container's other threads need, and then all of them stand still until the period is over.
struct ProcessorQuota {
    /// Reads a file of the kernel's; nil when there is none.
    let read: (String) -> String?

    /// The processors of this process, at least 1.
    static func processorCount() -> Int {
        let quota = ProcessorQuota { try? String(contentsOfFile: $0, encoding: .utf8) }
        return quota.processorCount(of: ProcessInfo.processInfo.activeProcessorCount)
    }

    /// The processors that may be used of those that the affinity allows, rounded down, at least 1.
    func processorCount(of activeCount: Int) -> Int {
        let limits = groups.flatMap { group in Self.ancestors(of: group.path).map { limit(of: $0, group.version) } }
        let least = limits.compactMap { $0 }.min() ?? Double(activeCount)
        return max(1, min(activeCount, Int(min(least, 1e6))))
    }

    /// Which hierarchy of control groups a path is in (cgroups(7)).
    private enum Version { case one, two }

    /// The groups that may have a quota: /proc/self/cgroup has a line `number:controllers:path` for each hierarchy,
    /// `0::path` for version 2.
    private var groups: [(path: String, version: Version)] {
        (read("/proc/self/cgroup") ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            if parts[1].isEmpty { return (String(parts[2]), .two) }
            return parts[1].split(separator: ",").contains("cpu") ? (String(parts[2]), .one) : nil
        }
    }

    /// A group and all those above: each may have a quota. In a container the own path may be one of the host's, while
    /// the container's group is the root of what is mounted: the root is always among them.
    private static func ancestors(of path: String) -> [String] {
        var names = path.split(separator: "/")
        var paths: [String] = []
        while !names.isEmpty {
            paths.append("/" + names.joined(separator: "/"))
            names.removeLast()
        }
        return paths + [""]
    }

    /// A group's quota in processors; nil without one.
    private func limit(of path: String, _ version: Version) -> Double? {
        switch version {
        case .two:
            let words = read("/sys/fs/cgroup\(path)/cpu.max")?.split(whereSeparator: \.isWhitespace)
            guard let words, words.count == 2 else { return nil }
            return Self.ratio(String(words[0]), String(words[1]))
        case .one:
            for folder in ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"] {
                guard let quota = read("\(folder)\(path)/cpu.cfs_quota_us"),
                    let period = read("\(folder)\(path)/cpu.cfs_period_us")
                else { continue }
                return Self.ratio(quota, period)
            }
            return nil
        }
    }

    /// `max` and -1 are no quota.
    private static func ratio(_ quota: String, _ period: String) -> Double? {
        guard let quota = Double(quota.trimmingCharacters(in: .whitespacesAndNewlines)), quota > 0,
            let period = Double(period.trimmingCharacters(in: .whitespacesAndNewlines)), period > 0
        else { return nil }
        return quota / period
    }
}
