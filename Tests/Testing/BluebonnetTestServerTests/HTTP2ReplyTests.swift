// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Glibc
import Testing

/// Replies of the test server over HTTP/2, as the library receives them.
@Suite(.timeLimit(.minutes(2))) struct HTTP2ReplyTests {
    private static let overTLS: TestServer.Options = {
        var options = TestServer.Options()
        (options.certificate, options.speaksHTTP2) = (.localhost, true)
        return options
    }()

    /// An HTTP/2 server and a manager that trusts it. The server ends with its last reference.
    private func start(
        _ options: TestServer.Options = overTLS, _ script: @escaping TestServer.Script
    ) async throws -> (TestServer, RequestOperationManager) {
        let server = try await TestServer.start(options, script)
        let manager = RequestOperationManager(baseURL: server.url())
        manager.responseSerializer = HTTPResponseSerializer()
        if options.certificate != nil {
            manager.securityPolicy = try SecurityPolicy(authorities: .file(TestCertificate.localhost.caPath))
        }
        return (server, manager)
    }

    /// Runs one GET and returns its operation.
    private func get(_ path: String, _ manager: RequestOperationManager) async -> HTTPRequestOperation {
        let operation = manager.operation("GET", path)
        manager.operationQueue.addOperation(operation)
        _ = try? await operation.value
        return operation
    }

    @Test func versionIsNegotiatedByALPN() async throws {
        let (server, manager) = try await start { .response(headers: ["X-Version": $0.version], body: "hello") }
        let operation = await get("a?b=c", manager)
        #expect(operation.httpVersion == "2")
        #expect(operation.responseData == Data("hello".utf8))
        #expect(operation.responseHeaders["x-version"] == "HTTP/2")
        let request = try #require(server.requests.first)
        #expect(request.target == "/a?b=c" && request.method == "GET" && request.isComplete)
        #expect(request.headers["Host"] == "127.0.0.1:\(server.port)")
        await server.stop()
    }

    @Test func http1ClientIsServed() async throws {
        let (server, manager) = try await start { .response(body: $0.version) }
        manager.transferOptions.httpVersion = .http1
        let operation = await get("a", manager)
        #expect(operation.httpVersion == "1.1")
        #expect(operation.responseString == "HTTP/1.1")
        await server.stop()
    }

    @Test func priorKnowledgeNeedsNoTLS() async throws {
        var options = Self.overTLS
        options.certificate = nil
        let (server, manager) = try await start(options) { .response(body: $0.version) }
        manager.transferOptions.httpVersion = .http2PriorKnowledge
        #expect(await get("a", manager).responseString == "HTTP/2")
        await server.stop()
    }

    @Test func requestBodyArrivesWhole() async throws {
        let sent = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let (server, manager) = try await start { .response(body: "\($0.body.count)") }
        let operation = manager.operation("POST", "upload", body: .data(sent))
        manager.operationQueue.addOperation(operation)
        let body = try await operation.value(as: Data.self)
        #expect(body == Data("300000".utf8))
        #expect(server.requests.map(\.body) == [sent])
        await server.stop()
    }

    @Test func requestsOfOneConnectionAreAnsweredConcurrently() async throws {
        let gate = Gate()
        let (server, manager) = try await start { request in
            request.path == "/held"
                ? Reply([.wait(until: gate)] + Reply.response(body: "held").steps) : .response(body: "x")
        }
        let waiting = manager.operation("GET", "held")
        manager.operationQueue.addOperation(waiting)
        await server.waitForRequests(count: 1)
        #expect(await get("other", manager).responseString == "x")
        gate.open()
        _ = try? await waiting.value
        #expect(waiting.responseString == "held")
        #expect(server.connectionCount == 1)
        #expect(server.requests.map(\.numberOnConnection) == [1, 2])
        await server.stop()
    }

    /// Replies that an HTTP/2 client receives as one body.
    static let wholeReplies: [(name: String, reply: Reply)] = [
        ("response", .response(body: "0123456789")),
        ("chunked", .chunked(chunks: ["01234", "56789"], trailers: ["X-End": "1"])),
        ("dripped", Reply.response(body: "0123456789").dripping(chunk: 3)),
        ("dripped chunks", Reply.chunked(chunks: ["01234", "56789"], trailers: ["X-End": "1"]).dripping(chunk: 2)),
        ("raw", .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789")),
        (
            "early hints",
            Reply([.head(status: 103, fields: ["Link": "</a>"])] + Reply.response(body: "0123456789").steps)
        ),
        ("raw hints", .raw("HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\n\r\n0123456789")),
    ]

    @Test(arguments: wholeReplies.map(\.name)) func replyIsOneResponse(_ name: String) async throws {
        let reply = try #require(Self.wholeReplies.first { $0.name == name }?.reply)
        let (server, manager) = try await start { _ in reply }
        let operation = await get("a", manager)
        #expect(operation.error == nil)
        #expect(operation.httpVersion == "2")
        #expect(operation.responseString == "0123456789")
        await server.stop()
    }

    /// Replies that end before their body does, and the errors that a client may report for them.
    static let brokenReplies: [(name: String, reply: Reply, codes: [NetworkingError.Code])] = [
        ("cut", Reply.response(body: "0123456789").cut(afterByteCount: 45), [.badServerResponse, .connectionLost]),
        ("cut in the head", Reply.response(body: "0").cut(afterByteCount: 10), [.connectionLost]),
        (
            "no notice", Reply.response(body: "0123456789").cut(afterByteCount: 45, then: .closeWithoutNotice),
            [.badServerResponse, .connectionLost]
        ),
        ("reset", .reset, [.connectionLost]),
        ("stream", Reply([.resetStream(code: 2)]), [.badServerResponse, .connectionLost]),
        ("no response", .raw("nonsense"), [.badServerResponse, .connectionLost]),
        ("short", .response(headers: ["Content-Length": "11"], body: "0123456789"), [.badServerResponse]),
        ("tunnel", Reply([.tunnel(toPort: 1)]), [.badServerResponse, .connectionLost]),
    ]

    @Test(arguments: brokenReplies.map(\.name)) func brokenReplyIsNoResponse(_ name: String) async throws {
        let row = try #require(Self.brokenReplies.first { $0.name == name })
        let (server, manager) = try await start { _ in row.reply }
        let code = try #require(await get("a", manager).error?.code)
        #expect(row.codes.contains(code))
        await server.stop()
    }

    @Test func unprocessedRequestIsSentAgain() async throws {
        let (server, manager) = try await start { request in
            request.connection == 1 ? Reply([.goAway(includesRequest: false), .close]) : .response(body: "second")
        }
        let operation = await get("a", manager)
        #expect(operation.responseString == "second", "\(operation.error as Any)")
        #expect(server.connectionCount == 2)
        await server.stop()
    }

    @Test func lastRequestOfAConnectionIsAnswered() async throws {
        var options = Self.overTLS
        options.requestsPerConnection = 1
        let (server, manager) = try await start(options) { .response(body: "\($0.connection)") }
        #expect(await get("a", manager).responseString == "1")
        await server.waitForConnectionsToClose()
        #expect(await get("b", manager).responseString == "2")
        await server.stop()
    }

    @Test func responseToHeadHasNoBody() async throws {
        let (server, manager) = try await start { _ in .chunked(chunks: ["never"], trailers: ["X-End": "1"]) }
        let operation = manager.operation("HEAD", "a")
        manager.operationQueue.addOperation(operation)
        _ = try? await operation.value
        #expect(operation.error == nil)
        #expect(operation.responseData?.isEmpty != false)
        await server.stop()
    }

    @Test func endlessReplyEndsWithItsClient() async throws {
        let (server, manager) = try await start { _ in
            Reply([.head(status: 200, fields: [:]), .endless(chunk: Data(repeating: 1, count: 10_000))])
        }
        let operation = manager.operation("GET", "a")
        let hasData = Gate()
        // In memory, the body might reach its limit before the operation is cancelled.
        operation.outputFile = URL(fileURLWithPath: "/dev/null")
        operation.onDownloadProgress = { _, _, _ in hasData.open() }
        manager.operationQueue.addOperation(operation)
        await hasData.wait()
        operation.cancel()
        _ = try? await operation.value
        #expect(operation.error?.code == .cancelled)
        await server.waitForConnectionsToClose()
        #expect(server.requests.count == 1)
        await server.stop()
    }

    @Test func unfinishedRequestIsRecorded() async throws {
        let (server, manager) = try await start { _ in .stall }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // A body whose rest never arrives.
        #expect(mkfifo(folder.path("body"), 0o600) == 0)
        let writer = open(folder.path("body"), O_RDWR)
        #expect(write(writer, "ab", 2) == 2)
        let operation = manager.operation("POST", "a", headers: ["Content-Length": "10"])
        operation.inputStream = InputStream(fileAtPath: folder.path("body"))
        manager.operationQueue.addOperation(operation)
        await eventually(operation.sentByteCount) { $0 == 2 }
        operation.cancel()
        await server.wait { $0.unfinishedRequests.map(\.method) == ["POST"] }
        #expect(server.requests.isEmpty)
        close(writer)
        await server.stop()
    }
}
