// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
package import Glibc

/// Figures that Linux provides about a process.
package enum ProcessFigures {
    /// The user and system time that all threads of this process have used, in seconds.
    package static var cpuSeconds: Double {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.cpuSeconds
    }

    /// Returns the peak resident memory of this process. Unlike `ru_maxrss`, it does not include memory from before
    /// exec.
    package static func peakResidentByteCount() throws -> Int64 {
        guard let count = peakResidentByteCount(at: "/proc/self/status") else {
            throw BenchmarkError("/proc/self/status does not tell the peak memory")
        }
        return count
    }

    /// Returns the peak resident memory of another process; nil if the process has ended.
    package static func peakResidentByteCount(of process: pid_t) -> Int64? {
        peakResidentByteCount(at: "/proc/\(process)/status")
    }

    private static func peakResidentByteCount(at path: String) -> Int64? {
        guard let status = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let words = line?.split(whereSeparator: \.isWhitespace), words.count == 3 else { return nil }
        return Int64(words[1]).map { $0 * 1024 }
    }

    /// The number of open descriptors of this process, without the descriptor that lists them.
    package static var descriptorCount: Int { entries(of: "/proc/self/fd").count - 1 }

    /// Returns the names of a process's threads, of which the kernel keeps 15 bytes; empty if the process has ended.
    package static func threadNames(of process: pid_t) -> [pid_t: String] {
        let folder = "/proc/\(process)/task"
        return entries(of: folder).reduce(into: [:]) { names, entry in
            guard let thread = pid_t(entry),
                let name = try? String(contentsOfFile: "\(folder)/\(entry)/comm", encoding: .utf8)
            else { return }
            names[thread] = name.trimmingCharacters(in: .newlines)
        }
    }

    private static func entries(of folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}

extension rusage {
    /// The user and system time, in seconds.
    package var cpuSeconds: Double {
        Double(ru_utime.tv_sec + ru_stime.tv_sec) + Double(ru_utime.tv_usec + ru_stime.tv_usec) / 1e6
    }
}
