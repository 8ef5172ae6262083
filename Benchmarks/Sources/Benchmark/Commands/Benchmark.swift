// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import LoadClients

/// The executable `Benchmark`.
@main
struct Benchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmark",
        abstract: "Measures Bluebonnet beside libcurl used from C, async-http-client, URLSession and other commands.",
        discussion: """
            Build and run it in release, from the folder of the repository:

              swift run -c release --package-path Benchmarks Benchmark            everything, about a quarter of an hour
              swift run -c release --package-path Benchmarks Benchmark --builds   and the time of builds
              swift run -c release --package-path Benchmarks Benchmark --quick    a look, about a minute
              swift run -c release --package-path Benchmarks Benchmark build-time
              swift run -c release --package-path Benchmarks Benchmark mixed
              swift run -c release --package-path Benchmarks Benchmark tuning
              swift run -c release --package-path Benchmarks Benchmark queued
              swift run -c release --package-path Benchmarks Benchmark graph
              swift run -c release --package-path Benchmarks Benchmark serialization
              swift run -c release --package-path Benchmarks Benchmark calls
              swift run -c release --package-path Benchmarks Benchmark sessions
              swift run -c release --package-path Benchmarks Benchmark limits
              swift run -c release --package-path Benchmarks Benchmark pipelines

            Debian's packages nginx-light, openssl, curl, wget2, aria2 and nghttp2-client have to be installed for everything; what is \
            missing is left out and named at the end. nginx is started with one process on free ports of 127.0.0.1, and \
            stopped again.
            """,
        subcommands: [
            EverythingCommand.self, MixedCommand.self, TuningCommand.self, QueuedCommand.self, GraphCommand.self,
            SerializationCommand.self, CallsCommand.self, SessionsCommand.self, LimitsCommand.self,
            PipelinesCommand.self, BuildTimeCommand.self, LoadCommand.self,
        ],
        defaultSubcommand: EverythingCommand.self)
}
