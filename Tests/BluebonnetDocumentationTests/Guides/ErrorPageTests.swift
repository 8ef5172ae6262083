// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The page about errors lists every code and every time limit of the library, once.
@Suite(.timeLimit(.minutes(1))) struct ErrorPageTests {
    private let sections: [String: String]

    init() throws {
        let folder = try CodeBlock.sources(of: "Bluebonnet").appendingPathComponent("Bluebonnet.docc")
        let page = try String(contentsOf: folder.appendingPathComponent("Errors.md"), encoding: .utf8)
        let parts = page.components(separatedBy: "\n## ").dropFirst()
        sections = Dictionary(uniqueKeysWithValues: parts.map { (String($0.prefix { $0 != "\n" }), $0) })
    }

    /// The names in backquotes in the first cells of a section's tables.
    private func firstCells(_ section: String) throws -> [String] {
        try #require(sections[section]).split(separator: "\n").compactMap { line in
            let isNamed = line.hasPrefix("| `") && !line.hasPrefix("| ``")  // not a link to a symbol
            return isNamed ? line.split(separator: "`").dropFirst().first.map(String.init) : nil
        }
    }

    /// The source declares each code and each limit on its own line.
    private static func declared(_ type: String) throws -> [String] {
        let source = try String(
            contentsOf: try CodeBlock.sources(of: "BluebonnetHTTP")
                .appendingPathComponent("Errors/NetworkingErrorCode.swift"), encoding: .utf8)
        return source.split(separator: "\n").filter { $0.contains(" = \(type)(rawValue: ") }
            .compactMap { $0.split(separator: "\"").dropFirst().first.map(String.init) }
    }

    @Test func everyCodeHasOneRow() throws {
        let codes = try Self.declared("Code")
        #expect(codes.count > 30)
        #expect(try firstCells("All codes").sorted() == codes.sorted())
    }

    @Test func everyTimeLimitHasOneRow() throws {
        let limits = try Self.declared("TimeLimit")
        #expect(limits.count > 4)
        #expect(try firstCells("Time limits").sorted() == limits.sorted())
    }

    @Test func codesNamedInOtherTablesExist() throws {
        let codes = Set(try Self.declared("Code"))
        #expect(Set(try firstCells("TLS")).subtracting(codes).sorted() == [])
    }
}
