// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension NetworkTests {
    /// HTTP/2 under limits of bytes a second: a rate-limited transfer has its own connection.
    @Suite(.enabled(if: NginxServer.isAvailable)) struct PacedHTTP2Tests {
        private static let body = Data.patterned(byteCount: 1_000_000)

        /// The number of turns of the network thread so far.
        private static func roundNumber() async -> UInt64 {
            await withCheckedContinuation { waiter in
                NetworkThread.shared.submit { waiter.resume(returning: NetworkThread.shared.eventLoop.roundNumber) }
            }
        }

        /// Starts a download at one byte a second, and waits for its first bytes.
        private static func pacedDownload(_ fixture: HTTP2Fixture) async throws -> RequestOperation {
            try fixture.folder.write("body", body)
            var options = fixture.options
            options.maximumBytesPerSecond = 1
            let paced = RequestOperation(request: URLRequest(url: fixture.nginx.tlsURL("/body")), options: options)
            let arrived = Gate()
            paced.onDownloadProgress = { _, total, _ in if total > 0 { arrived.open() } }
            paced.start()
            await arrived.wait()
            return paced
        }

        @Test func rateLimitedDownloadDoesNotDelayOthers() async throws {
            try await HTTP2Fixture.with { fixture in
                let paced = try await Self.pacedDownload(fixture)
                for _ in 0..<3 {
                    let operation = await get(fixture.nginx.tlsURL("/body"), fixture.options)
                    #expect(operation.responseData == Self.body)
                }
                // Another transfer under the same limit also has its own connection.
                var options = fixture.options
                options.maximumBytesPerSecond = 1
                let operation = await get(fixture.nginx.tlsURL("/tiny"), options)
                #expect(operation.responseString == "Hello, world!")
                #expect(!paced.isFinished)
                paced.cancel()
                await paced.waitAsOwner()
            }
        }

        @Test func networkThreadSleepsWhileDownloadIsRateLimited() async throws {
            try await HTTP2Fixture.with { fixture in
                let paced = try await Self.pacedDownload(fixture)
                let clock = Reply([.delay(.milliseconds(300))] + Reply.response(body: "tick").steps)
                try await TestServer.answering(clock) { server in
                    let before = await Self.roundNumber()
                    #expect(await get(server.url()).responseString == "tick")
                    // A request takes about ten rounds. A thread that always found its socket readable would have
                    // taken thousands.
                    let count = await Self.roundNumber() - before
                    #expect(count < 500, "\(count)")
                }
                #expect(!paced.isFinished)
                paced.cancel()
                await paced.waitAsOwner()
            }
        }

        @Test func downloadsShareManagerLimit() async throws {
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
                // 150,000 bytes. The bytes of a tenth of a second and the last piece are not waited for.
                #expect(clock.now - start >= .milliseconds(500))
            }
        }
    }
}
