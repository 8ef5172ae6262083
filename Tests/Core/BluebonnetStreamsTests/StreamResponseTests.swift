// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetStreams
import BluebonnetTestServer
import Foundation
import Testing

/// Responses whose bodies are read while they arrive.
@Suite(.timeLimit(.minutes(1))) struct StreamResponseTests {
    private struct Update: Codable, Sendable, Equatable {
        let text: String
    }

    /// Serves a reply to each request.
    private static func serving(
        _ reply: Reply, options: TestServer.Options = TestServer.Options(),
        _ body: (TestServer, RequestOperationManager) async throws -> Void
    ) async throws {
        try await TestServer.withManager(options, script: { _ in reply }, body)
    }

    private static func lines(of response: StreamResponse) async throws -> [String] {
        var lines: [String] = []
        for try await line in response.lines { lines.append(line) }
        return lines
    }

    @Test func headArrivesBeforeTheBody() async throws {
        let gate = Gate()
        let reply = Reply([
            .head(status: 200, fields: ["Transfer-Encoding": "chunked", "X-Kind": "feed"]), .wait(until: gate),
            .chunk(Data("one\ntwo".utf8)), .trailers([:]),
        ])
        try await Self.serving(reply) { _, manager in
            let response = try await manager.stream("feed")
            #expect(response.statusCode == 200 && response.headers["X-Kind"] == "feed")
            #expect(!response.operation.isFinished)
            gate.open()
            #expect(try await Self.lines(of: response) == ["one", "two"])
        }
    }

    @Test func cutBodyIsAnErrorAfterTheWholeLines() async throws {
        let reply = Reply([
            .head(status: 200, fields: ["Transfer-Encoding": "chunked"]), .chunk(Data("one\ntw".utf8)), .reset,
        ])
        try await Self.serving(reply) { _, manager in
            var lines: [String] = []
            let error = await #expect(throws: NetworkingError.self) {
                for try await line in try await manager.stream("feed").lines { lines.append(line) }
            }
            #expect(lines == ["one"])
            #expect(error?.code == .connectionLost)
        }
    }

    @Test func refusedStatusIsThrownWithItsBody() async throws {
        try await Self.serving(.response(status: 403, body: "no")) { _, manager in
            let error = await #expect(throws: NetworkingError.self) { try await manager.stream("feed") }
            #expect(error?.code == .unacceptableStatus && error?.body == Data("no".utf8))
        }
    }

    @Test func jsonLinesAreDecoded() async throws {
        let body = "{\"text\":\"a\"}\n\n{\"text\":\"b\"}\r\n{\"text\":\"c\"}"
        try await Self.serving(.response(body: body)) { _, manager in
            var texts: [String] = []
            for try await update in try await manager.stream("feed").jsonLines(as: Update.self) {
                texts.append(update.text)
            }
            #expect(texts == ["a", "b", "c"])
        }
    }

    @Test func jsonSequenceIsKnownByItsType() async throws {
        let reply = Reply.response(
            headers: ["Content-Type": "application/json-seq"],
            body: "\u{1E}{\"text\":\n\"a\"}\n\u{1E}{\"text\":\"b\"}\n")
        try await Self.serving(reply) { _, manager in
            var texts: [String] = []
            for try await update in try await manager.stream("feed").jsonLines(as: Update.self) {
                texts.append(update.text)
            }
            #expect(texts == ["a", "b"])
        }
    }

    @Test func jsonTextThatCannotBeDecodedIsNamed() async throws {
        try await Self.serving(.response(body: "{\"text\":\"a\"}\n{\"text\":5}\n")) { _, manager in
            let error = await #expect(throws: NetworkingError.self) {
                for try await _ in try await manager.stream("feed").jsonLines(as: Update.self) {}
            }
            #expect(error?.code == .cannotParseResponse)
            #expect(error?.message.hasPrefix("JSON text 2 cannot be decoded") == true)
        }
    }

    @Test(arguments: [false, true]) func trailersFollowTheBody(overHTTP2: Bool) async throws {
        var options = TestServer.Options()
        if overHTTP2 {
            (options.certificate, options.speaksHTTP2) = (.localhost, true)
        }
        let reply = Reply.chunked(chunks: ["a\n", "b\n"], trailers: ["X-Sum": "17", "Grpc-Status": "0"])
        try await Self.serving(reply, options: options) { _, manager in
            let response = try await manager.stream("feed")
            #expect(try await Self.lines(of: response) == ["a", "b"])
            #expect(response.trailers["X-Sum"] == "17" && response.trailers["grpc-status"] == "0")
            #expect(response.head.httpVersion == (overHTTP2 ? "2" : "1.1"))
            #expect(response.headers["X-Sum"] == nil)
        }
    }

    @Test func lineThatIsTooLongIsAnError() async throws {
        try await Self.serving(.response(body: "short\n" + String(repeating: "x", count: 100))) { _, manager in
            var lines: [String] = []
            let error = await #expect(throws: NetworkingError.self) {
                for try await line in try await manager.stream("feed").lines(byteLimit: 10) { lines.append(line) }
            }
            #expect(lines == ["short"] && error?.code == .cannotParseResponse)
        }
    }

    @Test func leavingTheLoopCancelsTheOperation() async throws {
        let reply = Reply([
            .head(status: 200, fields: ["Transfer-Encoding": "chunked"]), .chunk(Data("one\n".utf8)), .stall,
        ])
        try await Self.serving(reply) { server, manager in
            let operation = try await firstLineOnly(of: manager)
            await becomes(true) { operation.isFinished }
            #expect(operation.isCancelled)
            await server.wait { $0.openConnectionCount == 0 }
        }
    }

    private func firstLineOnly(of manager: RequestOperationManager) async throws -> HTTPRequestOperation {
        let response = try await manager.stream("feed")
        for try await line in response.lines {
            #expect(line == "one")
            break
        }
        return response.operation
    }

    @Test func slowConsumerHoldsTheServer() async throws {
        let reply = Reply([
            .head(status: 200, fields: ["Transfer-Encoding": "chunked"]),
            .endless(chunk: Data("8000\r\n".utf8) + Data(repeating: 0x61, count: 0x8000) + Data("\r\n".utf8)),
        ])
        try await Self.serving(reply) { _, manager in
            let response = try await manager.call("feed").stream(bufferByteCount: 64 << 10)
            var count = 0
            for try await chunk in response.body {
                count += chunk.count
                if count > 1 << 20 { break }
            }
            #expect(response.operation.byteProgress.count < 8 << 20)
        }
    }

    @Test func cancelledTaskCancelsTheRequest() async throws {
        try await Self.serving(.steps([.stall])) { server, manager in
            let task = Task { try await manager.stream("feed").statusCode }
            await server.wait { $0.requests.count == 1 }
            task.cancel()
            let error = await #expect(throws: NetworkingError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
    }
}
