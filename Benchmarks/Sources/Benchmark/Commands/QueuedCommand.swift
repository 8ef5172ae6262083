// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser

/// Very many operations in the queue at once: threads and descriptors.
struct QueuedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queued",
        abstract: "Very many operations queued at once: threads, descriptors and memory.",
        discussion: """
            Threads are counted from outside every other millisecond, which slows the client down: take its speed from \
            `small`. Network threads are those besides the main thread and Dispatch's workers. Descriptors are counted \
            after the warm-up and at the end, both times when idle connections were closed.
            """)

    @Option(help: "How many operations are queued at once.")
    var count = 10_000

    @OptionGroup var load: LoadOptions
    @OptionGroup var options: RunOptions

    func validate() throws {
        guard count > 0 else { throw ValidationError("--count has to be at least 1.") }
    }

    func run() throws {
        let plan = Plan(
            title: "\(count) operations queued at once", clients: [.bluebonnet], roundCount: options.rounds,
            concurrency: load.concurrency,
            metrics: [.wall, .threads, .networkThreads, .descriptorsBefore, .descriptorsAfter, .peakMemory],
            goals: [.oneNetworkThread, .fewThreads, .descriptorsReturned], watchesThreads: true)
        let report = try Plan.withServer { _, server in
            try plan.run { client in
                Assignment(
                    client: client, work: try .small(server, requestCount: count),
                    warmUp: try .small(server, requestCount: load.warmUpCount), concurrency: load.concurrency,
                    countsDescriptors: true)
            }
        }
        try options.deliver(report)
    }
}
