// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import LoadClients

/// Runs one client's part of one round in a separate process: this executable with the subcommand `load`, which is the
/// same as `LoadDriver`.
///
/// So CPU time, memory and allocations are measured per client, and no state is left from earlier rounds.
struct LoadProcess {
    let contender: Contender
    /// The options of `load`, apart from the client.
    var arguments: [String]
    /// Whether the process's threads are counted while it runs, every 2 ms.
    var watchesThreads = false

    /// - Throws: a `BenchmarkError`, if the client failed, an answer was wrong, the process does not end, or a signal
    ///   came.
    func run() throws -> (measurement: Measured, threads: ThreadCounts) {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var threads = ThreadCounts()
        var process = ChildProcess(words: [executable, "load", "--client", contender.rawValue] + arguments)
        let outcome: ChildProcess.Outcome
        if watchesThreads {
            process.interval = 2
            outcome = try process.run { id in threads.add(ProcessFigures.threadNames(of: id), of: id) }
        } else {
            outcome = try process.run { _ in }
        }
        guard let measurement = try? JSONDecoder().decode(Measured.self, from: outcome.output) else {
            throw BenchmarkError("\(contender.title) failed with wait status \(outcome.status)")
        }
        if measurement.errorCount > 0 {
            let first = measurement.firstError ?? "no reason"
            throw BenchmarkError("\(contender.title): \(measurement.errorCount) errors, the first: \(first)")
        }
        return (measurement, threads)
    }
}
