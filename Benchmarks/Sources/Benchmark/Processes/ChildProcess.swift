// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Glibc
import LoadClients
import Processes

/// Runs a program to its end. Returns its output and its resource usage, and knows nothing of the measurement.
///
/// In case of an error or a signal, the program is stopped by its id before the error is thrown.
struct ChildProcess {
    /// The outcome of a program.
    struct Outcome {
        let output: Data
        /// The status that `wait` reports: 0 is success.
        let status: CInt
        let cpuSeconds: Double
        /// The time from just before the start until the program closed its standard output, in seconds.
        let wallSeconds: Double
    }

    /// The path and the arguments of the program.
    let words: [String]
    /// The time limit.
    var limit = Duration.seconds(300)
    /// The time between two calls of `observe`, in milliseconds.
    var interval: CInt = 500

    /// - Parameter observe: called with the process id while the program runs.
    func run(observe: (pid_t) -> Void = { _ in }) throws -> Outcome {
        let pipe = try OutputPipe()
        defer { pipe.closeReader() }
        let began = ContinuousClock.now
        let process = try start(pipe)
        let output: Data
        do {
            output = try read(pipe, of: process, observe)
        } catch {
            Spawning.interrupt(process)
            throw error
        }
        let wall = (ContinuousClock.now - began) / .seconds(1)
        let (status, usage) = Spawning.wait(for: process)
        try Interruption.check()
        return Outcome(output: output, status: status, cpuSeconds: usage.cpuSeconds, wallSeconds: wall)
    }

    private func start(_ pipe: OutputPipe) throws -> pid_t {
        defer { pipe.closeWriter() }
        return try Spawning.start(words, output: pipe.writer)
    }

    private func read(_ pipe: OutputPipe, of process: pid_t, _ observe: (pid_t) -> Void) throws -> Data {
        let deadline = ContinuousClock.now + limit
        return try pipe.readToEnd(every: interval) {
            try Interruption.check()
            if ContinuousClock.now > deadline { throw BenchmarkError("\(words[0]) did not end within \(limit)") }
            observe(process)
        }
    }
}
