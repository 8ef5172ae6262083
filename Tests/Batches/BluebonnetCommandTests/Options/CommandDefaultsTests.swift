// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation
import Testing

@testable import BluebonnetCommand

/// The page about defaults has the defaults that the command's help shows.
@Suite struct CommandDefaultsTests {
    /// The option and the first words of the default cell, for each row of the command's table.
    private static func rows() throws -> [(option: String, value: String)] {
        let root = #filePath.components(separatedBy: "/Tests/")[0]
        let path = root + "/Sources/Core/Bluebonnet/Bluebonnet.docc/Defaults.md"
        let parts = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n## ")
        let section = try #require(parts.first { $0.hasPrefix("The command\n") })
        return section.split(separator: "\n").filter { $0.hasPrefix("| `--") }.map { row in
            let cells = row.split(separator: "|").map { $0.replacingOccurrences(of: "`", with: "") }
            let value = cells[1].drop { $0 == " " }.prefix { $0 != ":" }
            return (String(cells[0].split(separator: " ")[0]), value.trimmingCharacters(in: .whitespaces))
        }
    }

    @Test func helpShowsThePagesDefaults() throws {
        let help = [
            MainCommand.helpMessage(for: RunCommand.self, columns: 1000),
            MainCommand.helpMessage(for: WorkCommand.self, columns: 1000),
            MainCommand.helpMessage(for: ScheduleCommand.self, columns: 1000),
        ]
        let lines = help.flatMap { $0.split(separator: "\n") }
        let rows = try Self.rows()
        #expect(rows.count > 12)
        for (option, value) in rows {
            let line = lines.first { $0.hasPrefix("  \(option) ") }
            let shown = line?.components(separatedBy: "(default: ").dropFirst().first?.prefix { $0 != ")" }
            let text = try #require(shown.map(String.init), "\(option) shows no default")
            #expect(value == text || value.hasPrefix(text + " "), "\(option) is \(text) by default")
        }
    }

    /// Every option of the run that has a default value has a row.
    @Test func pageHasEveryLimitOfTheRun() throws {
        let help = MainCommand.helpMessage(for: RunCommand.self, columns: 1000)
        let limits = help.split(separator: "\n").filter { $0.contains("(default: ") }
            .map { String($0.split(separator: " ")[0]) }
        #expect(Set(limits).subtracting(try Self.rows().map(\.option)) == [])
    }
}
