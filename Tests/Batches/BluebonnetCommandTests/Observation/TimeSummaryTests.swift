// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct TimeSummaryTests {
    private func summary(_ script: EventScript, lines: [Int: ObservedLine] = [:]) -> TimeSummary {
        var statistics = RunStatistics()
        for event in script.events { statistics.receive(event, of: event.operation.flatMap { lines[$0] }) }
        return TimeSummary(statistics: statistics, elapsed: 0.1)
    }

    @Test func textHasPhasesWaitsAndTheCriticalPath() {
        var script = EventScript()
        script.addOperation(0, 1)
        script.addOperation(20, 2)
        let lines = [1: ObservedLine(id: "first", isNeeded: true), 2: ObservedLine(id: "b", dependencies: ["first"])]
        #expect(
            summary(script, lines: lines).lines == [
                "phases, at most 2 % wrong        p50       p95       p99",
                "  http://a.test:80, 2 transfers",
                "    nameLookup                1.0 ms    1.0 ms    1.0 ms",
                "    connect                   1.0 ms    1.0 ms    1.0 ms",
                "    tls                       2.0 ms    2.0 ms    2.0 ms",
                "    waiting                   4.0 ms    4.0 ms    4.0 ms",
                "    receiving                 2.0 ms    2.0 ms    2.0 ms",
                "waits, of 22.0 ms of all requests together",
                "  slot                       10.0 ms      45 %  2 requests",
                "critical path: 2 lines, 36.0 ms of 100 ms",
                "  first                      16.0 ms  slot 5.0 ms, waiting 4.0 ms, receiving 2.0 ms",
                "  b                          16.0 ms  slot 5.0 ms, waiting 4.0 ms, receiving 2.0 ms",
            ])
    }

    @Test func onlyTenOriginsAreShown() {
        var script = EventScript()
        for number in 0..<400 {
            script.addHop(0, number, origin: "http://host\(number % 300).test:80")
        }
        let summary = summary(script)
        #expect(summary.lines.filter { $0.hasPrefix("  http") }.count == 10)
        #expect(summary.lines.contains("  other origins, 380 transfers"))
        #expect(summary.statistics.shownOrigins.allSatisfy { $0.origin.hopCount == 2 })
    }

    @Test func jsonHasTheSame() throws {
        var script = EventScript()
        script.addOperation(0, 1)
        script.addOperation(20, 2)
        script.add(40, nil, .eventsDropped(3))
        let lines = [1: ObservedLine(id: "first", isNeeded: true), 2: ObservedLine(id: "b", dependencies: ["first"])]
        var tally = RunTally()
        tally.record(.sample("first", .success, bytes: 7))
        let object = try JSONValue(parsing: summary(script, lines: lines).json(tally))
        #expect(object["elapsed"] == 0.1 && object["bytes"] == 7 && object["droppedEvents"] == 3)
        #expect(object["outcomes"]?["success"] == 1)
        let waiting = object["origins"]?[0]?["phases"]?["waiting"]
        #expect(waiting?["transfers"] == 2 && waiting?["max"] == 0.004 && waiting?["p50"] == 0.004)
        #expect(object["waits"] == [["name": "slot", "seconds": 0.01, "requests": 2]])
        #expect(object["phases"]?.array?.compactMap { $0["name"]?.string } == ["waiting", "receiving"])
        let path = try #require(object["criticalPath"]?.array)
        #expect(path.compactMap { $0["line"]?.string } == ["first", "b"])
        #expect(path.compactMap { $0["begin"]?.number } == [0, 0.02])
        #expect(path[0]["times"]?["slot"] == 0.005)
    }

    @Test func longPathIsShortened() {
        var (script, lines) = (EventScript(), [Int: ObservedLine]())
        for number in 1...30 {
            script.addOperation(Double(number) * 20, number)
            lines[number] = ObservedLine(id: "\(number)", dependencies: ["\(number - 1)"], isNeeded: true)
        }
        let text = summary(script, lines: lines).lines
        #expect(text.contains { $0.hasPrefix("critical path: 30 lines") } && text.last == "  and 10 shorter lines")
    }

    @Test func runWithoutTransfersHasNoLines() { #expect(summary(EventScript()).lines.isEmpty) }
}
