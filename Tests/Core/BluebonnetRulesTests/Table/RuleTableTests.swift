// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

extension RulesTests {
    @Suite struct RuleTableTests {
        /// Separates the page's introduction from the table.
        private static let mark = "<!-- The table is written by RuleTableTests. -->\n\n"

        private static let page: URL = {
            var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path + "/Package.swift") {
                folder.deleteLastPathComponent()
            }
            return folder.appendingPathComponent("Sources/Core/Bluebonnet/Bluebonnet.docc/RFCRules.md")
        }()

        @Test(arguments: RuleTable.all.filter { $0.example?.isPossible == true })
        func ruleExampleShowsListedStanding(rule: Rule) async throws {
            try await rule.example?.run()
        }

        @Test func tableHasOneRowPerRequirement() {
            let names = RuleTable.all.map(\.testDescription)
            #expect(Set(names).count == names.count)
            #expect(names.count >= 120)
            #expect(RuleTable.all.allSatisfy { !$0.text.contains("|") && !$0.standing.text.contains("|") })
        }

        @Test func everyRuleSectionIsNumeric() {
            let numbers = RuleTable.all.map { rule in rule.sectionNumbers.map(String.init).joined(separator: ".") }
            #expect(numbers == RuleTable.all.map(\.section))
        }

        /// With `BLUEBONNET_WRITE_RULES=1`, the test prints the table and writes it to the page.
        @Test func pageContainsRuleTable() throws {
            let text = try String(contentsOf: Self.page, encoding: .utf8)
            let parts = text.components(separatedBy: Self.mark)
            try #require(parts.count == 2)
            if ProcessInfo.processInfo.environment["BLUEBONNET_WRITE_RULES"] == "1" {
                print(RuleTable.markdown)
                try (parts[0] + Self.mark + RuleTable.markdown).write(to: Self.page, atomically: true, encoding: .utf8)
            } else {
                #expect(parts[1] == RuleTable.markdown, "write the page anew with BLUEBONNET_WRITE_RULES=1")
            }
        }
    }
}
