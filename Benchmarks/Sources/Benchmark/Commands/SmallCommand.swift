// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser

/// Many GETs of a few bytes: requests a second, and CPU a request.
struct SmallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "small",
        abstract: "GETs of 13 bytes through the manager's queue: requests a second and CPU a request.")

    @Option(help: "How many requests are measured.")
    var count = 20_000

    @OptionGroup var load: LoadOptions
    @OptionGroup var options: RunOptions

    func validate() throws {
        guard count > 0 else { throw ValidationError("--count has to be at least 1.") }
    }

    func run() throws {
        let plan = Plan(
            title: "\(count) GETs of \(NginxServer.tinyBody.utf8.count) bytes", clients: [.libcurl, .bluebonnet],
            roundCount: options.rounds, concurrency: load.concurrency,
            metrics: [.requestRate, .cpuPerRequest, .peakMemory])
        let report = try Plan.withServer { _, server in
            try plan.run { client in
                Assignment(
                    client: client, work: try .small(server, requestCount: count),
                    warmUp: try .small(server, requestCount: load.warmUpCount), concurrency: load.concurrency)
            }
        }
        try options.deliver(report)
    }
}
