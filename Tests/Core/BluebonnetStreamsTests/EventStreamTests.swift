// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetLocks
import BluebonnetStreams
import BluebonnetTestServer
import Foundation
import Testing

/// Server-sent events over one or more responses.
@Suite(.timeLimit(.minutes(1))) struct EventStreamTests {
    private struct Delta: Codable, Sendable, Equatable {
        let text: String
    }

    private static let fields: WireFields = ["Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"]

    private static func stream(_ texts: String..., then end: Reply.Step = .trailers([:])) -> Reply {
        Reply([.head(status: 200, fields: fields)] + texts.map { .chunk(Data($0.utf8)) } + [end])
    }

    /// Answers the requests in turn; the last reply is repeated.
    private static func serving(
        _ replies: Reply..., body: (TestServer, RequestOperationManager) async throws -> Void
    ) async throws {
        let count = Mutex(0)
        let server = try await TestServer.start { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return replies[min(number, replies.count) - 1]
        }
        do {
            try await body(server, RequestOperationManager(baseURL: server.url("/")))
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }

    private static func quick(_ count: Int) -> EventStreamPolicy {
        var policy = EventStreamPolicy.attempts(count)
        policy.initialDelay = .milliseconds(1)
        return policy
    }

    @Test func answerOfALanguageModelIsDecoded() async throws {
        let reply = Self.stream(
            ": ping\n\n", "data: {\"text\":\"Hel", "lo\"}\n\n", "event: delta\ndata: {\"text\":\"!\"}\n\n",
            "data: [DONE]\n\n")
        try await Self.serving(reply) { server, manager in
            var events: [DecodedEvent<Delta>] = []
            let question = RequestBody.json(["prompt": "Hi"])
            for try await event in manager.events("v1/chat", body: question, as: Delta.self, done: "[DONE]") {
                events.append(event)
            }
            #expect(events.map(\.data.text) == ["Hello", "!"] && events.map(\.event) == ["message", "delta"])
            let request = try #require(server.history.requests.first)
            #expect(request.method == "POST" && request.headers["Accept"] == "text/event-stream")
            #expect(request.headers["Cache-Control"] == "no-store")
        }
    }

    @Test func connectionIsReusedAfterTheEndMark() async throws {
        try await Self.serving(Self.stream("data: a\n\ndata: [DONE]\n\n")) { server, manager in
            for _ in 0..<3 {
                for try await _ in manager.events("chat", body: .text("?"), done: "[DONE]") {}
                await becomes(0) { manager.operationQueue.operationCount }
            }
            #expect(server.history.connections.count == 1)
        }
    }

    @Test func bodyWithoutTheEndMarkIsAnError() async throws {
        try await Self.serving(Self.stream("data: a\n\n")) { _, manager in
            var count = 0
            let error = await #expect(throws: NetworkingError.self) {
                for try await _ in manager.events("chat", body: .text("?"), done: "[DONE]") { count += 1 }
            }
            #expect(count == 1 && error?.code == .badServerResponse)
            #expect(error?.message == "the event stream has ended without the event \"[DONE]\"")
        }
    }

    @Test func cutStreamIsAnErrorForPOST() async throws {
        try await Self.serving(Self.stream("data: a\n\n", then: .close)) { server, manager in
            var data: [String] = []
            await #expect(throws: NetworkingError.self) {
                for try await event in manager.events("chat", body: .text("?")) { data.append(event.data) }
            }
            #expect(data == ["a"] && server.history.requests.count == 1)
        }
    }

    @Test func cutStreamContinuesAfterTheLastEvent() async throws {
        try await Self.serving(
            Self.stream("retry: 5\nid: 1\ndata: a\n\nid: 2\ndata: b\n\ndata: unfin", then: .reset),
            Self.stream("id: 3\ndata: c\n\n", then: .close), .response(status: 204)
        ) { server, manager in
            var data: [String] = []
            for try await event in manager.events("news") { data.append("\(event.id)\(event.data)") }
            #expect(data == ["1a", "2b", "3c"])
            let requests = server.history.requests
            #expect(requests.map { $0.headers["Last-Event-ID"] } == [nil, "2", "3"])
        }
    }

    @Test func reconnectionsInVainEndTheStream() async throws {
        try await Self.serving(Self.stream("data: a\n\n", then: .close), Self.stream(then: .close)) { server, manager in
            var count = 0
            var policy = Self.quick(1)
            policy.maximumDelay = .milliseconds(1)
            await #expect(throws: NetworkingError.self) {
                for try await _ in manager.events("news", policy: policy) { count += 1 }
            }
            #expect(count == 1 && server.history.requests.count == 2)
        }
    }

    @Test func keyPermitsToSendAPOSTAgain() async throws {
        try await Self.serving(
            Self.stream("retry: 1\nid: 7\ndata: a\n\n", then: .close), Self.stream("data: [DONE]\n\n")
        ) { server, manager in
            let call = manager.call("POST", "chat").body(.text("?")).configure { $0.idempotencyKey = "k-1" }
            var count = 0
            for try await _ in call.events(policy: Self.quick(3), done: "[DONE]") { count += 1 }
            let requests = server.history.requests
            #expect(count == 1 && requests.map { $0.headers["Idempotency-Key"] } == ["k-1", "k-1"])
            #expect(requests.last?.headers["Last-Event-ID"] == "7")
        }
    }

    @Test func automaticKeyIsKeptForTheNextRequest() async throws {
        try await Self.serving(
            Self.stream("retry: 1\nid: 7\ndata: a\n\n", then: .reset), Self.stream("data: [DONE]\n\n")
        ) { server, manager in
            let call = manager.call("POST", "chat").body(.text("?")).configure { $0.idempotencyKey = .automatic }
            for try await _ in call.events(policy: Self.quick(3), done: "[DONE]") {}
            let keys = server.history.requests.map { $0.headers["Idempotency-Key"] }
            #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
        }
    }

    @Test func otherContentTypeIsAnError() async throws {
        try await Self.serving(.response(headers: ["Content-Type": "text/html"], body: "<p>")) { server, manager in
            let error = await #expect(throws: NetworkingError.self) {
                for try await _ in manager.events("news") {}
            }
            #expect(error?.code == .unacceptableContentType)
            #expect(error?.message == "the response is not an event stream, but text/html")
            #expect(server.history.requests.count == 1)
        }
    }

    @Test func eventThatCannotBeDecodedIsNamed() async throws {
        try await Self.serving(Self.stream("data: {\"text\":\"a\"}\n\ndata: {}\n\n")) { _, manager in
            var iterator = manager.events("chat", body: .text("?"), as: Delta.self).makeAsyncIterator()
            let first = try await iterator.next()
            #expect(first?.data == Delta(text: "a"))
            let error = await #expect(throws: NetworkingError.self) { try await iterator.next() }
            #expect(error?.message.hasPrefix("event 2 cannot be decoded") == true)
            let rest = try await iterator.next()
            #expect(rest == nil)
        }
    }

    @Test func cancelledTaskEndsTheWaitForAReconnection() async throws {
        try await Self.serving(Self.stream("retry: 60000\ndata: a\n\n")) { _, manager in
            let seen = Observed(0)
            let task = Task {
                for try await _ in manager.events("news") { seen.update { $0 += 1 } }
            }
            await seen.becomes(1)
            task.cancel()
            let error = await #expect(throws: NetworkingError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
    }
}
