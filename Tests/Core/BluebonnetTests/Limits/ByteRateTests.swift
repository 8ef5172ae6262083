// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct ByteRateTests {
        private static let body = Data.patterned(byteCount: 100_000)

        /// The least time for 100,000 bytes at 200,000 bytes a second: half a second, minus the saved tenth of a second
        /// and the last piece, which leaves 318 ms. Clocks differ by a few milliseconds.
        private static let leastTime = Duration.milliseconds(250)

        private func time(_ body: () async throws -> Void) async rethrows -> Duration {
            let clock = ContinuousClock()
            let start = clock.now
            try await body()
            return clock.now - start
        }

        @Test func downloadKeepsOperationLimit() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let operation = await get(server.url(), TransferOptions { $0.maximumBytesPerSecond = 200_000 })
                #expect(operation.error == nil)
                #expect(operation.responseData == Self.body)
                #expect(operation.summary.timings.total >= Self.leastTime)
            }
        }

        @Test(arguments: [100_000, 20_000])
        func uploadKeepsOperationLimit(byteCount: Int) async throws {
            try await TestServer.answering(.response(body: "taken")) { server in
                var request = URLRequest("POST", server.url())
                request.httpBody = Self.body.prefix(byteCount)
                let rate = byteCount * 2
                let operation = await perform(request, TransferOptions { $0.maximumBytesPerSecond = rate })
                #expect(operation.responseString == "taken")
                #expect(server.requests.first?.body == Self.body.prefix(byteCount))
                #expect(operation.summary.timings.total >= Self.leastTime)
            }
        }

        @Test func limitAppliesAcrossRedirect() async throws {
            try await TestServer.answering(.response(body: Self.body)) { target in
                let reply = Reply.redirect(to: target.url().absoluteString, status: 307)
                try await TestServer.answering(reply) { origin in
                    var request = URLRequest("PUT", origin.url())
                    request.httpBody = Self.body
                    let operation = await perform(request, TransferOptions { $0.maximumBytesPerSecond = 600_000 })
                    #expect(operation.responseData == Self.body)
                    // The body moves three times, at six times its length a second.
                    #expect(operation.summary.timings.total >= Self.leastTime)
                }
            }
        }

        @Test(arguments: [true, false])
        func operationsShareManagerLimits(isPerOrigin: Bool) async throws {
            try await TestServer.answering(.response(body: Self.body.prefix(10_000))) { server in
                var configuration = RequestOperationManager.Configuration()
                configuration.responseSerializer = HTTPResponseSerializer()
                if isPerOrigin {
                    configuration.maximumBytesPerSecondPerOrigin = 200_000
                } else {
                    configuration.maximumBytesPerSecond = 200_000
                }
                let manager = RequestOperationManager(baseURL: server.url(), configuration: configuration)
                let operations = (0..<10).map { manager.operation("GET", "\($0)") }
                // Each operation alone would take no time.
                let time = await time {
                    for operation in operations { manager.enqueue(operation) }
                    for operation in operations { await operation.waitAsOwner() }
                }
                #expect(operations.allSatisfy { $0.error == nil && $0.responseData?.count == 10_000 })
                #expect(time >= Self.leastTime)
            }
        }

        /// A second piece of 16 KiB is delayed for 1.3 s, which is longer than an error's body may be silent.
        @Test(arguments: [200, 500])
        func rateLimitDelayDoesNotCountAsIdleOrSlow(status: Int) async throws {
            let body = Self.body.prefix(30_000)
            try await TestServer.answering(.response(status: status, body: body)) { server in
                let options = TransferOptions {
                    $0.maximumBytesPerSecond = 12_000
                    $0.timeouts.idle = .seconds(1)
                    $0.lowSpeedLimit = LowSpeedLimit(bytesPerSecond: 10_000_000, duration: .seconds(1))
                }
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()), options: options)
                await operation.run().waitAsOwner()
                #expect(operation.statusCode == status)
                #expect(operation.responseData == body, "\(String(describing: operation.error))")
                #expect(operation.code == (status == 200 ? nil : .unacceptableStatus))
            }
        }

        /// The rest of the redirect's body is delayed for longer than a body is read to keep its connection.
        @Test func redirectKeepsConnectionWhileItsBodyIsRateLimited() async throws {
            let body = Self.body.prefix(20_000)
            let script: TestServer.Script = { request in
                guard request.path == "/start" else { return .response(body: "end") }
                return .response(status: 302, headers: ["Location": "/end"], body: body)
            }
            try await TestServer.serving(script: script) { server in
                let options = TransferOptions { $0.maximumBytesPerSecond = 25_000 }
                let operation = await get(server.url("/start"), options)
                #expect(operation.responseString == "end")
                #expect(server.connectionCount == 1)
                await closeIdleConnections()
            }
        }

        /// At one byte a second, nothing more would leave for minutes.
        @Test func earlyErrorResponseEndsRateLimitedUpload() async throws {
            var serverOptions = TestServer.Options()
            serverOptions.readsBodies = false
            try await TestServer.answering(.response(status: 413), serverOptions) { server in
                var request = URLRequest("POST", server.url())
                request.httpBody = Self.body
                let operation = await perform(request, TransferOptions { $0.maximumBytesPerSecond = 1 })
                #expect(operation.statusCode == 413)
            }
        }

        /// At one byte a second, only the first piece moves.
        @Test(arguments: ["GET", "POST"])
        func rateLimitedTransferCanBePausedResumedAndCancelled(method: String) async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                var request = URLRequest(method, server.url())
                if method == "POST" { request.httpBody = Self.body }
                let options = TransferOptions { $0.maximumBytesPerSecond = 1 }
                let operation = RequestOperation(request: request, options: options)
                let moved = Observed(Int64(0))
                operation.onDownloadProgress = { _, total, _ in moved.update { $0 = total } }
                operation.onUploadProgress = { _, total, _ in moved.update { $0 = total } }
                operation.start()
                await moved.becomes { $0 > 0 }
                operation.pause()
                await networkThreadAnswers()
                #expect(operation.isPaused)
                operation.resume()
                await networkThreadAnswers()
                #expect(!operation.isPaused && !operation.isFinished)
                #expect(moved.value <= 32_768)
                operation.cancel()
                await operation.waitAsOwner()
                #expect(operation.code == .cancelled)
            }
        }

        @Test func rateLimitedUploadContinuesAfterPause() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                var request = URLRequest("POST", server.url())
                request.httpBody = Self.body
                let operation = RequestOperation(
                    request: request, options: TransferOptions { $0.maximumBytesPerSecond = 200_000 })
                let moved = Observed(Int64(0))
                operation.onUploadProgress = { _, total, _ in moved.update { $0 = total } }
                operation.start()
                await moved.becomes { $0 > 0 }
                operation.pause()
                await networkThreadAnswers()
                operation.resume()
                await operation.waitAsOwner()
                #expect(operation.responseData == Self.body)
                #expect(server.requests.map(\.body) == [Self.body])
            }
        }

        @Test func rateLimitedTransferKeepsItsSlot() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let services = NetworkServices(limit: 1, limitPerOrigin: 1)
                func operation(_ bytesPerSecond: Int?) -> RequestOperation {
                    let options = TransferOptions { $0.maximumBytesPerSecond = bytesPerSecond }
                    return RequestOperation(
                        plan: RequestPlan(URLRequest(url: server.url()), options: ResolvedOptions(options)),
                        services: services)
                }
                let (slow, next) = (operation(1), operation(nil))
                let arrived = Gate()
                slow.onDownloadProgress = { _, total, _ in if total > 0 { arrived.open() } }
                slow.start()
                await arrived.wait()
                next.start()
                let sentence =
                    "the manager runs at most 1 transfer at once (maximumConcurrentTransferCount)"
                await becomes(sentence) { await next.waitReason?.description }
                #expect(server.requests.count == 1)
                slow.cancel()
                await slow.ends()
                await next.ends()
                #expect(next.responseData == Self.body)
            }
        }

        @Test func totalTimeoutIncludesRateLimitDelay() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let options = TransferOptions {
                    $0.maximumBytesPerSecond = 1
                    $0.timeouts.total = .milliseconds(200)
                }
                let operation = await get(server.url(), options)
                #expect(operation.code == .timedOut && operation.error?.timeLimit == .total)
            }
        }

        @Test(arguments: [0, -1]) func limitBelowOneByteIsRefusedBeforeSending(rate: Int) async throws {
            try await TestServer.answering(.response()) { server in
                let operation = await get(server.url(), TransferOptions { $0.maximumBytesPerSecond = rate })
                #expect(operation.code == .invalidRequest)
                #expect(server.connectionCount == 0)
            }
        }

        @Test(.enabled(if: HTTP2Server.isAvailable))
        func rateLimitedHTTP2RequestsUseSeparateConnections() async throws {
            try await HTTP2Server.serving { server in
                var options = try TransferOptions.withoutIdleLimit(trusting: .localhost)
                options.maximumBytesPerSecond = 200_000
                var request = URLRequest("POST", server.url("/upload"))
                request.httpBody = Self.body
                let operations = (0..<2).map { _ in RequestOperation(request: request, options: options) }
                for operation in operations { operation.start() }
                for operation in operations {
                    await operation.waitAsOwner()
                    #expect(operation.error == nil)
                    #expect(operation.summary.timings.total >= Self.leastTime)
                }
                let connections = Set(server.requests.map(\.connection))
                #expect(connections.count == 2)
                await get(server.url("/next"), options)
                #expect(
                    server.requests.count == 3 && server.requests.allSatisfy { connections.contains($0.connection) })
                await closeIdleConnections()
            }
        }
    }
}
