// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct CriticalPathTests {
    /// A line: its dependencies, and when it begins and ends in milliseconds.
    private struct Line {
        let id: String
        var after: [String] = []
        let begin, end: Double
    }

    private func path(_ lines: [Line]) -> CriticalPath {
        let needed = Set(lines.flatMap(\.after))
        var events: [(Double, Int, RequestEvent.Kind)] = []
        for (number, line) in lines.enumerated() {
            events.append((line.begin, number, .queued(nil)))
            events.append((line.end, number, .finished(EventScript.end(phases: [.waiting: line.end - line.begin]))))
        }
        var path = CriticalPath()
        for (time, number, kind) in events.sorted(by: { $0.0 < $1.0 }) {
            let (line, event) = (lines[number], RequestEvent(operation: number, instant: UInt64(time * 1e6), kind))
            path.receive(
                event, of: ObservedLine(id: line.id, dependencies: line.after, isNeeded: needed.contains(line.id)))
        }
        return path
    }

    @Test func chainIsThePath() {
        let path = path([
            Line(id: "a", begin: 0, end: 10), Line(id: "b", after: ["a"], begin: 11, end: 30),
            Line(id: "c", after: ["b"], begin: 31, end: 35), Line(id: "other", begin: 0, end: 34),
        ])
        #expect(path.steps.map(\.id) == ["a", "b", "c"] && path.hasDependencies)
        #expect(path.steps.map { ($0.seconds * 1000).rounded() } == [10, 19, 4])
        #expect(path.steps[1].shares == [.init(name: "waiting", seconds: 0.019)])
    }

    @Test func dependencyThatEndedLastIsOnThePath() {
        let path = path([
            Line(id: "quick", begin: 0, end: 5), Line(id: "slow", begin: 0, end: 20),
            Line(id: "join", after: ["quick", "slow"], begin: 21, end: 30),
            Line(id: "early", after: ["quick"], begin: 6, end: 25),
        ])
        #expect(path.steps.map(\.id) == ["slow", "join"])
    }

    @Test func normalFormsOfOneIDAreTwoLines() {
        let path = path([
            Line(id: "\u{E9}", begin: 0, end: 20), Line(id: "e\u{301}", begin: 0, end: 5),
            Line(id: "last", after: ["e\u{301}"], begin: 21, end: 30),
        ])
        #expect(path.steps.map { Array($0.id.utf8) } == [Array("e\u{301}".utf8), Array("last".utf8)])
    }

    @Test func lineWithoutDependenciesMayBeThePath() {
        let path = path([
            Line(id: "a", begin: 0, end: 10), Line(id: "b", after: ["a"], begin: 11, end: 30),
            Line(id: "long", begin: 0, end: 90),
        ])
        #expect(path.steps.map(\.id) == ["long"] && path.hasDependencies)
    }

    @Test func dependencyOfAnEarlierRunHasNoTime() {
        #expect(path([Line(id: "b", after: ["gone"], begin: 0, end: 10)]).steps.map(\.id) == ["b"])
        #expect(path([]).steps.isEmpty)
        #expect(!path([Line(id: "a", begin: 0, end: 1)]).hasDependencies)
    }

    @Test func diamondHasItsLongerSide() {
        let path = path([
            Line(id: "top", begin: 0, end: 10), Line(id: "left", after: ["top"], begin: 11, end: 20),
            Line(id: "right", after: ["top"], begin: 11, end: 40),
            Line(id: "bottom", after: ["left", "right"], begin: 41, end: 50),
        ])
        #expect(path.steps.map(\.id) == ["top", "right", "bottom"])
    }
}
