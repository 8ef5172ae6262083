// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import TestSupport
import Testing

/// The resources that this process uses. Only useful in an exit test, because suites run in parallel.
enum ProcessUse {
    /// The processor time of all threads so far, in seconds.
    static var processorSeconds: Double {
        var usage = rusage()
        guard getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return .infinity }
        let times = [usage.ru_utime, usage.ru_stime]
        return times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// The resident memory (VmRSS), in KiB.
    static var residentKibibytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

/// Runs `count` new threads, each with a seeded generator, and waits up to 100 seconds for their ends.
func onThreads(
    _ count: Int, seed: UInt64, _ work: @escaping @Sendable (_ number: Int, _ random: inout SeededGenerator) -> Void
) async {
    let finished = Observed(0)
    for number in 0..<count {
        Thread.detachNewThread {
            var random = SeededGenerator(seed: seed &* 1000 &+ UInt64(number))
            work(number, &random)
            finished.increment()
        }
    }
    await finished.becomes(count, within: .seconds(100))
}
