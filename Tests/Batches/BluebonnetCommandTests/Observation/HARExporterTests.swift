// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct HARExporterTests {
    private func file(_ script: EventScript) throws -> JSONValue {
        var exporter = HARExporter()
        return try JSONValue(parsing: exporter.file(script.events))
    }

    private func entries(_ script: EventScript) throws -> [JSONValue] {
        try #require(try file(script)["log"]?["entries"]?.array)
    }

    @Test func fileHasTheMembersOfTheFormat() throws {
        #expect(HARFormat.problems(try file(.mixed)) == [])
        #expect(HARFormat.problems(try file(EventScript())) == [])
        #expect(try file(.mixed)["log"]?["version"] == "1.2")
    }

    @Test func formatFindsMissingMembers() throws {
        var broken = try file(.mixed).object ?? JSONObject()
        broken["log"] = .object(["version": "1.2", "entries": [.object(["time": "1"])]])
        #expect(HARFormat.problems(.object(broken)).count > 5)
    }

    @Test func everyEventLeavesACompleteFile() throws {
        var exporter = HARExporter()
        var text = exporter.head
        for event in EventScript.mixed.events {
            text += exporter.receive(event, of: nil)
            #expect(HARFormat.problems(try JSONValue(parsing: text + exporter.tail)) == [])
        }
    }

    @Test func redirectsAndRetriesAreEntriesOfTheirOwn() throws {
        let entries = try entries(.mixed)
        #expect(entries.compactMap { $0["_line"]?.string } == ["line1", "line1", "line2", "line2", "line3"])
        #expect(entries.compactMap { $0["response"]?["status"]?.integer } == [302, 200, 503, 200, 200])
        #expect(entries.compactMap { $0["_attempt"]?.integer } == [1, 1, 1, 2, 1])
        #expect(entries.compactMap { $0["_resendCount"]?.integer } == [0, 0, 0, 1, 0])
        #expect(entries.map { $0["_error"]?.string } == [nil, nil, nil, nil, "connectionLost"])
        #expect(entries[0]["response"]?["redirectURL"] == "/new")
        #expect(entries[0]["serverIPAddress"] == "127.0.0.1" && entries[0]["connection"] == "3")
    }

    @Test func waitBeforeAHopIsBlockedTime() throws {
        let entries = try entries(.mixed)
        #expect(entries.compactMap { $0["timings"]?["blocked"]?.number } == [2, 1, 23, 16, 1])
        #expect(entries[3]["startedDateTime"] == "2026-11-28T09:00:00.034000Z")
        #expect(entries[3]["time"]?.number == 26)
    }

    @Test func connectContainsTLS() throws {
        let timings = try #require(try entries(.mixed).first?["timings"])
        let names = ["dns", "connect", "ssl", "send", "wait", "receive"]
        #expect(names.map { timings[$0]?.number } == [1, 3, 2, 0, 4, 2])
    }

    @Test func keptConnectionHasNoConnectingTimes() throws {
        var script = EventScript()
        script.add(0, 1, .queued(nil))
        script.add(0, 1, .hopBegan(.init(method: "PUT", url: "http://a.test/x", bodyByteCount: 7)))
        script.add(1, 1, .connectionAcquired(.init(.init(number: 1), isReused: true)))
        script.add(3, 1, .requestBodySent(byteCount: 7))
        let phases = RequestEvent.HopPhases(waiting: .milliseconds(10))
        script.add(10, 1, .hopEnded(.init(.failed(.timedOut), sentByteCount: 7, phases: phases)))
        let file = try file(script)
        #expect(HARFormat.problems(file) == [])
        let entry = try #require(file["log"]?["entries"]?[0])
        let names = ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"]
        #expect(names.map { entry["timings"]?[$0]?.number } == [-1, -1, -1, -1, 2, 8, 0])
        #expect(entry["response"]?["status"] == 0 && entry["_error"] == "timedOut")
        #expect(entry["request"]?["bodySize"] == 7 && entry["response"]?["bodySize"] == -1)
        #expect(entry["serverIPAddress"] == nil)
    }

    @Test func contentHasTheDecodedSize() throws {
        var script = EventScript()
        script.add(0, 1, .queued(nil))
        for decoded in [Int64(1_000), 100, nil] {
            script.add(1, 1, .hopBegan(.init(method: "GET", url: "http://a.test/")))
            script.add(2, 1, .responseHead(.init(statusCode: 200, headers: [("Content-Encoding", "gzip")])))
            let end = RequestEvent.HopEnd(
                .complete, statusCode: 200, receivedByteCount: 100, decodedByteCount: decoded)
            script.add(3, 1, .hopEnded(end))
        }
        let file = try file(script)
        #expect(HARFormat.problems(file) == [])
        let responses = (file["log"]?["entries"]?.array ?? []).map { $0["response"] }
        #expect(responses.map { $0?["bodySize"]?.integer } == [100, 100, 100])
        #expect(responses.map { $0?["content"]?["size"]?.integer } == [1_000, 100, 100])
        #expect(responses.map { $0?["content"]?["compression"]?.integer } == [900, nil, nil])
    }

    @Test func sendingEndsWithTheHeadOrTheBody() throws {
        var script = EventScript()
        script.add(0, 1, .queued(nil))
        for hasBody in [false, true] {
            script.add(1, 1, .hopBegan(.init(method: "PUT", url: "http://a.test/")))
            script.add(2, 1, .connectionAcquired(.init(.init(number: 1), isReused: true)))
            script.add(5, 1, .requestHeadSent)
            if hasBody { script.add(8, 1, .requestBodySent(byteCount: 7)) }
            script.add(9, 1, .responseHead(.init(statusCode: 200)))
            script.add(12, 1, .hopEnded(.init(.complete, phases: .init(waiting: .milliseconds(10)))))
        }
        let timings = try entries(script).map { $0["timings"] }
        #expect(timings.map { $0?["send"]?.number } == [3, 6])
        #expect(timings.map { $0?["wait"]?.number } == [7, 4])
    }

    @Test func queryAndCookiesAreListed() throws {
        var script = EventScript()
        script.addHop(
            0, 1, url: "http://a.test/?q=a+b%21&empty&token=s3cret#part", headers: [("Cookie", "a=s3cret; b=s3cret")],
            responseHeaders: [("Set-Cookie", "sid=s3cret; Path=/"), ("Content-Type", "text/plain")])
        let entry = try #require(try entries(script).first)
        let pairs = { (list: JSONValue?) in
            (list?.array ?? []).map { "\($0["name"]?.string ?? "")=\($0["value"]?.string ?? "")" }
        }
        #expect(pairs(entry["request"]?["queryString"]) == ["q=a b!", "empty=", "token=REDACTED"])
        #expect(pairs(entry["request"]?["cookies"]) == ["a=REDACTED", "b=REDACTED"])
        #expect(pairs(entry["response"]?["cookies"]) == ["sid=REDACTED"])
        #expect(entry["response"]?["content"]?["mimeType"] == "text/plain")
    }
}
