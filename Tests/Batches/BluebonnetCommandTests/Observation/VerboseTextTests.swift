// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct VerboseTextTests {
    private func lines(_ script: EventScript) -> [String] {
        var text = VerboseText()
        return script.events.map { text.receive($0, of: nil) }.joined().split(separator: "\n").map(String.init)
    }

    @Test func requestIsToldLineByLine() {
        var script = EventScript()
        script.addOperation(0, 1)
        #expect(
            lines(script) == [
                "   0.005  line1         > GET http://a.test:80/",
                "   0.009  line1         connection 3 to 127.0.0.1 port 80",
                "   0.013  line1         < HTTP/1.1 200",
                "   0.015  line1         = complete: 100 B, nameLookup 1.0 ms, connect 1.0 ms, tls 2.0 ms, "
                    + "waiting 4.0 ms, receiving 2.0 ms",
                "   0.016  line1         succeeded in 11.0 ms, of which slot 5.0 ms",
            ])
    }

    @Test func waitsAreToldWithTheirReasons() {
        var script = EventScript()
        script.add(0, 1, .queued(nil))
        script.add(0, 1, .waitBegan(.slot(limit: 6)))
        script.add(1500, 1, .waitEnded(.slot))
        script.add(1500, 1, .waitBegan(.adapter))
        script.add(1500.1, 1, .waitEnded(.adapter))
        script.add(1600, 1, .waitBegan(.hold(origin: "http://a.test:80", until: EventScript.start, status: 429)))
        #expect(
            lines(script) == [
                "   1.500  line1         waited 1.50 s (slot)",
                "   1.600  line1         waits (hold): http://a.test:80 is on hold until 2026-11-28T09:00:00Z, because "
                    + "its server answered 429 and asked clients to wait",
            ])
    }

    @Test func decisionsAreToldWithTheirCauses() {
        var script = EventScript()
        let facts = RequestEvent.RetryFacts(code: .unacceptableStatus, statusCode: 503)
        script.add(0, 1, .retryDecided(.retry(after: .milliseconds(500), rule: .retryAfter, facts)))
        script.add(0, 1, .retryDecided(.stop(.attemptsUsedUp, .init(code: .timedOut))))
        script.add(0, 1, .finished(EventScript.end(error: .timedOut)))
        script.add(0, nil, .connectionClosed(.init(number: 4), .closedByServer))
        script.add(0, nil, .eventsDropped(2))
        #expect(
            lines(script).map { $0.dropFirst(24) } == [
                "another attempt in 500 ms (retryAfter) after status 503",
                "no further attempt (attemptsUsedUp) after timedOut", "ended with timedOut in 0 µs",
                "connection 4 closed (closedByServer)", "2 events lost, because this output is slow",
            ])
    }

    @Test func controlCharactersDoNotReachTheTerminal() {
        var script = EventScript()
        script.add(0, 1, .redirectDecided(status: 302, target: "http://a.test/\u{1B}[2J\n"))
        #expect(lines(script).map { $0.dropFirst(24) } == ["follows the redirect 302 to http://a.test/?[2J?"])
    }

    @Test(arguments: [(0.000_031, "31 µs"), (0.0004, "0.4 ms"), (0.12, "120 ms"), (1.25, "1.25 s"), (125, "2:05")])
    func durationHasAFittingUnit(seconds: Double, text: String) { #expect(EventText.duration(seconds) == text) }
}
