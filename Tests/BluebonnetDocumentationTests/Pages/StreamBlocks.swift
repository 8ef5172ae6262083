// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetStreams
import BluebonnetTestServer
import Foundation
import Testing

// Responses that are read while they arrive.
extension PageTests {
    private struct Update: Codable, Sendable { var text: String }
    private typealias Delta = Update

    /// A server of lines, JSON values and events. The second request for news has status 204.
    private static func serving(_ body: (TestServer, RequestOperationManager) async throws -> Void) async throws {
        let server = try await TestServer.start { request in
            let events: WireFields = ["Content-Type": "text/event-stream"]
            let update = "{\"text\":\"a\"}"
            switch request.path {
            case "/feed", "/feed.ndjson": return .response(body: update + "\n" + update)
            case "/news" where request.headers["Last-Event-ID"] != nil: return .response(status: 204)
            case "/news": return .response(headers: events, body: "retry: 1\nid: 1\ndata: new\n\n")
            case "/v1/chat": return .response(headers: events, body: "data: \(update)\n\ndata: [DONE]\n\n")
            default: return .response(headers: ["Content-Type": "application/json"], body: "{}")
            }
        }
        do {
            try await body(server, RequestOperationManager(baseURL: server.url("/")))
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }

    @Test func commentsOfStreamsRun() async throws {
        try await Self.serving { server, manager in
            do {
                // BLOCK StreamResponse.swift
                let response = try await manager.stream("feed")
                print(response.statusCode)
                for try await line in response.lines { print(line) }
                // END
            }
            do {
                // BLOCK StreamVerbs.swift
                let response = try await manager.stream("feed.ndjson")
                for try await update in response.jsonLines(as: Update.self) { print(update.text) }
                // END
            }
            // BLOCK StreamVerbs.swift
            for try await event in manager.events("news") { print(event.event, event.data) }
            // END
            // BLOCK StreamVerbs.swift
            let question = RequestBody.json(["prompt": "Hello", "stream": true])
            for try await delta in manager.events("v1/chat", body: question, as: Delta.self, done: "[DONE]") {
                print(delta.data.text)
            }
            // END
            let sent = server.history.requests.map(\.path)
            #expect(sent == ["/feed", "/feed.ndjson", "/news", "/news", "/v1/chat"])
        }
    }

    @Test func streamsOfThePageRun() async throws {
        try await Self.serving { server, manager in
            // BLOCK LinesAndEvents.md
            let response = try await manager.stream("feed.ndjson")
            print(response.statusCode)
            for try await update in response.jsonLines(as: Update.self) {
                print(update.text)
            }
            // END
            // BLOCK LinesAndEvents.md
            for try await event in manager.events("news") {
                print(event.id, event.event, event.data)
            }
            // END
            // BLOCK LinesAndEvents.md
            let question = RequestBody.json(["prompt": "Hello", "stream": true])
            let answer = manager.events(
                "v1/chat", body: question, as: Delta.self, done: "[DONE]")
            for try await delta in answer {
                print(delta.data.text)
            }
            // END
            // BLOCK LinesAndEvents.md
            let call = manager.call("POST", "v1/chat").body(question)
                .configure { $0.idempotencyKey = .automatic }
            let resumed = call.events(
                as: Delta.self, policy: .attempts(3), done: "[DONE]")
            // END
            for try await delta in resumed { print(delta.data.text) }
            #expect(server.history.requests.last?.headers["Idempotency-Key"] != nil)
        }
    }

    @Test func bodiesOfThePageAreSent() async throws {
        struct Export: Sendable {
            func rows() async throws -> AsyncStream<Data> { AsyncStream { $0.finish() } }
        }
        try await Self.serving { server, manager in
            let (export, rows) = (
                Export(),
                AsyncStream<Data> { continuation in
                    continuation.yield(Data("a,b\n".utf8))
                    continuation.finish()
                }
            )
            // BLOCK LinesAndEvents.md
            let body = RequestBody.stream(rows, contentType: "text/csv")
            try await manager.post("import", body: body)
            // END
            // BLOCK LinesAndEvents.md
            let repeatable = RequestBody.stream(restartable: {
                try await export.rows()
            })
            // END
            try await manager.post("import", body: repeatable)
            #expect(server.history.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["a,b\n", ""])
        }
    }

    @Test func answersOfThePageArriveDuringTheRequest() async throws {
        var options = TestServer.Options()
        options.answersHeads = true
        let script: TestServer.Script = { _ in
            Reply([.head(status: 200, fields: ["Transfer-Encoding": "chunked"]), .echo, .trailers([:])])
        }
        try await TestServer.serving(options, script: script) { server in
            let manager = RequestOperationManager(baseURL: server.url("/"))
            // BLOCK LinesAndEvents.md
            let (pieces, request) = AsyncStream.makeStream(of: Data.self)
            let response = try await manager.stream(
                "POST", "translate", body: .stream(pieces))
            var answers = response.body.makeAsyncIterator()
            request.yield(Data("guten Tag".utf8))
            let answer = try await answers.next()
            request.finish()
            // END
            #expect(answer == Data("guten Tag".utf8))
            #expect(try await answers.next() == nil)
        }
    }

    @Test func trailersOfThePageAreSent() async throws {
        struct Counter: Sendable { let count = 1 }
        let (counter, rows) = (
            Counter(),
            AsyncStream<Data> { continuation in
                continuation.yield(Data("a,b\n".utf8))
                continuation.finish()
            }
        )
        try await Self.serving { server, manager in
            // BLOCK LinesAndEvents.md
            let summed = RequestBody.stream(
                rows, contentType: "text/csv",
                trailers: { ["X-Row-Count": "\(counter.count)"] })
            try await manager.call("POST", "import")
                .header("Trailer", "X-Row-Count").body(summed).response()
            // END
            let sent = server.history.requests.map { String(decoding: $0.rawBody, as: UTF8.self) }
            #expect(sent == ["4\r\na,b\n\r\n0\r\nX-Row-Count: 1\r\n\r\n"])
        }
    }
}
