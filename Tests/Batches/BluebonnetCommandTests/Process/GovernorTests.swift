// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    /// Lines whose server asks for patience (Retry-After).
    @Suite struct GovernorTests {
        /// Refuses the first request, and records when each request arrived.
        private static func script(_ times: Observed<[ContinuousClock.Instant]>, patience: Int) -> TestServer.Script {
            { _ in
                let number = times.update { times in
                    times.append(.now)
                    return times.count
                }
                return number == 1
                    ? .response(status: 429, headers: ["Retry-After": "\(patience)"], body: "busy")
                    : .response(body: "fine")
            }
        }

        @Test func retriesRespectRetryAfter() async throws {
            let times = Observed<[ContinuousClock.Instant]>([])
            try await CommandFixture.with(Self.script(times, patience: 1)) { fixture in
                let lines = [#"{"id":"1","url":"a"}"#, #"{"url":"b","after":["1"]}"#, #"{"url":"c","after":["1"]}"#]
                let end = try await fixture.run(lines, ["--retries", "1", "--progress", "always"])
                #expect(end.status == 0, "\(end.errors)")
                #expect(end.errors.contains("1 request retried: 1 after status 429"))
                let seen = times.value
                #expect(seen.count == 4 && seen[1] - seen[0] >= .milliseconds(990))
            }
        }

        @Test func barsShowTheOriginOnHold() async throws {
            let times = Observed<[ContinuousClock.Instant]>([])
            try await CommandFixture.with(Self.script(times, patience: 2)) { fixture in
                let terminal = try TestTerminal(columns: 79)
                let process = try fixture.start(
                    [fixture.file([#"{"url":"a"}"#, #"{"url":"b"}"#]), "--retries", "1", "--per-origin", "1"],
                    errors: terminal.inside)
                let text = await terminal.read(until: "waiting")
                #expect(text.contains("1 to retry"))
                #expect(text.contains("  http://127.0.0.1:\(fixture.server.port)  on hold for 0:0"))
                _ = await terminal.read(until: "2 succeeded")
                #expect(await process.end().status == 0)
                terminal.close()
            }
        }

        @Test(arguments: ["--rate", "--origin-rate"]) func rateSpacesTheRequests(option: String) async throws {
            let times = Observed<[ContinuousClock.Instant]>([])
            try await CommandFixture.with { _ in
                times.append(.now)
                return .response(body: "fine")
            } _: { fixture in
                let start = ContinuousClock.now
                let end = try await fixture.run((0..<6).map { #"{"url":"\#($0)"}"# }, [option, "10/s"])
                #expect(end.status == 0, "\(end.errors)")
                let seen = times.value
                #expect(seen.count == 6)
                // The first request starts at once, the others a tenth of a second apart. On a busy machine the server
                // sees the first one late.
                #expect(seen[5] - start >= .milliseconds(500))
            }
        }
    }
}
