// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct ByteRateTests {
        private static let body = Data.patterned(byteCount: 100_000)

        /// What 200,000 bytes a second leave for 100,000 bytes: half a second, of which a tenth and the last piece are
        /// not waited for. Clocks are a few milliseconds apart.
        private static let leastTime = Duration.milliseconds(300)

        private func time(_ body: () async throws -> Void) async rethrows -> Duration {
            let clock = ContinuousClock()
            let start = clock.now
            try await body()
            return clock.now - start
        }

        @Test func downloadKeepsTheLimitOfItsOperation() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let operation = await get(server.url(), TransferOptions { $0.maximumBytesPerSecond = 200_000 })
                #expect(operation.error == nil)
                #expect(operation.responseData == Self.body)
                #expect(operation.summary.timings.total >= Self.leastTime)
            }
        }

        @Test(arguments: [100_000, 20_000])
        func uploadKeepsTheLimitOfItsOperation(byteCount: Int) async throws {
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

        @Test func limitCountsOverARedirect() async throws {
            try await TestServer.answering(.response(body: Self.body)) { target in
                let reply = Reply.redirect(to: target.url().absoluteString, status: 307)
                try await TestServer.answering(reply) { origin in
                    var request = URLRequest("PUT", origin.url())
                    request.httpBody = Self.body
                    let operation = await perform(request, TransferOptions { $0.maximumBytesPerSecond = 600_000 })
                    #expect(operation.responseData == Self.body)
                    // Three times the body, at six times its length a second.
                    #expect(operation.summary.timings.total >= Self.leastTime)
                }
            }
        }

        @Test(arguments: [true, false])
        func operationsOfAManagerShareItsLimits(isPerOrigin: Bool) async throws {
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
                // Each of them would take no time.
                let time = await time {
                    for operation in operations { manager.enqueue(operation) }
                    for operation in operations { await operation.waitAsOwner() }
                }
                #expect(operations.allSatisfy { $0.error == nil && $0.responseData?.count == 10_000 })
                #expect(time >= Self.leastTime)
            }
        }

        @Test func timeInWhichALimitHoldsATransferIsNotIdle() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                // A piece of 16 KiB is waited for longer than the idle limit allows.
                let options = TransferOptions {
                    $0.maximumBytesPerSecond = 80_000
                    $0.timeouts.idle = .milliseconds(100)
                    $0.lowSpeedLimit = LowSpeedLimit(bytesPerSecond: 10_000_000, duration: .milliseconds(150))
                }
                let download = await get(server.url(), options)
                #expect(download.responseData == Self.body, "\(String(describing: download.error))")
                var request = URLRequest("POST", server.url())
                request.httpBody = Self.body
                #expect(await perform(request, options).error == nil)
            }
        }

        @Test func heldTransferCanBePausedAndResumedAndCancelled() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let options = TransferOptions { $0.maximumBytesPerSecond = 100_000 }
                for method in ["GET", "POST"] {
                    var request = URLRequest(method, server.url())
                    if method == "POST" { request.httpBody = Self.body }
                    let operation = RequestOperation(request: request, options: options)
                    operation.start()
                    await server.waitForConnections(count: 1)
                    operation.pause()
                    operation.resume()
                    await operation.waitAsOwner()
                    #expect(operation.responseData == Self.body)
                    let cancelled = RequestOperation(request: request, options: options)
                    cancelled.start()
                    cancelled.cancel()
                    await cancelled.waitAsOwner()
                    #expect(cancelled.code == .cancelled)
                }
            }
        }

        @Test func totalLimitCountsWhileATransferIsHeld() async throws {
            try await TestServer.answering(.response(body: Self.body)) { server in
                let options = TransferOptions {
                    $0.maximumBytesPerSecond = 1
                    $0.timeouts.total = .milliseconds(200)
                }
                let operation = await get(server.url(), options)
                #expect(operation.code == .timedOut && operation.error?.timeLimit == .total)
            }
        }

        @Test(arguments: [0, -1]) func limitBelowOneByteIsRefusedBeforeAnythingIsSent(rate: Int) async throws {
            try await TestServer.answering(.response()) { server in
                let operation = await get(server.url(), TransferOptions { $0.maximumBytesPerSecond = rate })
                #expect(operation.code == .invalidRequest)
                #expect(server.connectionCount == 0)
            }
        }

        @Test(.enabled(if: HTTP2Server.isAvailable)) func streamsOfOneConnectionKeepTheirLimits() async throws {
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
                await closeIdleConnections()
            }
        }
    }
}
