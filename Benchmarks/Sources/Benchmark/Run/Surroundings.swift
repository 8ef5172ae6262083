// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import LoadClients

/// What a run's figures depend on besides the code.
enum Surroundings {
    /// By name.
    static var facts: [String: String] {
        let information = ProcessInfo.processInfo
        let load = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        return [
            "date": ISO8601DateFormatter().string(from: Date()),
            "kernel": (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8))?
                .trimmingCharacters(in: .newlines) ?? "unknown",
            "libcurl": CurlLibrary.version,
            "load at the end": load?.split(separator: " ").prefix(3).joined(separator: " ") ?? "unknown",
            "processor": processor ?? "unknown",
            "processors": "\(information.activeProcessorCount)",
            "system": information.operatingSystemVersionString,
        ]
    }

    private static var processor: String? {
        let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
