// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

/// The topic groups of the overview list each page and each public type once.
@Suite(.timeLimit(.minutes(1))) struct OverviewPageTests {
    private let topics: String
    private let pages: [String]

    init() throws {
        let folder = try CodeBlock.sources(of: "Bluebonnet").appendingPathComponent("Bluebonnet.docc")
        let overview = try String(contentsOf: folder.appendingPathComponent("Bluebonnet.md"), encoding: .utf8)
        topics = try #require(overview.components(separatedBy: "\n## Topics\n").last)
        pages = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".md") && $0 != "Bluebonnet.md" }.map { String($0.dropLast(".md".count)) }
    }

    /// The names of the public types outside of other types.
    private static func publicTypes(
        of modules: [String] = ["Bluebonnet", "BluebonnetHTTP", "BluebonnetNetwork"]
    ) throws -> Set<String> {
        let form = /(?:@\S+ )*public (?:final |indirect )?(?:struct|class|enum|protocol|actor|typealias) (\w+)/
        var names: Set<String> = []
        for module in modules {
            let folder = try CodeBlock.sources(of: module)
            let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            for path in paths where path.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
                let lines = text.split(separator: "\n").filter { !$0.hasPrefix(" ") && $0.contains("public ") }
                names.formUnion(lines.compactMap { $0.prefixMatch(of: form).map { String($0.1) } })
            }
        }
        return names
    }

    @Test func everyPublicTypeIsInOneGroup() throws {
        let listed = topics.matches(of: /\n- ``(\w+)``/).map { String($0.1) }
        #expect(listed.count > 100)
        #expect(try listed.sorted() == Self.publicTypes().sorted())
    }

    @Test(arguments: [
        "BluebonnetBatch", "BluebonnetCache", "BluebonnetFleet", "BluebonnetFleetService", "BluebonnetImage",
        "BluebonnetJournal", "BluebonnetLogging", "BluebonnetMetrics", "BluebonnetPipelines", "BluebonnetService",
        "BluebonnetStreams", "BluebonnetTestServer", "BluebonnetTesting", "BluebonnetTracing",
    ])
    func everyPublicTypeIsOnThePageOfItsProduct(product: String) throws {
        let page = try CodeBlock.sources(of: product).appendingPathComponent("\(product).docc/\(product).md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let topics = try #require(text.components(separatedBy: "\n## Topics\n").last)
        let listed = topics.matches(of: /\n- ``(\w+)``/).map { String($0.1) }
        #expect(try listed.sorted() == Self.publicTypes(of: [product]).sorted())
        #expect(!listed.isEmpty)
    }

    @Test func everyPageIsInOneGroup() {
        let listed = topics.matches(of: /\n- <doc:(\w+)>/).map { String($0.1) }
        #expect(listed.sorted() == pages.sorted())
    }

    /// docc cannot resolve a link to a page that has the name of a group.
    @Test func noGroupIsNamedLikePage() {
        let titles = topics.matches(of: /\n### (.+)/).map { String($0.1) }
        #expect(titles.count > 10)
        #expect(Set(titles).intersection(pages) == [])
    }

    /// docc drops a page that has the name of a type.
    @Test func noPageIsNamedLikeType() throws {
        let names = Set(try Self.publicTypes().map { $0.lowercased() })
        #expect(pages.filter { names.contains($0.lowercased()) } == [])
    }
}
