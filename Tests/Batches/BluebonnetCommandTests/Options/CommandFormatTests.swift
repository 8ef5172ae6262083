// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

/// The page about the command's format lists every option, field and error code, and nothing else.
@Suite struct CommandFormatTests {
    private static let root = #filePath.components(separatedBy: "/Tests/")[0]
    private let sections: [String: String]

    init() throws {
        let path = Self.root + "/Sources/Core/Bluebonnet/Bluebonnet.docc/CommandFormat.md"
        let parts = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n## ").dropFirst()
        let pairs = parts.map { part in (String(part.prefix { $0 != "\n" }), part) }
        sections = Dictionary(pairs) { first, _ in first }
    }

    /// The text between backquotes in the first cells of a section's table.
    private func firstCells(_ section: String) throws -> Set<String> {
        let rows = try #require(sections[section]).split(separator: "\n").filter { $0.hasPrefix("| `") }
        return Set(
            rows.flatMap { row in
                let cell = row.dropFirst().prefix { $0 != "|" }
                return cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                    .filter { $0.offset % 2 == 1 }.map { String($0.element) }.filter { $0 != "-v" }
            })
    }

    /// The long options that a help text lists.
    private static func options(in help: String) -> Set<String> {
        let starts = help.split(separator: "\n").filter { $0.hasPrefix("  -") && !$0.hasPrefix("   ") }
        return Set(starts.flatMap { $0.matches(of: /--[a-z-]+/).map { String($0.output) } })
    }

    @Test func everyHelpOptionIsOnThePage() throws {
        let run = Self.options(in: MainCommand.helpMessage(for: RunCommand.self, columns: 400))
        #expect(run.contains("--header") && run.count > 15)
        #expect(try firstCells("Options").subtracting(["<file>"]) == run)
        let journal = Self.options(in: MainCommand.helpMessage(for: JournalCommand.self, columns: 400))
        #expect(try firstCells("Journal") == journal.subtracting(["--version", "--help"]))
        let reachability = Self.options(in: MainCommand.helpMessage(for: ReachabilityCommand.self, columns: 400))
        #expect(try firstCells("Reachability") == reachability.subtracting(["--version", "--help"]))
    }

    @Test(arguments: [
        "Submit", "Schedule", "Schedules", "Work", "Status", "Results", "Prune", "Doctor", "Retry-failed",
    ])
    func everyFleetCommandOptionIsOnThePage(section: String) throws {
        let name = section.lowercased()
        let command = try #require(MainCommand.configuration.subcommands.first { $0._commandName == name })
        let options = Self.options(in: MainCommand.helpMessage(for: command, columns: 400))
        #expect(options.contains("--store"))
        #expect(try firstCells(section) == options.subtracting(["--store", "--version", "--help"]))
        #expect(try firstCells("Fleet") == ["--store"])
    }

    @Test(arguments: ["pause", "resume", "cancel", "remove"])
    func batchOnlyCommandHasNoOtherOption(name: String) throws {
        let command = try #require(MainCommand.configuration.subcommands.first { $0._commandName == name })
        let options = Self.options(in: MainCommand.helpMessage(for: command, columns: 400))
        #expect(options == ["--store", "--version", "--help"])
        #expect(try #require(sections["Retry-failed"]).contains("`\(name)`"))
    }

    @Test func everyRequestLineFieldIsOnThePage() throws {
        #expect(try firstCells("Request lines") == Set(RequestLine.Name.allCases.map(\.rawValue)))
        let section = try #require(sections["Request lines"])
        for name in RequestLine.Security.Name.allCases { #expect(section.contains("`\(name.rawValue)`")) }
        for priority in RequestLine.Priority.allCases { #expect(section.contains("`\(priority.rawValue)`")) }
        for policy in CachePolicy.allCases { #expect(section.contains("`\(policy.rawValue)`")) }
    }

    @Test func everyResultLineFieldIsOnThePage() throws {
        var line = ResultLine(id: "a", outcome: .failure)
        (line.status, line.url, line.bytes, line.sha256, line.body) = (200, "http://h/", 1, "00", "b")
        (line.protocol, line.headers, line.timing) = ("h2", ["a": "1"], .init())
        line.retries = [.init(after: .unacceptableStatus, status: 503, waited: 1)]
        line.error = .init(code: .timedOut, message: "m", underlying: "u")
        (line.worker, line.cache) = ("w", .hit)
        let members = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(line))
        #expect(try firstCells("Result lines") == Set(members.keys))
        let section = try #require(sections["Result lines"])
        for outcome in ResultLine.Outcome.allCases { #expect(section.contains("`\(outcome.rawValue)`")) }
        for name in try #require(members["timing"]?.object).names { #expect(section.contains("`\(name)`")) }
        for name in try #require(members["error"]?.object).names { #expect(section.contains("`\(name)`")) }
    }

    @Test func everyEventWaitAndPhaseIsOnThePage() throws {
        let source = try String(
            contentsOfFile: Self.root + "/Sources/Batches/BluebonnetCommand/Observation/LogExporter.swift",
            encoding: .utf8)
        let words = Set(source.matches(of: /case \.\w+: "(\w+)"/).map { String($0.output.1) })
        let waits = Set(WaitReason.Kind.allCases.map(\.rawValue))
        #expect(words.count > 20)
        #expect(try firstCells("Files about requests").subtracting(["event"]) == words.union(waits))
        let section = try #require(sections["Files about requests"])
        for phase in TransferTimings.Phase.allCases { #expect(section.contains("`\(phase.rawValue)`")) }
    }

    @Test func everyErrorCodeIsOnThePage() throws {
        let source = try String(
            contentsOfFile: Self.root + "/Sources/Core/BluebonnetHTTP/Errors/NetworkingErrorCode.swift", encoding: .utf8
        )
        let declared = source.matches(of: /static let \w+ = Code\(rawValue: "(\w+)"\)/).map { String($0.output.1) }
        #expect(declared.count > 30)
        let section = try #require(sections["Error codes"])
        let others = ["bodyStreamExhausted", "notStarted"]
        #expect(try firstCells("Error codes").union(others) == Set(declared))
        for code in others { #expect(section.contains("`\(code)`")) }
    }
}
