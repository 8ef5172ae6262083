// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct ObservationOptionsTests {
    @Test(arguments: [
        RefusedOptions("--har", "a", "--log", "a", says: "--har and --log name the same file, a"),
        RefusedOptions("--trace", "a/../b", "--summary-json", "./b", says: "name the same file"),
        RefusedOptions("--har", "a", "--results", "a", says: "--results and --har name the same file"),
        RefusedOptions("--log", "a", "--journal", "a", says: "--journal and --log name the same file"),
        RefusedOptions("lines", "--log", "lines", says: "the request lines and --log name the same file"),
        RefusedOptions("--har", "", says: "--har needs the path of a file"),
        RefusedOptions("--har", "a", "--plan", says: "--har and --plan exclude each other: a plan sends nothing"),
        RefusedOptions("--verbose", "--plan", says: "--verbose and --plan exclude each other"),
        RefusedOptions("--summary", "--plan", says: "--summary and --plan exclude each other"),
        RefusedOptions("--summary-json", "a", "--plan", says: "--summary-json and --plan exclude each other"),
        RefusedOptions("--summary", "--quiet", says: "--summary and --quiet exclude each other"),
    ])
    func contradictionsAreRefused(_ options: RefusedOptions) {
        let error = #expect(throws: (any Error).self) { try RunOptions.parse(options.arguments) }
        #expect(error.map { RunOptions.message(for: $0) }?.contains(options.message) == true)
    }

    @Test func optionsAreIndependent() throws {
        let options = try RunOptions.parse([
            "-v", "--quiet", "--har", "a", "--trace", "b", "--log", "c", "--summary-json", "d", "--results", "e",
        ])
        #expect(options.observation.names == ["--har", "--trace", "--log", "--verbose", "--summary-json"])
        #expect(options.reservedPaths.count == 5)
        #expect(try RunOptions.parse([]).observation.names.isEmpty)
        #expect(try RunOptions.parse(["--har", "/dev/null", "--log", "/dev/null"]).observation.files.count == 2)
    }

    @Test func submitHasNoneOfTheOptions() {
        let help = MainCommand.helpMessage(for: SubmitCommand.self)
        for option in ["--har", "--trace", "--log", "--verbose", "--summary"] { #expect(!help.contains(option)) }
        let work = MainCommand.helpMessage(for: WorkCommand.self)
        for option in ["--har", "--trace", "--log", "--verbose"] { #expect(work.contains(option)) }
        #expect(!work.contains("--summary"))
    }
}
