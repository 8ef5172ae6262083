// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Determines how many processors the process may use, from its affinity and the quotas of its control groups.
///
/// In a container with a quota, the process sees all processors of its machine. A polling thread would use up the time
/// that the container's other threads need. All threads would then be throttled until the end of the period.
struct ProcessorQuota {
    /// Reads a kernel file; returns nil if the file does not exist.
    let read: (String) -> String?

    /// Returns the number of processors for this process, at least 1.
    static func processorCount() -> Int {
        let quota = ProcessorQuota { try? String(contentsOfFile: $0, encoding: .utf8) }
        return quota.processorCount(of: ProcessInfo.processInfo.activeProcessorCount)
    }

    /// Returns how many of the processors that the affinity permits may be used, rounded down, at least 1.
    func processorCount(of activeCount: Int) -> Int {
        let limits = groups.flatMap { group in Self.ancestors(of: group.path).map { limit(of: $0, group.version) } }
        let least = limits.compactMap { $0 }.min() ?? Double(activeCount)
        return max(1, min(activeCount, Int(min(least, 1e6))))
    }

    /// The control group hierarchy that a path belongs to (cgroups(7)).
    private enum Version { case one, two }

    /// The groups that may have a quota. /proc/self/cgroup has a line `number:controllers:path` for each hierarchy,
    /// and `0::path` for version 2.
    private var groups: [(path: String, version: Version)] {
        (read("/proc/self/cgroup") ?? "").split(separator: "\n").compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            if parts[1].isEmpty { return (String(parts[2]), .two) }
            return parts[1].split(separator: ",").contains("cpu") ? (String(parts[2]), .one) : nil
        }
    }

    /// Returns a group and all its ancestors, each of which may have a quota. In a container, the group's own path may
    /// be a path of the host, while the container's group is the root of the mounted hierarchy. The root is therefore
    /// always included.
    private static func ancestors(of path: String) -> [String] {
        var names = path.split(separator: "/")
        var paths: [String] = []
        while !names.isEmpty {
            paths.append("/" + names.joined(separator: "/"))
            names.removeLast()
        }
        return paths + [""]
    }

    /// Returns a group's quota in processors; nil without a quota.
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

    /// Returns quota divided by period; nil for `max` and -1, which mean no quota.
    private static func ratio(_ quota: String, _ period: String) -> Double? {
        guard let quota = Double(quota.trimmingCharacters(in: .whitespacesAndNewlines)), quota > 0,
            let period = Double(period.trimmingCharacters(in: .whitespacesAndNewlines)), period > 0
        else { return nil }
        return quota / period
    }
}
