// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Comparison
import FaultServer
import Figures
import Foundation
import Processes
import Synchronization

/// The executable `Compare`.
@main
struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Compare",
        abstract: "Runs the same faults on Bluebonnet, async-http-client, URLSession and curl, and makes a table.",
        discussion: """
            Each case is run with each client in a process of its own, against servers of its own on 127.0.0.1. The \
            commands openssl, curl and unshare have to be installed. All cases take about five minutes.
            """,
        subcommands: [CompareCommand.self, AttemptCommand.self], defaultSubcommand: CompareCommand.self)
}

/// Runs the cases.
struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cases", abstract: "Runs the cases.")

    @Option(name: .customLong("client"), help: "A client; may be repeated. Default: all four.")
    var clientNames: [String] = []
    @Option(name: .customLong("case"), help: "The beginning of cases' names; may be repeated. Default: all cases.")
    var caseNames: [String] = []
    @Option(
        help: "The file to write the table to; of a page with the heading \"Results\", what follows it is replaced.")
    var table: String?
    @Option(help: "How many processes run at once.")
    var parallel = 4
    @Flag(help: "Prints the cases with their rules, and runs none.")
    var list = false

    func run() async throws {
        let cases = FaultCases.all.filter { one in caseNames.isEmpty || caseNames.contains { one.name.hasPrefix($0) } }
        guard !cases.isEmpty else { throw ValidationError("no case's name begins so") }
        if list {
            for one in cases { print("\(one.name): \(one.rule)") }
            return
        }
        let clients = try clientNames.map { name in
            guard let client = Client(rawValue: name) else { throw ValidationError("\(name) is no client") }
            return client
        }
        Interruption.watch()
        let results = try TemporaryFolder.whileThere { folder in
            try run(cases, clients.isEmpty ? Client.allCases : clients, in: folder)
        }
        try finish(results)
    }

    private func run(_ cases: [FaultCase], _ clients: [Client], in folder: URL) throws -> Results {
        guard let curl = Spawning.find("curl") else { throw BenchmarkError("curl is not installed") }
        let identities = try IdentityFolder(in: folder)
        let runner = CaseRunner(
            identities: identities, trust: TrustedMount(identities.authorityFile, in: folder), folder: folder,
            curl: curl,
            executable: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let versions = try Versions.all(curl: curl, in: folder)
        let work = cases.flatMap { one in clients.map { (one, $0) } }
        let queue = WorkQueue(work) { one, client in
            let verdict = try runner.run(one, client)
            print("\(client.title): \(one.name): \(Results.title(of: verdict))")
            return Results.Entry(testCase: one, client: client, verdict: verdict)
        }
        return Results(versions: versions, clients: clients, entries: try queue.run(threadCount: parallel))
    }

    private func finish(_ results: Results) throws {
        let text = ComparisonTable(results).text
        print(text)
        if let table {
            let old = try? String(contentsOfFile: table, encoding: .utf8)
            try ComparisonTable.page(old, with: text).write(toFile: table, atomically: true, encoding: .utf8)
        }
        let failures = results.failures(of: .bluebonnet)
        guard !failures.isEmpty else { return }
        throw BenchmarkError("Bluebonnet failed: \(failures.map(\.testCase.name).joined(separator: ", "))")
    }
}
