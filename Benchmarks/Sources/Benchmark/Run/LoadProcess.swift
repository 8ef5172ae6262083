// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import LoadClients

/// One client's part of one round in a process of its own: this executable again, with the subcommand `load`, which is
/// what `LoadDriver` is.
///
/// So each client's CPU time, memory and allocations are its own, and each round starts from nothing.
struct LoadProcess {
    let contender: Contender
    /// The options of `load`, besides the client.
    var arguments: [String]
    /// Whether its threads are counted while it runs, every other millisecond.
    var watchesThreads = false

    /// - Throws: a `BenchmarkError` when the client failed, an answer was wrong, it does not end, or a signal came.
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
