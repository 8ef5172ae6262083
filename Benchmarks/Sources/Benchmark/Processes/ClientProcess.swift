// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// Runs a client in a process of its own: this executable again, with the hidden subcommand `client`.
///
/// So that each client's CPU time and memory are its own, and each round starts from nothing.
struct ClientProcess {
    /// Whether its threads are counted while it runs, every other millisecond.
    let watchesThreads: Bool
    private static let limit = Duration.seconds(600)

    /// Runs one round.
    ///
    /// - Throws: when the client failed, does not end, or a signal came.
    func run(_ assignment: Assignment) throws -> Sample {
        let pipe = try OutputPipe()
        defer { pipe.closeReader() }
        let process = try start(assignment, pipe)
        var threads = ThreadCounts()
        let output: Data
        do {
            output = try read(pipe, of: process, counting: &threads)
        } catch {
            Spawning.end(process, with: SIGKILL)
            throw error
        }
        let (status, usage) = Spawning.wait(for: process)
        guard status == 0 else { throw failure(assignment, status) }
        return Sample(
            measured: try JSONDecoder().decode(Measurement.self, from: output), processCPUSeconds: usage.cpuSeconds,
            threads: watchesThreads ? threads : nil)
    }

    private func start(_ assignment: Assignment, _ pipe: OutputPipe) throws -> pid_t {
        defer { pipe.closeWriter() }
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let text = String(decoding: try JSONEncoder().encode(assignment), as: UTF8.self)
        return try Spawning.start([executable, ClientCommand.name, text], output: pipe.writer)
    }

    private func read(_ pipe: OutputPipe, of process: pid_t, counting threads: inout ThreadCounts) throws -> Data {
        let deadline = ContinuousClock.now + Self.limit
        return try pipe.readToEnd(every: watchesThreads ? 2 : 500) {
            try Interruption.check()
            if ContinuousClock.now > deadline { throw BenchmarkError("a client did not end within \(Self.limit)") }
            if watchesThreads { threads.add(ProcessFigures.threadNames(of: process), of: process) }
        }
    }

    private func failure(_ assignment: Assignment, _ status: CInt) -> any Error {
        do {
            try Interruption.check()
        } catch {
            return error
        }
        return BenchmarkError("\(assignment.client.title) failed with wait status \(status)")
    }
}
