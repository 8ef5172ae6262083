// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation

/// One large download to a file: speed and memory.
struct DownloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "One large download to a file: speed and peak memory.",
        discussion: """
            The file that was written is compared with the server's, byte for byte, when the client has ended. There \
            has to be room for twice its length in the temporary folder (TMPDIR).
            """)

    @Option(help: "How long the file is, in MiB.")
    var mebibytes = 1024

    @OptionGroup var options: RunOptions

    func validate() throws {
        guard 1...1_048_576 ~= mebibytes else { throw ValidationError("--mebibytes has to be from 1 to 1048576.") }
    }

    func run() throws {
        let plan = Plan(
            title: "a download of \(mebibytes) MiB to a file", clients: [.libcurl, .bluebonnet],
            roundCount: options.rounds, concurrency: 1, metrics: [.byteRate, .cpu, .peakMemory],
            goals: [.smallMemory])
        let pattern = PatternFile(mebibyteCount: mebibytes)
        let report = try Plan.withServer { folder, server in
            try pattern.write(to: folder.appendingPathComponent("large"))
            let output = folder.appendingPathComponent("output")
            let work = Work(
                url: try server.url("large"), requestCount: 1, byteCount: pattern.byteCount, outputPath: output.path)
            return try plan.run { client in
                Assignment(client: client, work: work, warmUp: try .small(server, requestCount: 100), concurrency: 1)
            } afterRound: {
                try pattern.check(output)
                try FileManager.default.removeItem(at: output)
            }
        }
        try options.deliver(report)
    }
}
