// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Figures
import Foundation
import LoadClients
import Processes

/// Runs all comparisons with other clients and commands.
struct EverythingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "everything",
        abstract: "All clients and commands in one comparison: a page with plots, tables and JSON.",
        discussion: """
            Each contender runs in a process of its own, in as many rounds as asked for, in another order in each; \
            figures are medians (least–most). A process warms up first; then it measures its time and the CPU time of \
            all its threads. The status and the length of every answer are looked at as part of the work. Allocations are \
            counted in a shorter trial before the rounds. Before each download of large files, as much memory is filled \
            and given back. Ratios are taken round by round; those to async-http-client are to the faster one of its two \
            forms. h2load shows what the server can give at most: it checks no answer, and its CPU time includes its start \
            and its connections. The server shares the processors with the client: compare figures of one run only.
            """)

    @Option(
        parsing: .upToNextOption, help: "What is measured: \(Work.allCases.map(\.rawValue).joined(separator: ", ")).")
    var work = Work.allCases

    @Option(parsing: .upToNextOption, help: "How the GETs travel: plain, tls, http2.")
    var wire = Wire.allCases

    @Option(parsing: .upToNextOption, help: "How many of the GETs are in flight.")
    var concurrency = [1, 16, 64, 256, 1000]

    @Option(
        parsing: .upToNextOption, help: "Who takes part: \(Contender.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var client = Contender.allCases

    @Option(help: "How often each is measured.")
    var rounds = 5

    @Option(help: "About how many seconds one contender's part of one round of GETs or mixed requests takes.")
    var seconds = 0.25

    @Option(help: "The length of the large file in MiB; what goes to memory is a quarter of it.")
    var mebibytes = 1024

    @Option(help: "How many requests are started at once.")
    var enqueued = 100_000

    @Option(help: "How many files of 2 kB the commands get.")
    var smallFiles = 3000

    @Option(help: "How many files of 50 MB the commands get.")
    var largeFiles = 20

    @Flag(help: "Three rounds of the GETs of 13 bytes: plain at 1, 64 and 1,000 in flight, TLS at 64.")
    var quick = false

    @Flag(help: "Measure also the time of clean release builds of minimal programs, which takes minutes.")
    var builds = false

    @Option(help: ArgumentHelp("Where index.html, figures.json and the plots are written.", valueName: "folder"))
    var output = "benchmark-results"

    @Option(help: ArgumentHelp("The bluebonnet command; it is built if none is named.", valueName: "path"))
    var command: String?

    func validate() throws {
        let counts = concurrency + [rounds, mebibytes, enqueued, smallFiles, largeFiles]
        guard counts.allSatisfy({ $0 > 0 }), seconds > 0 else { throw ValidationError("Counts have to be at least 1.") }
        guard concurrency.allSatisfy({ $0 <= 1000 }) else { throw ValidationError("--concurrency is 1000 at most.") }
    }

    func run() throws {
        let results = ResultFolder(path: output)
        try results.make()
        var sizes = Laboratory.Sizes()
        (sizes.seconds, sizes.mebibyteCount, sizes.enqueuedCount) = (seconds, mebibytes, enqueued)
        (sizes.smallFileCount, sizes.largeFileCount) = (smallFiles, largeFiles)
        if let warning = Surroundings.warning { print(warning + "\n") }
        let began = ContinuousClock.now
        let (builds, buildFailures) = try measureBuilds()
        let (report, failures) = try Stage.withServer(byteCount: sizes.byteCount) { folder, server in
            let command = ReleaseCommand(path: command)
            let laboratory = Laboratory(
                server, folder, sizes, roundCount: roundCount, bluebonnetPath: { try command.path() })
            if cases.contains(where: \.testCase.work.isForCommands) { _ = try command.path() }
            return (try finish(try laboratory.measure(cases), builds), laboratory.failures + buildFailures)
        }
        print((report.throughputTexts + [report.requirementText]).joined(separator: "\n\n"))
        print("\nIt took \(Int((ContinuousClock.now - began) / .seconds(1))) s.")
        try results.write(report, failures)
        try Laboratory.check(failures)
    }

    private var roundCount: Int { quick ? min(rounds, 3) : rounds }

    private var cases: [(testCase: Case, contenders: [Contender])] {
        let grid = Grid(works: work, wires: wire, concurrencies: concurrency, contenders: client)
        let few =
            [1, 64, 1000].map { Case(.tiny, concurrency: $0) }
            + [.tls, .http2].map { Case(.tiny, $0, concurrency: 64) }
        let cases = quick ? few.filter(grid.cases.contains) : grid.cases
        return cases.map { ($0, grid.contenders(of: $0)) }
    }

    /// Makes the report. The memory of waiting operations is measured here, in this process, when no other measurement
    /// runs.
    private func finish(_ reports: [CaseReport], _ builds: [BuildFigure]) throws -> RunReport {
        var more: [RequirementOutcome] = []
        if !quick, work.contains(.enqueued), client.contains(.bluebonnet) {
            let memory = try GraphCase.memory(size: enqueued).own
            more.append(
                RequirementOutcome(
                    claim: "\(enqueued) waiting operations: bytes each ≤ 2048", measured: Double(memory),
                    isMet: memory <= 2048))
        }
        return RunReport(
            environment: Surroundings.facts.merging(ToolVersions.facts) { first, _ in first }, roundCount: roundCount,
            cases: reports, builds: builds, more: more)
    }

    /// Measures the builds, and returns a sentence for each that failed.
    private func measureBuilds() throws -> ([BuildFigure], failures: [String]) {
        guard builds else { return ([], []) }
        Interruption.watch()
        var (figures, failures): ([BuildFigure], [String]) = ([], [])
        for subject in BuildSubject.allCases {
            print("building a program with \(subject.title)")
            do {
                let outcome = try TemporaryFolder.whileThere { folder in try subject.build(in: folder) }
                figures.append(
                    BuildFigure(
                        title: subject.title, wallSeconds: outcome.wallSeconds, cpuSeconds: outcome.cpuSeconds))
            } catch {
                try Interruption.check()
                failures.append("A build with \(subject.title): \(error)")
            }
        }
        return (figures, failures)
    }
}

extension Work: ExpressibleByArgument {}
extension Wire: ExpressibleByArgument {}
