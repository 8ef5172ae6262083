// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetStreams
import BluebonnetTesting
import Foundation
import Testing

/// Answers whose bodies arrive over the time of a test.
@Suite(.timeLimit(.minutes(1))) struct StreamedAnswerTests {
    private static func manager(_ answer: TestAnswer, clock: TestClock? = nil) -> RequestOperationManager {
        RequestOperationManager(clock: clock) { _ in answer }
    }

    /// Returns the lines of a stream before its end, and its error.
    private static func lines(
        of manager: RequestOperationManager
    ) async -> (lines: [String], error: NetworkingError?) {
        var lines: [String] = []
        do throws(NetworkingError) {
            for try await line in try await manager.stream("feed").lines { lines.append(line) }
            return (lines, nil)
        } catch {
            return (lines, error)
        }
    }

    @Test func partsArriveAtTheirTime() async throws {
        let clock = TestClock()
        let answer = TestAnswer.stream(.line("a"), .pause(.seconds(5)), .line("b"), .pause(.seconds(50)))
        let manager = Self.manager(answer, clock: clock)
        var arrivals: [String: TimeInterval] = [:]
        try await clock.advance {
            for try await line in try await manager.stream("feed").lines {
                arrivals[line] = clock.date.timeIntervalSince(TestClock().date)
            }
        }
        let (first, second) = (try #require(arrivals["a"]), try #require(arrivals["b"]))
        #expect(first <= second && second >= 5)
        #expect(clock.date.timeIntervalSince(TestClock().date) >= 55)
    }

    @Test(arguments: ["a\r\nb", "a\nb", "a\rb"]) func eachLineOfAnEventArrives(data: String) async throws {
        let manager = Self.manager(.events(.comment(data), .event(data, id: "1")))
        var events: [String] = []
        for try await event in manager.events("feed") {
            events.append(event.data)
            break  // a GET would be sent again
        }
        #expect(events == ["a\nb"])
    }

    @Test func rangesDoNotApplyToStreams() async throws {
        let manager = Self.manager(TestAnswer.stream(.line("a")).answeringRanges())
        let response = try await manager.call("feed").header("Range", "bytes=0-0").response()
        #expect(response.statusCode == 200 && response.value == Data("a\n".utf8))
    }

    @Test func pauseHoldsOnlyTheRestOfTheBody() async throws {
        let clock = TestClock()
        let manager = Self.manager(.stream(.line("a"), .pause(.seconds(5)), .line("b")), clock: clock)
        let response = try await manager.stream("feed")
        var lines = response.lines.makeAsyncIterator()
        #expect(try await lines.next() == "a")
        #expect(!response.operation.isFinished)
        let second = try await clock.advance { try await lines.next() }
        #expect(second == "b")
        #expect(try await lines.next() == nil)
    }

    @Test func bodyOfAllPartsIsComplete() async throws {
        let manager = Self.manager(.stream(.text("a"), .data(Data("b".utf8)), .jsonLine(["c": 1]), type: "text/plain"))
        let operation = manager.operation("GET", "a", responseSerializer: HTTPResponseSerializer())
        try await manager.run(operation)
        #expect(operation.responseString == "ab{\"c\":1}\n")
        #expect(operation.responseHeaders["Transfer-Encoding"] == "chunked")
        #expect(operation.responseHeaders["Content-Length"] == nil)
        #expect(operation.responseHeaders["Content-Type"] == "text/plain")
    }

    @Test func cutIsAnErrorAfterTheEarlierParts() async throws {
        let (lines, error) = await Self.lines(of: Self.manager(.stream(.line("a"), .text("b"), .cut, .line("c"))))
        #expect(lines == ["a"] && error?.code == .badServerResponse)
    }

    @Test func stallEndsAtATimeLimit() async throws {
        let clock = TestClock()
        let manager = Self.manager(.stream(.line("a"), .stall, .line("b")), clock: clock)
        let (lines, error) = await clock.advance { await Self.lines(of: manager) }
        #expect(lines == ["a"] && error?.timeLimit == .idle)
    }

    /// The fourth byte is the first of the second line.
    @Test(arguments: [(4, "a1"), (3, "a1"), (2, "")])
    func cutByNumberOfBytesCountsAllParts(byteCount: Int, line: String) async throws {
        let answer = TestAnswer.stream(.line("a1"), .pause(.seconds(1)), .line("b2"))
        let clock = TestClock()
        let cut = Self.manager(answer.cut(afterByteCount: byteCount), clock: clock)
        let (lines, error) = await clock.advance { await Self.lines(of: cut) }
        #expect(lines == (line.isEmpty ? [] : [line]) && error?.code == .badServerResponse)
        let stalling = Self.manager(answer.stalling(afterByteCount: byteCount), clock: clock)
        let (others, limit) = await clock.advance { await Self.lines(of: stalling) }
        #expect(others == lines && limit?.timeLimit == .idle)
    }

    @Test func trailersFollowTheBody() async throws {
        for answer in [TestAnswer.stream(.line("a")), .text("a\n")] {
            let response = try await Self.manager(answer.trailers(["X-Sum": "1", "X-Note": ""])).stream("feed")
            #expect(response.headers["X-Sum"] == nil)
            for try await line in response.lines { #expect(line == "a") }
            #expect(response.trailers == ["X-Sum": "1", "X-Note": ""])
        }
    }

    @Test func cutAnswerHasNoTrailers() async throws {
        let manager = Self.manager(.stream(.line("a"), .cut).trailers(["X-Sum": "1"]))
        let operation = manager.operation("GET", "a")
        _ = try? await manager.run(operation)
        #expect(operation.error?.code == .badServerResponse && operation.summary.trailers.isEmpty)
    }

    @Test func responseToHeadHasNoParts() async throws {
        let manager = Self.manager(.stream(.line("a"), .cut).trailers(["X-Sum": "1"]))
        let response = try await manager.call("HEAD", "a").response()
        #expect(response.statusCode == 200)
    }

    @Test func trailersOfTheRequestReachTheBlock() async throws {
        let manager = RequestOperationManager { .text($0.trailers["X-Sum"] ?? "none") }
        let pieces = AsyncStream<Data> { continuation in
            continuation.yield(Data("abc".utf8))
            continuation.finish()
        }
        let body = RequestBody.stream(pieces, trailers: { ["X-Sum": "3"] })
        let sum: String = try await manager.call("POST", "a").body(body).value()
        let none: String = try await manager.get("a")
        #expect(sum == "3" && none == "none")
        #expect(manager.sentRequests.first?.text == "abc")
    }
}

// MARK: - Server-sent events

extension StreamedAnswerTests {
    @Test func eventsHaveTheirFormat() async throws {
        let answer = TestAnswer.events(
            .event("a\nb", type: "update", id: "7", retry: .milliseconds(1500)), .comment("alive"), .event(""))
        let manager = Self.manager(answer)
        let operation = manager.operation("GET", "a", responseSerializer: HTTPResponseSerializer())
        try await manager.run(operation)
        let text = "event: update\nid: 7\nretry: 1500\ndata: a\ndata: b\n\n:alive\n\ndata: \n\n"
        #expect(operation.responseString == text)
        #expect(operation.responseHeaders["Content-Type"] == "text/event-stream")
    }

    /// 3 seconds, and 50 % longer: random waits have their maximum length.
    @Test func reconnectionFollowsTheClock() async throws {
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { request in
            guard let id = request.headers["Last-Event-ID"] else { return .events(.event("a", id: "1"), .cut) }
            return id == "1" ? .events(.event("b", id: "2"), .cut) : .status(204)
        }
        var events: [String] = []
        try await clock.advance {
            for try await event in manager.events("news") { events.append("\(event.id): \(event.data)") }
        }
        #expect(events == ["1: a", "2: b"])
        #expect(manager.sentRequests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "2"])
        #expect(clock.date.timeIntervalSince(TestClock().date) >= 9)
    }

    @Test func reconnectionWaitsUntilTheClockAdvances() async throws {
        let clock = TestClock()
        let manager = RequestOperationManager(clock: clock) { request in
            request.headers["Last-Event-ID"] == nil ? .events(.event("a", id: "1")) : .status(204)
        }
        let reading = Task { try await manager.events("news").reduce(0) { count, _ in count + 1 } }
        await clock.waitUntilOperationsWait()
        await clock.advance(by: .milliseconds(4_499))
        #expect(await clock.waitingOperationCount == 1 && manager.sentRequests.count == 1)
        await clock.advance(by: .milliseconds(1))
        #expect(try await reading.value == 1)
        #expect(manager.sentRequests.count == 2)
    }
}
