// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import Foundation
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetJournal

@Suite struct UnmarkedLinesTests {
    /// Held lines and a log of their effects, such as "start a" and "mark p". Lines whose id begins with "p" are
    /// unsafe.
    private struct Table {
        var unmarked: UnmarkedLines
        var log: [String] = []
        private var positions: [String: Int] = [:]

        init(limit: Int = 10) { unmarked = UnmarkedLines(window: SendWindow(limit: limit, limitPerLane: limit)) }

        mutating func add(_ id: String, needing outcomes: [ResultLine.Outcome] = []) throws {
            let line = try UnmarkedLinesTests.line(id, at: positions.count, needing: outcomes)
            positions[id] = line.position
            record(unmarked.add(line))
        }

        mutating func marked(_ id: String, isDurable: Bool = true) {
            record(unmarked.marked(positions[id] ?? -1, isDurable: isDurable))
        }

        mutating func ended(_ id: String) {
            record(unmarked.ended(SendWindow.Ticket(position: positions[id] ?? -1, lane: "", priority: .normal)))
        }

        mutating func stop() { record(unmarked.stop()) }

        private mutating func record(_ effects: [UnmarkedLines.Effect]) {
            for effect in effects {
                switch effect {
                case .start(let line): log.append((line.isMarked ? "start marked " : "start ") + line.id)
                case .mark(let line): log.append("mark \(line.id)")
                }
            }
        }
    }

    private static func line(
        _ id: String, at position: Int, needing outcomes: [ResultLine.Outcome] = [], _ url: String = "u",
        script: [RequestLine.ScriptStep] = []
    ) throws -> JournaledLine {
        var line = RequestLine(id: id, method: id.hasPrefix("p") ? "POST" : "GET", url: url)
        line.script = script
        return JournaledLine(
            id: id, node: try RequestLineGraph([NumberedLine(number: 1, line: line)]).nodes[0], position: position,
            needs: outcomes.map { RunnerDependency(id: "x", outcome: $0) { nil } }, wasSentBefore: false
        ) { _ in }
    }

    @Test func safeLineGoesToTheRunnerAtOnce() throws {
        var table = Table(limit: 0)
        try table.add("a")
        #expect(table.log == ["start a"] && table.unmarked.count == 0)
    }

    @Test func unsafeLineStartsWhenItsMarkIsDurable() throws {
        var table = Table()
        try table.add("p")
        #expect(table.log == ["mark p"] && table.unmarked.count == 1)
        table.marked("p")
        #expect(table.log == ["mark p", "start marked p"])
        table.marked("p")
        #expect(table.log.count == 2 && table.unmarked.count == 0)
    }

    @Test(arguments: [ResultLine.Outcome.failure, .cancelled, .skipped, .unknown])
    func skippedUnsafeLineNeedsNoMark(outcome: ResultLine.Outcome) throws {
        var table = Table()
        try table.add("p", needing: [.success, outcome])
        try table.add("p2", needing: [.success, .success])
        #expect(table.log == ["start p", "mark p2"])
    }

    @Test func windowLimitsMarks() throws {
        var table = Table(limit: 2)
        for number in 0..<4 { try table.add("p\(number)") }
        #expect(table.log == ["mark p0", "mark p1"])
        table.marked("p0")
        #expect(table.log.last == "start marked p0")
        table.ended("p0")
        #expect(table.log.last == "mark p2")
    }

    @Test func closeStopsMarksAndSafeLinesContinue() throws {
        var table = Table(limit: 1)
        try table.add("p")
        try table.add("p2")
        table.unmarked.close()
        try table.add("a")
        table.marked("p")
        table.ended("p")
        #expect(table.log == ["mark p", "start a", "start marked p"])
    }

    @Test func stopReleasesEveryLineWithoutAPendingMark() throws {
        var table = Table(limit: 1)
        for id in ["p", "p2", "p3"] { try table.add(id) }
        table.stop()
        #expect(table.log == ["mark p", "start p2", "start p3"] && table.unmarked.count == 1)
        table.marked("p")
        #expect(table.log.last == "start marked p" && table.unmarked.count == 0)
        try table.add("p4")
        #expect(table.log.last == "start p4")
    }

    @Test func lineWithAnUnwritableMarkStartsUnmarked() throws {
        var table = Table()
        try table.add("p")
        table.stop()
        table.marked("p", isDurable: false)
        #expect(table.log == ["mark p", "start p"])
    }

    @Test func scriptedLineNeedsNoTurnAndWaitsAfterClose() throws {
        let plain = try Self.line("p", at: 3, "http://h:1/x?y")
        #expect(plain.ticket == .init(position: 3, lane: "http://h:1", priority: .normal))
        let scripted = try Self.line("p", at: 3, script: [.init(at: 1, action: .pause)])
        #expect(scripted.ticket == nil)
        var unmarked = UnmarkedLines(window: SendWindow(limit: 0, limitPerLane: 0))
        guard case .mark? = unmarked.add(scripted).first else {
            Issue.record("it was not marked")
            return
        }
        unmarked.close()
        #expect(unmarked.add(try Self.line("p2", at: 4, script: [.init(at: 1, action: .pause)])).isEmpty)
        #expect(unmarked.stop().count == 1)
    }
}
