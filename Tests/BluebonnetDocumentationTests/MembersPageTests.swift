// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The page about AFNetworking's members lists all of them and names existing declarations.
@Suite(.timeLimit(.minutes(1))) struct MembersPageTests {
    private struct Row {
        let section: String
        let cells: [String]
    }

    /// The number of AFNetworking's members in each section.
    private static let counts = [
        "AFURLConnectionOperation": 33, "AFHTTPRequestOperation": 9, "AFHTTPRequestOperationManager": 23,
        "Request serialization": 32, "Multipart forms": 10, "Response serialization": 18, "AFSecurityPolicy": 13,
        "AFNetworkReachabilityManager": 17, "Constants, errors, images": 8,
    ]

    private let rows: [Row]

    init() throws {
        let path = try CodeBlock.sources(of: "Bluebonnet").appendingPathComponent(
            "Bluebonnet.docc/AFNetworkingMembers.md")
        let sections = try String(contentsOf: path, encoding: .utf8).components(separatedBy: "\n## ").dropFirst()
        rows = sections.flatMap { section in
            section.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| AFNetworking |") }.map {
                line in
                let cells = line.dropFirst().dropLast().components(separatedBy: " | ")
                return Row(
                    section: String(section.prefix { $0 != "\n" }),
                    cells: cells.map { $0.trimmingCharacters(in: .whitespaces) })
            }
        }
    }

    @Test func everyMemberHasRow() {
        let found = Dictionary(grouping: rows, by: \.section).mapValues(\.count)
        #expect(found == Self.counts)
        #expect(rows.allSatisfy { $0.cells.count >= 2 && !$0.cells[0].isEmpty && !$0.cells[1].isEmpty })
        for rows in Dictionary(grouping: rows, by: \.section).values {
            #expect(Set(rows.map { $0.cells[0] }).count == rows.count)
        }
    }

    @Test func missingMembersAreFewAndHaveReasons() {
        let missing = rows.filter { $0.cells[1] == "–" }
        #expect(rows.count - missing.count >= 150)
        #expect(missing.filter { $0.cells.count < 3 || $0.cells[2].count < 30 }.map { $0.cells[0] } == [])
    }

    /// Each name before a parenthesis, with or without its type, is declared in one of the libraries.
    @Test func everyNameInSecondColumnIsDeclared() throws {
        let declared = try Self.declaredNames()
        let code = rows.flatMap { row in
            row.cells[1].split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
        let names = code.filter { !$0.hasPrefix("body:") && $0 != "Codable" }.flatMap { text in
            text.prefix { $0 != "(" }.split(separator: ".").map(String.init)
        }
        #expect(names.count > 200)
        #expect(Set(names).subtracting(declared).sorted() == [])
    }

    private static func declaredNames() throws -> Set<String> {
        var names: Set<String> = ["init"]
        let declaration =
            /(?:public|open|override public)[a-z() ]* (?:var|let|func|struct|class|enum|protocol|case) `?(\w+)/
        for module in ["Bluebonnet", "BluebonnetHTTP", "BluebonnetNetwork", "BluebonnetImage"] {
            let folder = try CodeBlock.sources(of: module)
            let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            for path in paths where path.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
                names.formUnion(text.matches(of: declaration).map { String($0.output.1) })
                // Protocol requirements and enum cases have no access modifier.
                let requirement = /\n    (?:func|var|case|static let) (\w+)/
                names.formUnion(text.matches(of: requirement).map { String($0.output.1) })
            }
        }
        return names
    }
}
