// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc

/// Starts a server on this machine, runs the sample batch against it with the `bluebonnet` command, and checks every
/// outcome.
///
/// ```
/// Demo SAMPLE-FOLDER [--keep]    runs the sample; --keep keeps results and downloads
/// Demo --serve                   only runs the server, for the other examples
/// ```
@main
struct Demo {
    @MainActor static func main() async throws {
        // Disconnecting clients must not end the server, and Ctrl-C must reach only the command.
        for number in [SIGPIPE, SIGINT] { signal(number, SIG_IGN) }
        var words = CommandLine.arguments.dropFirst()
        if words == ["--serve"] { try await serve() }
        let isKept = words.last == "--keep"
        if isKept { words.removeLast() }
        guard words.count == 1, let folder = words.first, !folder.hasPrefix("-") else {
            print("usage: Demo SAMPLE-FOLDER [--keep] | Demo --serve")
            exit(2)
        }
        exit(try runSample(in: folder, isKept: isKept, server: try await DemoServer.start()))
    }

    private static func serve() async throws {
        signal(SIGINT, SIG_DFL)
        print("Serving at \(try await DemoServer.start().url) until Ctrl-C.")
        fflush(nil)
        fflush(nil)
        while true { try await Task.sleep(for: .seconds(3600)) }
    }

    /// Runs the sample and returns the exit status: 0 if every line had its expected outcome.
    private static func runSample(in folder: String, isKept: Bool, server: DemoServer) throws -> Int32 {
        let run = try SampleRun(sample: URL(fileURLWithPath: folder))
        defer { if !isKept { run.remove() } }
        print("A small shop is open at \(server.url).")
        print("> bluebonnet \(SampleRun.arguments(server.url).joined(separator: " "))\n")
        fflush(nil)
        let status = try run.runCommand(baseURL: server.url)
        print("")
        guard status != 130 else {
            print("Interrupted.")
            return status
        }
        let problems = try run.check()
        for problem in problems { print(problem) }
        print(
            """
            bluebonnet ended with status \(status). It should be 1: the sample has one request
            that fails, one that waits for it and is skipped, and one that is cancelled
            while it runs.
            \(problems.isEmpty ? "All \(run.lineCount)" : "Not all") outcomes are as expected-outcomes.ndjson says.

            Results:  \(run.results.path)
            Download: \(run.folder.appendingPathComponent("numbers.txt").path)
            """)
        if !isKept { print("Both are removed now; add --keep to look at them.") }
        return problems.isEmpty && status == 1 ? 0 : 1
    }
}
