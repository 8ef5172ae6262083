// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct OutputFileOptionsTests {
    @Test(arguments: [
        RefusedOptions("--into", "a.txt", says: "must end in one of .csv, .ndjson, .sqlite"),
        RefusedOptions("--into", "a.csv", "--results", "./a.csv", says: "--results and --into name the same file"),
        RefusedOptions("--into", "a.csv", "--state", "a.csv", says: "--into and --state name the same file"),
        RefusedOptions("--log", "a.csv", "--into", "a.csv", says: "--log and --into name the same file"),
        RefusedOptions("--into", "a.csv", "--plan", says: "--into and --plan exclude each other: a plan sends nothing"),
        RefusedOptions("--report", "a.xml", says: "it must be junit=FILE or html=FILE"),
        RefusedOptions("--report", "xml=a", says: "it must be junit=FILE or html=FILE"),
        RefusedOptions("--report", "html=", says: "it must be junit=FILE or html=FILE"),
        RefusedOptions(
            "--report", "html=a", "--report", "junit=a", says: "--report html and --report junit name the same file"),
        RefusedOptions("--report", "html=a", "--plan", says: "--report and --plan exclude each other"),
        RefusedOptions("--fail-if", "faild > 1%", says: "did you mean failed?"),
        RefusedOptions("--fail-if", "failed > 1%", "--plan", says: "--fail-if and --plan exclude each other"),
        RefusedOptions("--state", "", says: "--state needs the path of a file"),
    ])
    func contradictionsAreRefused(_ options: RefusedOptions) {
        let error = #expect(throws: (any Error).self) { try RunOptions.parse(options.arguments) }
        #expect(error.map { RunOptions.message(for: $0) }?.contains(options.message) == true)
    }

    @Test func optionsAreIndependent() throws {
        let options = try RunOptions.parse([
            "lines", "--into", "a.sqlite", "--report", "junit=b=c", "--report", "html=d", "--fail-if", "failed > 1%",
            "--fail-if=p95>1s", "--state", "e", "--quiet",
        ])
        #expect(options.files.files.map(\.path) == ["a.sqlite", "e", "b=c", "d"])
        #expect(options.files.conditions.map(\.text) == ["failed > 1%", "p95>1s"])
        #expect(options.reservedPaths.count == 6)
        #expect(try RunOptions.parse(["--plan", "--state", "e"]).files.isUsed)
        #expect(try !RunOptions.parse([]).files.isUsed)
    }

    @Test(
        arguments: [
            ([], "standard input"), (["-"], "standard input"), (["a/b.ndjson"], "b.ndjson"), (["/"], "/"),
        ] as [([String], String)])
    func reportsHaveTheNameOfTheFile(_ arguments: [String], _ name: String) throws {
        #expect(try RunOptions.parse(arguments).inputName == name)
    }

    @Test func rulesOfLinesFollowFromTheOptions() throws {
        let none = try RunOptions.parse([]).rules
        #expect(!none.hasState && !none.hasRows)
        let all = try RunOptions.parse(["--state", "a", "--into", "c.csv"]).rules
        #expect(all.hasState && all.hasRows && !all.hasColumns)
        #expect(try RunOptions.parse(["--into", "c.SQLite"]).rules.hasColumns)
    }
}
