// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetStreams
import BluebonnetTestServer
import Foundation
import Testing

/// Request bodies from asynchronous sequences.
@Suite(.timeLimit(.minutes(1))) struct StreamedBodyTests {
    private struct Broken: Error {}

    private static let echo: TestServer.Script = { .response(body: $0.body) }
    private static let count: TestServer.Script = { .response(body: "\($0.body.count)") }
    private static let nothing: TestServer.Script = { _ in .response(body: "") }
    private static let moved: TestServer.Script = { request in
        request.path == "/old" ? .redirect(to: "/new", status: 307) : .response(body: request.body)
    }

    /// Pieces of text, and then an error if wanted.
    private static func pieces(_ texts: [String], failing: Bool = false) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            for text in texts { continuation.yield(Data(text.utf8)) }
            continuation.finish(throwing: failing ? Broken() : nil)
        }
    }

    @Test(arguments: [nil, 7 as Int64]) func piecesAreSentInOrder(byteCount: Int64?) async throws {
        try await TestServer.withManager(script: Self.echo) { server, manager in
            let body = RequestBody.stream(Self.pieces(["abc", "", "de", "fg"]), byteCount: byteCount)
            let echo: String = try await manager.call("POST", "echo").body(body).value()
            #expect(echo == "abcdefg")
            let request = try #require(server.history.requests.first)
            #expect(request.headers["Content-Length"] == byteCount.map { "\($0)" })
            #expect(request.headers["Transfer-Encoding"] == (byteCount == nil ? "chunked" : nil))
            #expect(request.headers["Content-Type"] == "application/octet-stream")
        }
    }

    @Test func emptySequenceIsAnEmptyBody() async throws {
        try await TestServer.withManager(script: Self.count) { _, manager in
            let count: String = try await manager.call("POST", "echo").body(.stream(Self.pieces([]))).value()
            #expect(count == "0")
        }
    }

    @Test(arguments: [nil, 100 as Int64]) func thrownErrorFailsTheRequest(byteCount: Int64?) async throws {
        try await TestServer.withManager(script: Self.echo) { server, manager in
            let body = RequestBody.stream(Self.pieces(["abc"], failing: true), byteCount: byteCount)
            let error = await #expect(throws: NetworkingError.self) {
                try await manager.call("POST", "echo").body(body).response()
            }
            #expect(error?.underlying is Broken)
            await server.wait { $0.openConnectionCount == 0 }
            #expect(server.history.requests.isEmpty)
        }
    }

    @Test(arguments: [(2 as Int64, "has more than the 2 bytes"), (9, "ended after 7 of the 9 bytes")])
    func declaredLengthIsChecked(byteCount: Int64, reason: String) async throws {
        try await TestServer.withManager(script: Self.echo) { server, manager in
            let body = RequestBody.stream(Self.pieces(["abc", "defg"]), byteCount: byteCount)
            let error = await #expect(throws: NetworkingError.self) {
                try await manager.call("POST", "echo").body(body).response()
            }
            #expect(error?.code == .invalidRequest && error?.message.contains(reason) == true)
            #expect(server.history.requests.isEmpty)
        }
    }

    @Test func restartableSequenceIsMadeAgainForARedirect() async throws {
        try await TestServer.withManager(script: Self.moved) { server, manager in
            let made = Observed(0)
            let body = RequestBody.stream(restartable: {
                made.update { $0 += 1 }
                return Self.pieces(["abc"])
            })
            let echo: String = try await manager.call("POST", "old").body(body).value()
            #expect(echo == "abc" && made.value == 2)
            #expect(server.history.requests.map(\.body) == [Data("abc".utf8), Data("abc".utf8)])
        }
    }

    @Test func otherSequenceIsNotSentTwice() async throws {
        try await TestServer.withManager(script: Self.moved) { _, manager in
            let error = await #expect(throws: NetworkingError.self) {
                try await manager.call("POST", "old").body(.stream(Self.pieces(["abc"]))).response()
            }
            #expect(error?.code == .bodyStreamExhausted)
        }
    }

    @Test func sequenceIsReadAsFastAsTheServerReads() async throws {
        let produced = Observed(0)
        let pieces = AsyncStream<Data>(unfolding: {
            produced.update { $0 += 1 }
            return Data(count: 64 << 10)
        })
        var options = TestServer.Options()
        options.readingPause = .seconds(60)
        try await TestServer.withManager(options, script: Self.nothing) { _, manager in
            let task = Task { try await manager.call("POST", "endless").body(.stream(pieces)).response() }
            await produced.becomes { $0 > 4 }
            try await Task.sleep(for: .milliseconds(300))
            // The socket's buffers and the library's, not all that the sequence could make.
            #expect(produced.value * (64 << 10) < 64 << 20)
            task.cancel()
            await #expect(throws: NetworkingError.self) { try await task.value }
        }
    }

    @Test func cancelledRequestCancelsTheSequence() async throws {
        let body = UnendingBody()
        try await TestServer.withManager(script: Self.nothing) { _, manager in
            let task = Task { try await manager.call("POST", "x").body(.stream(body.pieces)).response() }
            await body.isWaiting.wait()
            task.cancel()
            await #expect(throws: NetworkingError.self) { try await task.value }
            await body.isCancelled.wait()
        }
    }
}
