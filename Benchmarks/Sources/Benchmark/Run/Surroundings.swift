// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import LoadClients

/// The conditions, apart from the code, that affect a run's figures.
enum Surroundings {
    /// The facts by name.
    static var facts: [String: String] {
        let information = ProcessInfo.processInfo
        let load = line(of: "/proc/loadavg")
        return [
            "congestion control": congestionControl ?? "unknown",
            "date": ISO8601DateFormatter().string(from: Date()),
            "kernel": line(of: "/proc/sys/kernel/osrelease") ?? "unknown",
            "libcurl": CurlLibrary.version,
            "load at the end": load?.split(separator: " ").prefix(3).joined(separator: " ") ?? "unknown",
            "processor": processor ?? "unknown",
            "processors": "\(information.activeProcessorCount)",
            "system": information.operatingSystemVersionString,
        ]
    }

    /// A warning about conditions that make figures of large bodies less meaningful, with a remedy; nil if there are
    /// none.
    static var warning: String? {
        guard congestionControl == "bbr" else { return nil }
        return """
            TCP's congestion control is bbr, which holds the server's large bodies back, also on loopback: no client can \
            be faster than it lets them come. In a network namespace of its own, Benchmark can have another one:
            sudo unshare --net sh -c 'ip link set lo up && sysctl -w net.ipv4.tcp_congestion_control=reno && \
            Benchmarks/.build/release/Benchmark'
            """
    }

    private static var congestionControl: String? { line(of: "/proc/sys/net/ipv4/tcp_congestion_control") }

    private static func line(of path: String) -> String? {
        (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .newlines)
    }

    private static var processor: String? {
        let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
