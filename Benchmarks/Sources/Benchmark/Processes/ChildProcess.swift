// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Glibc
import LoadClients
import Processes

/// Runs a program to its end and tells what it wrote and used. It does not know what the program measures.
///
/// Whatever goes wrong, and also when a signal comes, the program is stopped by its id before the error is thrown.
struct ChildProcess {
    /// What a program came to.
    struct Outcome {
        let output: Data
        /// As `wait` has it: 0 is success.
        let status: CInt
        let cpuSeconds: Double
        /// From just before its start until its standard output was closed.
        let wallSeconds: Double
    }

    /// Its path and arguments.
    let words: [String]
    /// How long it may take.
    var limit = Duration.seconds(300)
    /// Milliseconds between two calls of `observe`.
    var interval: CInt = 500

    /// - Parameter observe: looks at the process while it runs.
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
