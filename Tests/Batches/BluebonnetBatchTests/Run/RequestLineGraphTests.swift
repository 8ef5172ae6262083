// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct RequestLineGraphTests {
    /// Numbered lines from short descriptions: an id, the ids in `after` and a URL.
    private func lines(_ lines: [(id: String?, after: [String], url: String)]) -> [NumberedLine] {
        lines.enumerated().map { index, short in
            var line = RequestLine(id: short.id, url: short.url)
            line.after = short.after
            return NumberedLine(number: index + 1, line: line)
        }
    }

    private func errors(_ lines: [NumberedLine]) throws -> [RequestLineError] {
        try #require(throws: RequestLineErrors.self) { try RequestLineGraph(lines) }.errors
    }

    private func order(_ graph: RequestLineGraph) -> [String] {
        graph.nodesInDependencyOrder.map(\.line.id)
    }

    @Test func idsOfDifferentBytesAreTwoLines() throws {
        let ids = ["\u{E9}", "e\u{301}", "K", "\u{212A}", "\u{AC00}", "\u{1100}\u{1161}"]
        var lines = ids.enumerated().map { NumberedLine(number: $0 + 1, line: RequestLine(id: $1, url: "u")) }
        var last = RequestLine(id: "last", url: "${e\u{301}.status}")
        last.after = ["\u{E9}", "\u{212A}", "K"]
        lines.append(NumberedLine(number: 7, line: last))
        let graph = try RequestLineGraph(lines)
        let expected = ["\u{E9}", "\u{212A}", "K", "e\u{301}"].map { Array($0.utf8) }
        #expect(graph.dependencies(of: "last")?.map { Array($0.utf8) } == expected)
        #expect(throws: RequestLineErrors.self) { try RequestLineGraph(lines.dropFirst().map { $0 }) }
    }

    @Test func dependenciesAreAfterThenReferencesEachOnce() throws {
        let graph = try RequestLineGraph(
            lines([
                ("a", [], "u"), ("b", [], "u"), ("c", [], "u"), ("d", ["b", "b"], "${c.status}${b.status}${a.body}"),
            ]))
        #expect(graph.dependencies(of: "d") == ["b", "c", "a"])
        #expect(graph.dependencies(of: "a") == [])
        #expect(graph.dependencies(of: "e") == nil)
        #expect(graph.nodes.map(\.line.id) == ["a", "b", "c", "d"])
    }

    @Test func lineWithoutIDIsKnownByItsNumber() throws {
        let graph = try RequestLineGraph(lines([(nil, [], "u"), (nil, ["1"], "u")]))
        #expect(graph.dependencies(of: "2") == ["1"])
    }

    @Test func orderedLinesKeepTheirOrder() throws {
        let graph = try RequestLineGraph(lines([("c", [], "u"), ("a", [], "u"), ("b", ["c"], "u"), ("d", ["a"], "u")]))
        #expect(order(graph) == ["c", "a", "b", "d"])
    }

    @Test func dependenciesComeFirstInTheOrder() throws {
        let graph = try RequestLineGraph(
            lines([("a", ["c", "b"], "u"), ("b", ["d"], "u"), ("c", [], "u"), ("d", [], "u")]))
        #expect(order(graph) == ["c", "d", "b", "a"])
    }

    @Test func duplicateIDNamesBothLines() throws {
        let found = try errors(lines([("a", [], "u"), ("b", [], "u"), ("a", [], "u")]))
        #expect(found == [RequestLineError(line: 3, field: "id", message: #""a" is already the id of line 1"#)])
    }

    @Test func defaultIDCanBeADuplicate() throws {
        #expect(
            try errors(lines([("2", [], "u"), (nil, [], "u")])).map(\.description) == [
                #"line 2, field "id": "2" is already the id of line 1"#
            ])
    }

    @Test func unknownIDsNameTheirField() throws {
        let found = try errors(lines([("a", ["b", "x"], "u"), ("b", [], "${y.status}")]))
        #expect(
            found == [
                RequestLineError(line: 1, field: "after[1]", message: #"no line has the id "x""#),
                RequestLineError(line: 2, field: "url", message: #"no line has the id "y""#),
            ])
    }

    @Test(arguments: [(["a"], "u", "after[0]"), ([], "${a.status}", "url")])
    func lineCannotWaitForItself(_ after: [String], _ url: String, _ field: String) throws {
        let found = try errors(lines([("a", after, url)]))
        #expect(found == [RequestLineError(line: 1, field: field, message: "a line cannot depend on itself")])
    }

    @Test func cycleIsSpelledOutFromItsFirstLine() throws {
        let two = try errors(lines([("x", [], "u"), ("a", ["b"], "u"), ("b", ["a"], "u")]))
        #expect(two == [RequestLineError(line: 2, message: "dependency cycle: a -> b -> a")])
        let three = try errors(
            lines([("in", ["a"], "u"), ("a", [], "${b.status}"), ("b", ["c"], "u"), ("c", ["a"], "u")]))
        #expect(three.map(\.description) == ["line 2: dependency cycle: a -> b -> c -> a"])
    }

    @Test func errorsAreReportedInOrderOfLinesWithAllCycles() throws {
        let found = try errors(
            lines([("a", ["b"], "u"), ("b", ["a"], "u"), ("c", ["x"], "u"), ("d", ["e"], "u"), ("e", ["d"], "u")]))
        #expect(found.map(\.line) == [1, 3, 4])
    }

    @Test func badTemplateIsAnErrorOfItsLineOnly() throws {
        let found = try errors(lines([("a", [], "${oops}"), ("b", ["a"], "u")]))
        #expect(found.map(\.line) == [1])
        #expect(found.map(\.field) == ["url"])
    }

    @Test func chainOf100000LinesIsOrdered() throws {
        let count = 100_000
        let forward = lines((1...count).map { (nil, $0 == 1 ? [] : ["\($0 - 1)"], "u") })
        #expect(order(try RequestLineGraph(forward)) == (1...count).map(String.init))
        let backward = lines((1...count).map { (nil, $0 == count ? [] : ["\($0 + 1)"], "u") })
        #expect(order(try RequestLineGraph(backward)) == (1...count).reversed().map(String.init))
    }

    @Test func cycleOf100000LinesIsFoundAndShortened() throws {
        let count = 100_000
        let found = try errors(lines((1...count).map { (nil, ["\($0 % count + 1)"], "u") }))
        let path = "1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 8 -> 9 -> 10 -> (99990 more) -> 1"
        #expect(found == [RequestLineError(line: 1, message: "dependency cycle: \(path)")])
    }

    @Test func lineMayHaveManyDependents() throws {
        let count = 20_000
        let all = lines(
            [("a", [], "u")] + (1...count).map { ("b\($0)", ["a"], "u") } + [("z", (1...count).map { "b\($0)" }, "u")])
        #expect(order(try RequestLineGraph(all)) == all.map(\.id))
    }

    @Test func addedLinesMayDependOnEarlierOnesOnly() throws {
        let all = lines([
            ("a", [], "u"), ("b", ["a"], "${a.status}"), ("c", ["d"], "u"), ("d", ["b"], "u"), ("a", [], "u"),
        ])
        var graph = RequestLineGraph()
        try graph.add(all[0])
        #expect(try graph.add(all[1]).dependencies == ["a"])
        #expect(throws: RequestLineError(line: 3, field: "after[0]", message: #"no earlier line has the id "d""#)) {
            try graph.add(all[2])
        }
        try graph.add(all[3])
        #expect(throws: RequestLineError(line: 5, field: "id", message: #""a" is already the id of line 1"#)) {
            try graph.add(all[4])
        }
        #expect(order(graph) == ["a", "b", "d"])
    }

    @Test func addedLineCannotReferToItself() {
        var graph = RequestLineGraph()
        #expect(throws: RequestLineError(line: 1, field: "url", message: "a line cannot depend on itself")) {
            try graph.add(lines([("a", [], "${a.status}")])[0])
        }
        #expect(graph.nodes.isEmpty)
    }

    @Test func linesCanBeAddedToACheckedBatch() throws {
        var graph = try RequestLineGraph(lines([("a", ["b"], "u"), ("b", [], "u")]))
        try graph.add(NumberedLine(number: 3, line: RequestLine(id: "c", url: "${a.body}")))
        #expect(order(graph) == ["b", "a", "c"])
    }
}
