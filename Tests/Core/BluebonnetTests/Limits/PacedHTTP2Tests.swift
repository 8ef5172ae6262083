// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// HTTP/2 under limits of bytes a second: what is held is alone on its connection.
    @Suite(.enabled(if: NginxServer.isAvailable)) struct PacedHTTP2Tests {
        private static let body = Data.patterned(byteCount: 1_000_000)

        /// The turns of the network thread so far.
        private static func roundNumber() async -> UInt64 {
            await withCheckedContinuation { waiter in
                NetworkThread.shared.submit { waiter.resume(returning: NetworkThread.shared.eventLoop.roundNumber) }
            }
        }

        /// Starts a download of which a byte a second may come, and waits for its first ones.
        private static func heldDownload(_ fixture: HTTP2Fixture) async throws -> RequestOperation {
            try fixture.folder.write("body", body)
            var options = fixture.options
            options.maximumBytesPerSecond = 1
            let held = RequestOperation(request: URLRequest(url: fixture.nginx.tlsURL("/body")), options: options)
            let arrived = Gate()
            held.onDownloadProgress = { _, total, _ in if total > 0 { arrived.open() } }
            held.start()
            await arrived.wait()
            return held
        }

        @Test func heldDownloadLeavesOthersAlone() async throws {
            try await HTTP2Fixture.with { fixture in
                let held = try await Self.heldDownload(fixture)
                for _ in 0..<3 {
                    let operation = await get(fixture.nginx.tlsURL("/body"), fixture.options)
                    #expect(operation.responseData == Self.body)
                }
                // Another one under the same limit has a connection of its own, too.
                var options = fixture.options
                options.maximumBytesPerSecond = 1
                let operation = await get(fixture.nginx.tlsURL("/tiny"), options)
                #expect(operation.responseString == "Hello, world!")
                #expect(!held.isFinished)
                held.cancel()
                await held.waitAsOwner()
            }
        }

        @Test func networkThreadSleepsWhileADownloadIsHeld() async throws {
            try await HTTP2Fixture.with { fixture in
                let held = try await Self.heldDownload(fixture)
                let clock = Reply([.delay(.milliseconds(300))] + Reply.response(body: "tick").steps)
                try await TestServer.answering(clock) { server in
                    let before = await Self.roundNumber()
                    #expect(await get(server.url()).responseString == "tick")
                    // A request takes some ten rounds. A thread that found its socket readable all the time would have
                    // had thousands.
                    let count = await Self.roundNumber() - before
                    #expect(count < 500, "\(count)")
                }
                #expect(!held.isFinished)
                held.cancel()
                await held.waitAsOwner()
            }
        }

        @Test func downloadsKeepTheirLimitTogether() async throws {
            try await HTTP2Fixture.with { fixture in
                try fixture.folder.write("part", Self.body.prefix(50_000))
                var configuration = RequestOperationManager.Configuration()
                configuration.transferOptions = fixture.options
                configuration.responseSerializer = HTTPResponseSerializer()
                configuration.maximumBytesPerSecond = 200_000
                let manager = RequestOperationManager(configuration: configuration)
                let operations = (0..<3).map { _ in
                    manager.operation(with: URLRequest(url: fixture.nginx.tlsURL("/part")))
                }
                let clock = ContinuousClock()
                let start = clock.now
                for operation in operations { manager.enqueue(operation) }
                for operation in operations {
                    await operation.waitAsOwner()
                    #expect(operation.error == nil && operation.responseData?.count == 50_000)
                }
                // 150,000 bytes, of which a tenth of a second's and the last piece are not waited for.
                #expect(clock.now - start >= .milliseconds(500))
            }
        }
    }
}
