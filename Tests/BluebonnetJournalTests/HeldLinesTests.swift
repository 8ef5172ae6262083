// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import Foundation
import Testing

@testable import BluebonnetJournal

@Suite struct HeldLinesTests {
    /// Lines in short, one of which may need others; what begins with "p" is unsafe.
    private struct Table {
        var held: HeldLines
        var positions: [String: Int] = [:]
        /// What was to be done, in order: "start a", "mark p".
        var log: [String] = []
        let nodes: [RequestLineGraph.Node]

        init(_ lines: [(id: String, after: [String])], limit: Int = 10) throws {
            let numbered = lines.enumerated().map { index, short in
                var line = RequestLine(id: short.id, method: short.id.hasPrefix("p") ? "POST" : "GET", url: "u")
                line.after = short.after
                return NumberedLine(number: index + 1, line: line)
            }
            nodes = try RequestLineGraph(numbered).nodesInDependencyOrder
            held = HeldLines(window: SendWindow(limit: limit, limitPerLane: limit), neededIDs: nil)
        }

        mutating func addAll() {
            for (position, node) in nodes.enumerated() {
                let line = JournaledLine(
                    node: node, position: position, needsMark: !node.line.line.isSafe, wasSentBefore: false,
                    fingerprint: nil)
                carryOut(held.add(line))
            }
        }

        /// Notes effects, and says that the runner has what it was given.
        mutating func carryOut(_ effects: [HeldLines.Effect]) {
            var effects = effects[...]
            while let effect = effects.popFirst() {
                switch effect {
                case .start(let line):
                    log.append("start \(line.id)")
                    effects += held.passed(line.id)
                case .mark(let line): log.append("mark \(line.id)")
                }
            }
        }

        mutating func marked(_ id: String) { carryOut(held.marked(id)) }

        mutating func ended(_ id: String, _ isSuccess: Bool = true) {
            let ticket = nodes.first { $0.line.id == id }.flatMap { node in
                node.line.line.isSafe ? nil : SendWindow.Ticket(position: 0, lane: "", priority: .normal)
            }
            carryOut(held.ended(id, isSuccess: isSuccess, wasMarked: ticket))
        }
    }

    @Test func safeLinesGoToTheRunnerAtOnce() throws {
        var table = try Table([("a", []), ("b", ["a"]), ("c", ["b"])])
        table.addAll()
        #expect(table.log == ["start a", "start b", "start c"])
        #expect(table.held.count == 0)
    }

    @Test func unsafeLineStartsWhenItsMarkIsDurable() throws {
        var table = try Table([("p", [])])
        table.addAll()
        #expect(table.log == ["mark p"])
        table.marked("p")
        #expect(table.log == ["mark p", "start p"])
        table.marked("p")
        #expect(table.log.count == 2 && table.held.count == 0)
    }

    @Test func unsafeLineIsMarkedWhenAllItNeedsHasSucceeded() throws {
        var table = try Table([("a", []), ("b", []), ("p", ["a", "b"])])
        table.addAll()
        table.ended("b")
        #expect(table.log == ["start a", "start b"])
        table.ended("a")
        #expect(table.log == ["start a", "start b", "mark p"])
    }

    @Test func unsafeLineOfAFailedOneGoesToTheRunnerWithoutAMark() throws {
        var table = try Table([("a", []), ("p", ["a"])])
        table.addAll()
        table.ended("a", false)
        #expect(table.log == ["start a", "start p"])
    }

    @Test func lineThatNeedsAnUnsafeOneFollowsItToTheRunner() throws {
        var table = try Table([("p", []), ("a", ["p"]), ("b", ["a"]), ("p2", ["b"])])
        table.addAll()
        #expect(table.log == ["mark p"])
        table.marked("p")
        #expect(table.log == ["mark p", "start p", "start a", "start b"])
        table.ended("p")
        table.ended("a")
        #expect(table.log.count == 4)
        table.ended("b")
        #expect(table.log.last == "mark p2")
    }

    @Test func endBeforeTheRunnerWasSeenToHaveTheLineLosesNothing() throws {
        var table = try Table([("p", []), ("a", ["p"]), ("p2", ["p"])])
        table.addAll()
        let start = table.held.marked("p")
        #expect(start.count == 1)
        table.ended("p")  // on another thread, while the runner is being given it
        #expect(table.log == ["mark p", "mark p2"])
        table.carryOut(table.held.passed("p"))
        #expect(table.log == ["mark p", "mark p2", "start a"])
    }

    @Test func windowLimitsMarks() throws {
        var table = try Table((0..<4).map { ("p\($0)", []) }, limit: 2)
        table.addAll()
        #expect(table.log == ["mark p0", "mark p1"])
        table.marked("p0")
        #expect(table.log.last == "start p0")
        table.ended("p0")
        #expect(table.log.last == "mark p2")
    }

    @Test func closingMarksNothingMoreAndSafeLinesGoOn() throws {
        var table = try Table([("p", []), ("a", []), ("q", ["a"]), ("p2", ["a"])], limit: 1)
        table.addAll()
        table.held.close()
        table.ended("a")
        #expect(table.log == ["mark p", "start a", "start q"])
    }

    @Test func stoppingGivesEveryHeldLineToTheRunnerButThoseWhoseMarkIsBeingWritten() throws {
        var table = try Table([("p", []), ("a", ["p"]), ("p2", ["a"]), ("b", ["p2"])], limit: 1)
        table.addAll()
        table.carryOut(table.held.stop())
        #expect(table.log == ["mark p", "start a", "start p2", "start b"])
        #expect(table.held.count == 1)
        guard case .start(let marked)? = table.held.marked("p").first else {
            Issue.record("the marked line is lost")
            return
        }
        #expect(marked.id == "p" && marked.isMarked)
        #expect(table.held.passed("p").isEmpty && table.held.count == 0)
        let line = JournaledLine(
            node: table.nodes[0], position: 9, needsMark: true, wasSentBefore: false, fingerprint: nil)
        #expect(table.held.add(line).count == 1)
    }

    @Test func lineWhoseMarkCannotBeWrittenGoesToTheRunnerUnmarked() throws {
        var table = try Table([("p", [])])
        table.addAll()
        #expect(table.held.stop().isEmpty)
        guard case .start(let line)? = table.held.marked("p", isDurable: false).first else {
            Issue.record("the line is lost")
            return
        }
        #expect(!line.isMarked)
    }

    @Test func lineWithAScriptWaitsForNoTurn() throws {
        var line = RequestLine(id: "p", method: "POST", url: "http://h:1/x?y")
        let node = try RequestLineGraph([NumberedLine(number: 1, line: line)]).nodes[0]
        let plain = JournaledLine(node: node, position: 3, needsMark: true, wasSentBefore: false, fingerprint: nil)
        #expect(plain.ticket == .init(position: 3, lane: "http://h:1", priority: .normal))
        line.script = [.init(at: 1, action: .pause)]
        let other = try RequestLineGraph([NumberedLine(number: 1, line: line)]).nodes[0]
        let scripted = JournaledLine(node: other, position: 3, needsMark: true, wasSentBefore: false, fingerprint: nil)
        #expect(scripted.ticket == nil)
        var held = HeldLines(window: SendWindow(limit: 0, limitPerLane: 0), neededIDs: [])
        let effect = try #require(held.add(scripted).first)
        if case .start = effect { Issue.record("it was not marked") }
    }

    @Test(arguments: [
        ("http://Host:80/path", "http://host:80"), ("https://h?q", "https://h"), ("//h/x", "//h"), ("path/x", ""),
        ("/a://b", ""), ("${a.body.url}", ""), ("http://h", "http://h"),
    ])
    func originIsWhatIsWrittenBeforeThePath(url: String, lane: String) {
        #expect(JournaledLine.lane(of: url) == lane)
    }
}
