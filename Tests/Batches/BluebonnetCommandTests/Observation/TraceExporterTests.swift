// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct TraceExporterTests {
    private func events(_ script: EventScript, lines: [Int: ObservedLine] = [:]) throws -> [JSONValue] {
        var exporter = TraceExporter()
        let file = try JSONValue(parsing: exporter.file(script.events, lines: lines))
        return try #require(file["traceEvents"]?.array)
    }

    private func kind(_ event: JSONValue) -> String { event["ph"]?.string ?? "" }

    /// The category, the id and the process, which the two ends of a slice share.
    private func key(_ event: JSONValue) -> [JSONValue?] { [event["cat"], event["id"], event["pid"]] }

    /// Two lines, of which the second depends on the first; a third runs at the same time as the first.
    private static var dependent: (EventScript, [Int: ObservedLine]) {
        var script = EventScript()
        script.addOperation(0, 1)
        script.addOperation(1, 3, origin: "https://b.test:443")
        script.addOperation(20, 2)
        let lines = [
            1: ObservedLine(id: "line1", isNeeded: true), 3: ObservedLine(id: "line3", isNeeded: true),
            2: ObservedLine(id: "line2", dependencies: ["line1", "line3", "earlier"]),
        ]
        return (script, lines)
    }

    @Test func everySliceHasOneBeginAndOneEnd() throws {
        for (script, lines) in [(EventScript.mixed, [:]), Self.dependent] {
            var open: [[JSONValue?]: [(name: JSONValue?, ts: Double)]] = [:]
            for event in try events(script, lines: lines) where ["b", "e"].contains(kind(event)) {
                let instant = try #require(event["ts"]?.number)
                #expect(instant >= 0 && event["tid"] == 0)
                if kind(event) == "b" {
                    open[key(event), default: []].append((event["name"], instant))
                } else {
                    // Slices of one key are nested: the last begun ends first.
                    let last = open[key(event)]?.popLast()
                    let begin = try #require(last)
                    #expect(begin.name == event["name"] && begin.ts <= instant)
                }
            }
            #expect(open.values.allSatisfy(\.isEmpty) && !open.isEmpty)
        }
    }

    @Test func slicesHaveTheTimesOfTheEvents() throws {
        let events = try events(Self.dependent.0)
        let first = events.filter { $0["id"] == 1 && kind($0) == "b" }
        #expect(
            first.map { "\($0["cat"]?.string ?? "") \($0["name"]?.string ?? "") \($0["ts"]?.number ?? -1)" } == [
                "operation line1 0.0", "wait slot 0.0", "hop GET http://a.test:80/ 5000.0", "hop nameLookup 5000.0",
                "hop connect 6000.0", "hop tls 7000.0", "hop waiting 9000.0", "hop receiving 13000.0",
            ])
        let end = try #require(events.last { $0["id"] == 1 && kind($0) == "e" })
        #expect(end["ts"] == 16000.0 && end["args"]?["outcome"] == "200")
    }

    @Test func eachOriginHasANamedTrack() throws {
        let events = try events(Self.dependent.0)
        let names = events.filter { kind($0) == "M" }.map { $0["args"]?["name"] }
        #expect(names == ["lines", "no origin", "http://a.test:80", "https://b.test:443"])
        let processes = Set(events.filter { kind($0) == "M" }.compactMap { $0["pid"]?.integer })
        #expect(processes.count == 4)
        #expect(events.allSatisfy { processes.contains($0["pid"]?.integer ?? 0) })
    }

    @Test func arrowsBeginAndEndInSlices() throws {
        let (script, lines) = Self.dependent
        let events = try events(script, lines: lines)
        let slices = events.filter { kind($0) == "X" }
        #expect(slices.compactMap { $0["name"]?.string } == ["line1", "line3", "line2"])
        let arrows = events.filter { ["s", "f"].contains(kind($0)) }
        #expect(arrows.map { kind($0) } == ["s", "f", "s", "f"])
        #expect(arrows.map { $0["id"]?.integer } == [1, 1, 2, 2])
        for arrow in arrows {
            let instant = try #require(arrow["ts"]?.number)
            let around = slices.filter { slice in
                let (begin, length) = (slice["ts"]?.number ?? 0, slice["dur"]?.number ?? 0)
                return slice["pid"] == arrow["pid"] && slice["tid"] == arrow["tid"] && begin <= instant
                    && instant <= begin + length
            }
            #expect(around.count == 1)
        }
    }

    @Test func slicesOfOneThreadDoNotOverlap() throws {
        var script = EventScript()
        for number in 1...6 { script.addOperation(Double(number) * 4, number) }
        let ordered = script.events.sorted { $0.instant < $1.instant }
        let lines = Dictionary(uniqueKeysWithValues: (1...6).map { ($0, ObservedLine(id: "\($0)", isNeeded: true)) })
        var exporter = TraceExporter()
        let file = try JSONValue(parsing: exporter.file(ordered, lines: lines))
        let slices = (file["traceEvents"]?.array ?? []).filter { kind($0) == "X" }
        #expect(slices.count == 6)
        for thread in Dictionary(grouping: slices, by: { $0["tid"]?.integer ?? 0 }).values {
            let times = thread.map { ($0["ts"]?.number ?? 0, $0["dur"]?.number ?? 0) }.sorted { $0.0 < $1.0 }
            #expect(zip(times, times.dropFirst()).allSatisfy { $0.0 + $0.1 <= $1.0 })
        }
    }

    @Test func countersFollowTheOperations() throws {
        var script = EventScript()
        script.add(0, 1, .queued(.slot(limit: 1)))
        script.add(2, 1, .hopBegan(.init(method: "GET", url: "http://a.test/")))
        script.add(4, 2, .queued(.hold(origin: "http://a.test:80", until: EventScript.start, status: 429)))
        script.add(6, 1, .hopEnded(.init(.complete)))
        script.add(8, 1, .finished(EventScript.end()))
        script.add(10, 2, .finished(EventScript.end()))
        let counters = try events(script).filter { kind($0) == "C" }
        #expect(counters.map { $0["args"]?["in-flight"]?.integer } == [0, 1, 1, 0, 0])
        #expect(counters.map { $0["args"]?["waiting"]?.integer } == [1, 0, 0, 0, 0])
        #expect(counters.map { $0["args"]?["on-hold"]?.integer } == [0, 0, 1, 1, 0])
        #expect(counters.allSatisfy { ($0["ts"]?.number ?? -1) >= 0 })
    }

    @Test func operationWithoutAHopIsShownWithItsWait() throws {
        var script = EventScript()
        script.add(0, 1, .queued(nil))
        script.add(1, 1, .waitBegan(.credential))
        script.add(5, 1, .waitEnded(.credential))
        script.add(6, 1, .finished(EventScript.end(error: .cancelled)))
        let slices = try events(script).filter { kind($0) == "b" || kind($0) == "e" }
        #expect(slices.map { $0["name"]?.string } == ["line1", "credential", "credential", "line1"])
        #expect(slices.last?["args"]?["outcome"] == "cancelled")
    }
}
