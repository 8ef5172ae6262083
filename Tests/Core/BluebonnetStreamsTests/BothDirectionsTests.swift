// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetStreams
import BluebonnetTestServer
import Foundation
import Testing

/// Responses that begin, and are read, while the request's body is still being sent.
@Suite(.timeLimit(.minutes(1))) struct BothDirectionsTests {
    /// How a request travels.
    enum Way: CaseIterable {
        case http1
        case http1OverTLS
        case http2

        /// Options of a server that answers while the request arrives.
        var options: TestServer.Options {
            var options = self == .http1 ? TestServer.Options() : .http2
            options.speaksHTTP2 = self == .http2
            options.answersHeads = true
            return options
        }

        var version: String { self == .http2 ? "2" : "1.1" }
    }

    private static let head = Reply.Step.head(status: 200, fields: ["Transfer-Encoding": "chunked"])
    private static let echo: TestServer.Script = { _ in Reply([head, .echo, .trailers(["X-End": "1"])]) }

    @Test(arguments: Way.allCases) func eachPieceIsAnsweredBeforeTheNext(way: Way) async throws {
        try await TestServer.withManager(way.options, script: Self.echo) { server, manager in
            let (pieces, request) = AsyncStream.makeStream(of: Data.self)
            let response = try await manager.stream("POST", "echo", body: .stream(pieces))
            #expect(response.operation.httpVersion == way.version)
            var chunks = response.body.makeAsyncIterator()
            for count in 1...20 {
                let piece = Data("piece \(count)".utf8)
                request.yield(piece)
                #expect(try await chunks.next() == piece)
            }
            #expect(server.history.requests.isEmpty)
            request.finish()
            #expect(try await chunks.next() == nil)
            #expect(response.trailers["X-End"] == "1")
            await server.waitForRequests(count: 1)
        }
    }

    /// More bytes than the buffers of both sides have capacity for.
    private static func large() -> (pieces: AsyncStream<Data>, byteCount: Int) {
        let pieces = AsyncStream<Data> { continuation in
            for _ in 0..<64 { continuation.yield(Data(count: 64 << 10)) }
            continuation.finish()
        }
        return (pieces, 4 << 20)
    }

    @Test(arguments: Way.allCases) func largeBodyIsAnsweredWhileItIsSent(way: Way) async throws {
        try await TestServer.withManager(way.options, script: Self.echo) { _, manager in
            let (pieces, size) = Self.large()
            let response = try await manager.stream("POST", "echo", body: .stream(pieces))
            var byteCount = 0
            for try await chunk in response.body { byteCount += chunk.count }
            #expect(byteCount == size)
        }
    }

    /// libcurl pauses the response only. Over HTTP/2, it would not read the windows of the request either.
    @Test(arguments: [Way.http1, .http1OverTLS])
    func requestContinuesWhileResponseWaitsOverHTTP1(way: Way) async throws {
        let flood: TestServer.Script = { _ in
            Reply([.head(status: 200, fields: [:]), .endless(chunk: Data(count: 64 << 10))])
        }
        try await TestServer.withManager(way.options, script: flood) { server, manager in
            let (pieces, size) = Self.large()
            let response = try await manager.stream("POST", "x", body: .stream(pieces))
            await server.waitForRequests(count: 1)
            #expect(server.history.requests.first?.body.count == size)
            response.operation.cancel()
        }
    }

    /// The consumer always finds a chunk, and never waits.
    @Test(arguments: Way.allCases) func cancelledTaskEndsABusyStream(way: Way) async throws {
        let flood: TestServer.Script = { _ in Reply([Self.head, .endless(chunk: Data("1\r\nx\r\n".utf8))]) }
        let endless: TestServer.Script = { _ in
            Reply([.head(status: 200, fields: [:]), .endless(chunk: Data(count: 64 << 10))])
        }
        try await TestServer.withManager(way.options, script: way == .http2 ? endless : flood) { _, manager in
            let task = Task {
                for try await _ in try await manager.stream("GET", "x").body { withUnsafeCurrentTask { $0?.cancel() } }
            }
            let error = await #expect(throws: NetworkingError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
    }

    /// Each line is sent alone: over HTTP/1.1 without TLS the connection is read at intervals, and nothing is lost.
    @Test(arguments: Way.allCases) func manySmallPiecesArrive(way: Way) async throws {
        let lines = (0..<400).map { Reply.Step.chunk(Data("line \($0)\n".utf8)) }
        let script: TestServer.Script = { _ in
            Reply([Self.head] + lines.flatMap { [$0, .delay(.microseconds(100))] } + [.trailers([:])])
        }
        try await TestServer.withManager(way.options, script: script) { _, manager in
            var received: [String] = []
            for try await line in try await manager.stream("GET", "lines").lines { received.append(line) }
            #expect(received == (0..<400).map { "line \($0)" })
        }
    }

    /// The request is not read: the response continues.
    @Test(arguments: Way.allCases) func responseContinuesWhileRequestWaits(way: Way) async throws {
        let half = Data(count: 4 << 20)
        let gate = Gate()
        var options = way.options
        options.readsBodies = false
        options.answersHeads = false
        let script: TestServer.Script = { _ in
            Reply([Self.head, .chunk(half), .wait(until: gate), .chunk(half), .stall])
        }
        try await TestServer.withManager(options, script: script) { _, manager in
            let pieces = AsyncStream<Data>(unfolding: { Data(count: 64 << 10) })
            let response = try await manager.stream("POST", "x", body: .stream(pieces))
            var chunks = response.body.makeAsyncIterator()
            var byteCount = 0
            while byteCount < half.count, let chunk = try await chunks.next() { byteCount += chunk.count }
            gate.open()
            while byteCount < 2 * half.count, let chunk = try await chunks.next() { byteCount += chunk.count }
            #expect(byteCount == 2 * half.count)
            response.operation.cancel()
        }
    }

    @Test(arguments: Way.allCases) func errorOfTheSequenceEndsTheResponse(way: Way) async throws {
        struct Broken: Error {}
        try await TestServer.withManager(way.options, script: Self.echo) { server, manager in
            let (pieces, request) = AsyncThrowingStream.makeStream(of: Data.self)
            let response = try await manager.stream("POST", "echo", body: .stream(pieces))
            var chunks = response.body.makeAsyncIterator()
            request.yield(Data("abc".utf8))
            #expect(try await chunks.next() == Data("abc".utf8))
            request.finish(throwing: Broken())
            let error = await #expect(throws: NetworkingError.self) { while try await chunks.next() != nil {} }
            #expect(error?.underlying is Broken)
            await server.wait { !$0.unfinishedRequests.isEmpty }
            #expect(server.history.requests.isEmpty)
        }
    }

    @Test(arguments: Way.allCases) func cancelEndsBothDirections(way: Way) async throws {
        try await TestServer.withManager(way.options, script: Self.echo) { server, manager in
            let body = UnendingBody()
            let response = try await manager.stream("POST", "echo", body: .stream(body.pieces))
            var chunks = response.body.makeAsyncIterator()
            #expect(try await chunks.next() == Data("abc".utf8))
            await body.isWaiting.wait()
            response.operation.cancel()
            let error = await #expect(throws: NetworkingError.self) { while try await chunks.next() != nil {} }
            #expect(error?.code == .cancelled)
            await body.isCancelled.wait()
            await server.wait { !$0.unfinishedRequests.isEmpty }
        }
    }

    @Test(arguments: Way.allCases) func refusalEndsTheRequest(way: Way) async throws {
        let body = UnendingBody()
        let script: TestServer.Script = { _ in
            Reply([.wait(until: body.isWaiting)] + Reply.response(status: 403, body: "no").steps)
        }
        try await TestServer.withManager(way.options, script: script) { server, manager in
            let error = await #expect(throws: NetworkingError.self) {
                try await manager.stream("POST", "x", body: .stream(body.pieces))
            }
            #expect(error?.statusCode == 403 && error?.body == Data("no".utf8))
            await body.isCancelled.wait()
            #expect(server.history.requests.isEmpty)
        }
    }

    /// The server never sees a complete body, although the program accepts the status.
    @Test func acceptedRefusalEndsEndlessRequestOverHTTP2() async throws {
        let script: TestServer.Script = { _ in .response(status: 403, body: "no") }
        try await TestServer.withManager(Way.http2.options, script: script) { server, manager in
            let pieces = AsyncStream<Data> {
                try? await Task.sleep(for: .milliseconds(2))
                return Data(count: 1_000)
            }
            let response = try await manager.call("POST", "x").body(.stream(pieces))
                .acceptableStatusCodes([403]).response()
            #expect(response.statusCode == 403 && response.value == Data("no".utf8))
            #expect(server.history.requests.isEmpty)
        }
    }

    /// RFC 9113, 8.1: the server has answered completely, and does not need the rest of the request.
    @Test func completeResponseEndsRequestOverHTTP2() async throws {
        let body = UnendingBody()
        let script: TestServer.Script = { _ in
            Reply([.wait(until: body.isWaiting)] + Reply.response(body: "enough").steps)
        }
        try await TestServer.withManager(Way.http2.options, script: script) { _, manager in
            let text: String = try await manager.call("POST", "x").body(.stream(body.pieces)).value()
            #expect(text == "enough")
            await body.isCancelled.wait()
        }
    }

    /// The connection can be used again only after the whole request.
    @Test(arguments: [Way.http1, .http1OverTLS])
    func completeResponseWaitsForRequestOverHTTP1(way: Way) async throws {
        let script: TestServer.Script = { _ in .response(body: "enough") }
        try await TestServer.withManager(way.options, script: script) { server, manager in
            let (pieces, request) = AsyncStream.makeStream(of: Data.self)
            let response = try await manager.stream("POST", "x", body: .stream(pieces))
            var chunks = response.body.makeAsyncIterator()
            #expect(try await chunks.next() == Data("enough".utf8))
            request.yield(Data("the whole request".utf8))
            request.finish()
            #expect(try await chunks.next() == nil)
            await server.waitForRequests(count: 1)
            #expect(server.history.requests.first?.bodyText == "the whole request")
        }
    }
}
