// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Comparison
import Foundation
import Testing

@Suite struct FaultCasesTests {
    @Test func everyCaseHasAUniqueNameAndARule() {
        let names = FaultCases.all.map(\.name)
        #expect(names.count >= 100)
        #expect(Set(names).count == names.count)
        for one in FaultCases.all {
            #expect(one.name.allSatisfy { $0.isLowercase || $0.isNumber || "-.".contains($0) }, "\(one.name)")
            #expect(one.rule.hasSuffix(".") && !one.requests.isEmpty && !one.servers.isEmpty, "\(one.name)")
        }
    }

    @Test func everyGroupHasCases() {
        #expect(Set(FaultCases.all.map(\.group)) == Set(FaultCase.Group.allCases))
    }

    @Test func textsNameExistingServers() {
        for one in FaultCases.all {
            let origins = Origins(one.servers.map { ($0.origin, 8080) })
            let replies = one.servers.flatMap { $0.routes.values.joined() }
            let texts = replies.flatMap(\.steps).map { step in if case .text(let text) = step { text } else { "" } }
            for text in texts + one.requests.map(\.url) {
                #expect(!origins.fill(text).contains(#/\{\d/#), "\(one.name)")
            }
        }
    }

    @Test func placeholdersAreFilledIn() {
        let origins = Origins([("http://127.0.0.1", 1), ("https://localhost", 2)])
        #expect(origins.fill("{0}/a {1:port} {1}/b {2}") == "http://127.0.0.1:1/a 2 https://localhost:2/b {2}")
    }

    /// The command writes the page. A new case is missing there until the command has run again.
    @Test func pageHasTheResultsOfAllCases() throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).dropFirst().joined(separator: "/")
        let path = "/\(root)/Sources/Core/Bluebonnet/Bluebonnet.docc/Compared.md"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let page = try #require(text.components(separatedBy: ComparisonTable.heading).last)
        for group in FaultCase.Group.allCases {
            let count = FaultCases.all.filter { $0.group == group }.count
            #expect(page.contains("| \(group.rawValue) | \(count) |"), "\(group.rawValue)")
        }
        let known = Set(FaultCases.all.map(\.name))
        let named = page.matches(of: #/\n\| `([^`]+)` \|/#).map { String($0.1) }
        #expect(named.count > 10)
        #expect(Set(named).subtracting(known).isEmpty)
    }
}
