// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser

/// The executable.
@main
struct Benchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmark",
        abstract: "Measures Bluebonnet beside libcurl used from C, against an nginx on this machine.",
        discussion: """
            Build and run it in release, from the folder of the repository:

              swift run -c release --package-path Benchmarks Benchmark
              swift run -c release --package-path Benchmarks Benchmark small --json figures.json
              swift run -c release --package-path Benchmarks Benchmark download
              swift run -c release --package-path Benchmarks Benchmark queued
              swift run -c release --package-path Benchmarks Benchmark graph
              swift run -c release --package-path Benchmarks Benchmark serialization

            `graph` needs no server; the others need nginx (Debian and Ubuntu: nginx-light), which they start \
            themselves, with one process, on a free port of 127.0.0.1, and stop again.

            Each client runs in a process of its own, the clients in turn, in as many rounds as asked for. A process \
            warms up first; then it measures its time and the CPU time of all its threads. The status and the length \
            of every answer are checked as part of the work, and the first wrong one ends the benchmark. The peak \
            memory is of the whole process; with libcurl in C that includes the Swift runtime of this executable. \
            Relations to libcurl are taken round by round. The server shares the processors with the client: compare \
            figures of one run only.
            """,
        subcommands: [
            SmallCommand.self, DownloadCommand.self, QueuedCommand.self, GraphCommand.self, SerializationCommand.self,
            ClientCommand.self,
        ],
        defaultSubcommand: SmallCommand.self)
}

/// The options of every benchmark.
struct RunOptions: ParsableArguments {
    @Option(help: "How often each client is measured.")
    var rounds = 5

    @Option(name: .customLong("json"), help: ArgumentHelp("Also write the figures as JSON.", valueName: "file"))
    var jsonPath: String?

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds has to be at least 1.") }
    }

    /// Prints a report, and writes it as JSON if that was asked for.
    func deliver(_ report: Report) throws {
        print(report.text)
        if let jsonPath { try report.writeJSON(to: jsonPath) }
    }
}

/// The options of benchmarks with many small requests.
struct LoadOptions: ParsableArguments {
    @Option(help: "How many transfers may be in flight.")
    var concurrency = 64

    @Option(name: .customLong("warm-up"), help: ArgumentHelp("Requests before the measured ones.", valueName: "count"))
    var warmUpCount = 2000

    func validate() throws {
        guard 1...1000 ~= concurrency else { throw ValidationError("--concurrency has to be from 1 to 1000.") }
        guard warmUpCount > 0 else { throw ValidationError("--warm-up has to be at least 1.") }
    }
}
