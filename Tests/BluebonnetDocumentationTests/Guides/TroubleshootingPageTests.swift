// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import TestSupport
import Testing

/// The tables of the page about troubleshooting agree with the library.
@Suite(.timeLimit(.minutes(1))) struct TroubleshootingPageTests {
    private let sections: [String: String]

    init() throws {
        let folder = try CodeBlock.sources(of: "Bluebonnet").appendingPathComponent("Bluebonnet.docc")
        let page = try String(contentsOf: folder.appendingPathComponent("Troubleshooting.md"), encoding: .utf8)
        let parts = page.components(separatedBy: "\n## ").dropFirst()
        sections = Dictionary(uniqueKeysWithValues: parts.map { (String($0.prefix { $0 != "\n" }), $0) })
    }

    /// The texts in backquotes of a line.
    private static func quotations(in line: some StringProtocol) -> [String] {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 && !$0.element.isEmpty }.map { String($0.element) }
    }

    /// The sentences of the first column, cut at their variable parts, are in the library's sources.
    @Test func everySentenceIsOneOfTheLibrary() throws {
        let sources = try ["Bluebonnet", "BluebonnetNetwork"].map(CodeBlock.sources).flatMap { folder in
            let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            return try paths.filter { $0.hasSuffix(".swift") }.map {
                try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
            }
        }
        let rows = try #require(sections["Nothing happens"]).split(separator: "\n").filter { $0.hasPrefix("| `") }
        let sentences = rows.dropFirst().flatMap { Self.quotations(in: $0.dropFirst().prefix { $0 != "|" }) }
        #expect(sentences.count > 15)
        for sentence in sentences {
            for piece in sentence.components(separatedBy: "…").map({ $0.trimmingCharacters(in: .whitespaces) })
            where piece.count > 7 {
                #expect(sources.contains { $0.contains(piece) }, "\(piece)")
            }
        }
    }

    @Test func joinedURLsAreThoseOfThePage() throws {
        let section = try #require(sections["The URL is joined in another way"])
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.map(Self.quotations)
            .filter { $0.count == 3 }
        #expect(rows.count == 5)
        for row in rows {
            let manager = RequestOperationManager(baseURL: try #require(URL(string: row[0])))
            #expect(try manager.request("GET", row[1]).url?.absoluteString == row[2], "\(row)")
        }
    }

    /// Each section that the table of symptoms names exists.
    @Test func everySectionOfTheTableExists() throws {
        let names = try #require(sections["Overview"]).split(separator: "\n").filter { $0.hasPrefix("| ") }
            .flatMap { line in
                line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                    .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            }
        #expect(names.count > 15)
        #expect(Set(names).symmetricDifference(Set(sections.keys).subtracting(["Overview"])).sorted() == [])
    }
}
