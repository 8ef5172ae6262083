// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetStreams
import BluebonnetTesting
import Testing

// Streamed answers of tests.
extension PageTests {
    @Test func streamedAnswersOfThePageArrive() async throws {
        // BLOCK TestingYourProgram.md
        let feed = TestAnswer.stream(
            .line("one"), .pause(.seconds(5)), .line("two"),
            type: "text/plain"
        ).trailers(["X-Count": "2"])
        let broken = TestAnswer.stream(.jsonLine(["id": 1]), .cut)
        let news = TestAnswer.events(
            .event("first", id: "1"), .pause(.seconds(30)),
            .comment("alive"), .event("second", id: "2"), .stall)
        // END
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { request in
            switch request.path {
            case "/feed": feed
            case "/news": news
            default: broken
            }
        }
        let response = try await manager.stream("feed")
        let lines = try await clock.advance { try await response.lines.reduce(into: []) { $0.append($1) } }
        #expect(lines == ["one", "two"] && response.trailers["X-Count"] == "2")
        let error = await #expect(throws: NetworkingError.self) {
            for try await item in try await manager.stream("broken").jsonLines(as: JSONValue.self) {
                #expect(item["id"] == 1)
            }
        }
        #expect(error?.code == .badServerResponse)
        var events = manager.events("news", policy: .never).makeAsyncIterator()
        #expect(try await events.next()?.data == "first")
        let second = try await clock.advance { try await events.next() }
        #expect(second?.data == "second")
    }

    @Test func commentsOfStreamedAnswersRun() async throws {
        do {
            // BLOCK StreamedAnswer.swift
            let feed = TestAnswer.stream(.line("one"), .pause(.seconds(5)), .line("two"))
            // END
            let clock = TestClock()
            let manager = RequestOperationManager(clock: clock) { _ in feed }
            // BLOCK TestClock.swift
            let lines = try await clock.advance {
                try await manager.stream("feed").lines.reduce(into: []) { $0.append($1) }
            }
            // END
            #expect(lines == ["one", "two"])
        }
        // BLOCK StreamedAnswer.swift
        let news = TestAnswer.events(.event("first", id: "1"), .pause(.seconds(30)), .comment(), .cut)
        // END
        let manager = RequestOperationManager { _ in news }
        var events = manager.events("news").makeAsyncIterator()
        #expect(try await events.next()?.data == "first")
    }

    @Test func eventsOfThePageFollowTheClock() async throws {
        // BLOCK TestingYourProgram.md
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { request in
            request.headers["Last-Event-ID"] == nil
                ? .events(.event("first", id: "1"), .cut) : .status(204)
        }
        var events: [String] = []
        try await clock.advance {
            for try await event in manager.events("news") {
                events.append(event.data)
            }
        }
        #expect(events == ["first"])
        // END
    }
}
