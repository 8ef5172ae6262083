// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A server learns that a request over HTTP/2 was given up. The other requests of its connection continue.
    @Suite struct GivenUpStreamTests {
        private struct Fixture {
            let server: TestServer
            let options: TransferOptions

            func operation(_ path: String, method: String = "GET", idle: Duration? = nil) -> RequestOperation {
                var options = options
                if let idle { options.timeouts.idle = idle }
                return RequestOperation(request: URLRequest(method, server.url(path)), options: options)
            }
        }

        /// A server whose paths determine how the response continues after its first byte.
        private static func with(_ body: (Fixture, _ end: Gate) async throws -> Void) async throws {
            let end = Gate()
            var serverOptions = TestServer.Options()
            (serverOptions.certificate, serverOptions.speaksHTTP2) = (.localhost, true)
            let script: TestServer.Script = { request in
                let head: [Reply.Step] = [.head(status: 200, fields: [:]), .body(Data("a".utf8))]
                switch request.target {
                case "/stalls": return Reply(head + [.stall])
                case "/goes-on": return Reply(head + [.endless(chunk: Data(repeating: 1, count: 10_000))])
                case "/waits": return Reply(head + [.wait(until: end), .body(Data("z".utf8))])
                default: return .response(body: "\(request.connection)")
                }
            }
            var options = TransferOptions()
            // This suite has its own connections.
            options.addressOverrides = ["given-up.test": "127.0.0.1"]
            options.securityPolicy = try SecurityPolicy(authorities: .file(TestCertificate.localhost.caPath))
            try await TestServer.serving(serverOptions, script: script) { [options] server in
                try await body(Fixture(server: server, options: options), end)
            }
        }

        /// Starts an operation and waits for its first byte.
        private static func start(_ operation: RequestOperation) async {
            let hasData = Gate()
            operation.onReceivedData = { _, _ in hasData.open() }
            operation.start()
            await hasData.wait()
        }

        @Test func cancelClosesAnUnsharedConnection() async throws {
            try await Self.with { fixture, _ in
                let operation = fixture.operation("/stalls")
                await Self.start(operation)
                operation.cancel()
                await fixture.server.waitForConnectionsToClose()
                #expect(await fixture.operation("/next").run().responseString == "2")
            }
        }

        /// Unread bytes wait on the connection.
        @Test func unsafeRequestSucceedsAfterACancelledDownload() async throws {
            try await Self.with { fixture, _ in
                let operation = fixture.operation("/goes-on")
                await Self.start(operation)
                operation.cancel()
                let next = await fixture.operation("/next", method: "POST").run()
                #expect(next.responseString == "2")
                await fixture.server.wait { $0.openConnectionCount == 1 }
            }
        }

        @Test func pauseOfAGETClosesAnUnsharedConnection() async throws {
            try await Self.with { fixture, end in
                let operation = fixture.operation("/waits")
                await Self.start(operation)
                operation.pause()
                await fixture.server.waitForConnectionsToClose()
                end.open()
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.responseString == "az")
                #expect(fixture.server.requests.map(\.connection) == [1, 2])
            }
        }

        @Test func timeLimitClosesAnUnsharedConnection() async throws {
            try await Self.with { fixture, _ in
                #expect(await fixture.operation("/stalls", idle: .milliseconds(200)).run().code == .timedOut)
                await fixture.server.waitForConnectionsToClose()
                #expect(await fixture.operation("/next").run().responseString == "2")
            }
        }

        @Test func cancelKeepsTheConnectionOfAnotherRequest() async throws {
            try await Self.with { fixture, end in
                let other = fixture.operation("/waits")
                await Self.start(other)
                let operation = fixture.operation("/stalls")
                await Self.start(operation)
                operation.cancel()
                try await operation.waitUntilEnded()
                end.open()
                try await other.waitUntilEnded()
                #expect(other.responseString == "az")
                #expect(await fixture.operation("/next").run().responseString == "1")
                #expect(fixture.server.connectionCount == 1)
            }
        }

        /// libcurl does not watch the connection of a paused transfer. A POST is paused in place.
        @Test func cancelKeepsTheConnectionOfAPausedRequest() async throws {
            try await Self.with { fixture, end in
                let paused = fixture.operation("/waits", method: "POST")
                await Self.start(paused)
                let operation = fixture.operation("/stalls")
                await Self.start(operation)
                paused.pause()
                await networkThreadAnswers()
                operation.cancel()
                try await operation.waitUntilEnded()
                end.open()
                paused.resume()
                try await paused.waitUntilEnded()
                #expect(paused.responseString == "az")
                #expect(fixture.server.connectionCount == 1)
                #expect(fixture.server.requests.map(\.target).sorted() == ["/stalls", "/waits"])
            }
        }
    }
}
