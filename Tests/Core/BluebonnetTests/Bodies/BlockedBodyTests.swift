// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A body stream that gives no bytes for a long time delays its own request and no other request.
    @Suite struct BlockedBodyTests {
        private static let script: TestServer.Script = { .response(body: "got \($0.bodyText)") }

        /// Five streams to the same origin give no bytes in the meantime.
        @Test(arguments: [false, true]) func blockedBodiesDoNotDelayOtherRequests(isDeclared: Bool) async throws {
            try await TestServer.serving(script: Self.script) { server in
                let blocked = (0..<5).map { BlockedStream.request(server.url("/\($0)"), declared: isDeclared) }
                let operations = blocked.map { RequestOperation(request: $0.request) }
                for operation in operations { operation.start() }
                await networkThreadAnswers()
                for number in 0..<20 {
                    let other = await perform(URLRequest("POST", server.url("/other"), body: "\(number)"))
                    #expect(other.responseString == "got \(number)")
                }
                #expect(operations.allSatisfy { !$0.isFinished })
                for stream in blocked { stream.gate.signal() }
                for operation in operations {
                    try await operation.waitUntilEnded()
                    #expect(operation.error == nil)
                    #expect(operation.responseString == "got payload")
                }
            }
        }

        @Test func cancellingDoesNotWaitForTheStream() async throws {
            try await TestServer.serving(script: Self.script) { server in
                let blocked = BlockedStream.request(server.url())
                let operation = RequestOperation(request: blocked.request)
                operation.start()
                await server.waitForConnections(count: 1)
                operation.cancel()
                try await operation.waitUntilEnded()
                #expect(operation.code == .cancelled)
                await server.waitForConnectionsToClose()
                #expect(server.requests.isEmpty)
                blocked.gate.signal()
            }
        }

        @Test func idleLimitDoesNotWaitForTheStream() async throws {
            try await TestServer.serving(script: Self.script) { server in
                let blocked = BlockedStream.request(server.url())
                let operation = RequestOperation(
                    request: blocked.request, options: TransferOptions { $0.timeouts.idle = .milliseconds(200) })
                #expect(await operation.run().code == .timedOut)
                await server.waitForConnectionsToClose()
                blocked.gate.signal()
            }
        }

        @Test func pauseStopsTheStream() async throws {
            try await TestServer.serving(script: Self.script) { server in
                let blocked = BlockedStream.request(server.url())
                let operation = RequestOperation(request: blocked.request)
                operation.start()
                await server.waitForConnections(count: 1)
                operation.pause()
                await networkThreadAnswers()
                blocked.gate.signal()
                #expect(await get(server.url("/other")).error == nil)
                #expect(!operation.isFinished)
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(operation.responseString == "got payload")
                #expect(server.requests.filter { $0.path == "/" }.count == 1)
            }
        }

        /// The form of a response that does not wait for the body. Its last bytes come with the others or later.
        enum EarlyAnswer: CaseIterable {
            case whole, inParts, closing, closingInParts, closingChunks, closingEnd

            var isClosing: Bool { self != .whole && self != .inParts }

            func reply(status: Int) -> Reply {
                let head = "HTTP/1.1 \(status) No\r\n\(isClosing ? "Connection: close\r\n" : "")"
                let later = Reply.Step.delay(.milliseconds(50))
                switch self {
                case .whole, .closing: return .raw(head + "Content-Length: 2\r\n\r\nno").then(.stall)
                case .inParts, .closingInParts:
                    let rest: [Reply.Step] = [later, .bytes(Data("o".utf8)), .stall]
                    return Reply(Reply.raw(head + "Content-Length: 2\r\n\r\nn").steps + rest)
                case .closingChunks:
                    let rest: [Reply.Step] = [later, .bytes(Data("0\r\n\r\n".utf8)), .stall]
                    return Reply(Reply.raw(head + "Transfer-Encoding: chunked\r\n\r\n2\r\nno\r\n").steps + rest)
                case .closingEnd: return Reply(Reply.raw(head + "\r\nno").steps + [later, .close])
                }
            }
        }

        /// The server may respond before it has received the body. The response counts (RFC 9112, 9.5).
        @Test(arguments: [301, 401, 403, 413, 417, 500], EarlyAnswer.allCases)
        func
            earlyRefusalIsReceivedWhileTheStreamIsBlocked(status: Int, answer: EarlyAnswer) async throws
        {
            var options = TestServer.Options()
            options.readsBodies = false
            try await TestServer.answering(answer.reply(status: status), options) { server in
                let blocked = BlockedStream.request(server.url())
                let limits = TransferOptions {
                    $0.timeouts.idle = .seconds(2)
                    $0.maximumRedirectCount = 0
                }
                let operation = RequestOperation(request: blocked.request, options: limits)
                _ = await operation.run()
                #expect(operation.error == nil)
                #expect(operation.statusCode == status)
                #expect(operation.responseString == "no")
                blocked.gate.signal()
            }
        }

        /// An early success response does not stop the upload, unless the connection ends with the response.
        @Test(arguments: EarlyAnswer.allCases.filter(\.isClosing)) func closedConnectionEndsTheBody(
            answer: EarlyAnswer
        ) async throws {
            var options = TestServer.Options()
            options.readsBodies = false
            try await TestServer.answering(answer.reply(status: 200), options) { server in
                let blocked = BlockedStream.request(server.url())
                let operation = RequestOperation(
                    request: blocked.request, options: TransferOptions { $0.timeouts.idle = .seconds(2) })
                #expect(await operation.run().error == nil)
                #expect(operation.responseString == "no")
                blocked.gate.signal()
            }
        }

        /// nginx responds and resets the stream because it does not want the body (RFC 9113, 8.1).
        @Test(.enabled(if: NginxServer.isAvailable)) func earlyHTTP2RefusalIsReceived() async throws {
            try await HTTP2Fixture.with { fixture in
                var options = fixture.options
                options.timeouts.idle = .seconds(2)
                options.maximumRedirectCount = 0
                let blocked = BlockedStream.request(fixture.nginx.tlsURL("/redirect"))
                let operation = RequestOperation(request: blocked.request, options: options)
                #expect(await operation.run().error == nil)
                #expect(operation.statusCode == 302)
                #expect(operation.httpVersion == "2")
                blocked.gate.signal()
            }
        }

        /// The server may still want the body. libcurl learns that it does not when it sends some of the body.
        @Test(.enabled(if: NginxServer.isAvailable)) func earlyHTTP2SuccessIsReceivedOnceTheStreamContinues()
            async throws
        {
            try await HTTP2Fixture.with { fixture in
                let blocked = BlockedStream.request(fixture.nginx.tlsURL("/tiny"))
                let operation = RequestOperation(request: blocked.request, options: fixture.options)
                let answered = Gate()
                operation.onDownloadProgress = { _, _, _ in answered.open() }
                operation.start()
                await answered.wait()
                blocked.gate.signal()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(operation.responseString == "Hello, world!")
            }
        }

        /// Starts and cancels forty blocked streams. Runs in its own process, so that threads can be counted.
        @Test func cancelledBlockedBodiesLeakNothing() async {
            await #expect(processExitsWith: .success) { try await Self.blockAndCount() }
        }

        private static func blockAndCount() async throws {
            try await TestServer.serving(script: script) { server in
                try await Storm.leavesNothingBehind(on: server, afterGetting: server.url()) {
                    let blocked = (0..<40).map { BlockedStream.request(server.url("/\($0)")) }
                    let operations = blocked.map { RequestOperation(request: $0.request) }
                    for operation in operations { operation.start() }
                    await server.waitForConnections(count: 2)
                    for operation in operations { operation.cancel() }
                    for operation in operations { await operation.ends() }
                    for stream in blocked { stream.gate.signal() }
                }
            }
        }
    }
}
