// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite(.enabled(if: NginxServer.isAvailable)) struct GovernorNginxTests {
        /// nginx accepts 50 requests a second without a burst. Without a governor, nearly all requests would be
        /// refused.
        @Test func batchSucceedsAgainstUnknownRateLimit() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.write("file", "fine")
            let nginx = try await NginxServer.start(documentRoot: folder.url)
            var configuration = RequestOperationManager.Configuration()
            configuration.governor = Governor()
            configuration.maximumConcurrentTransferCountPerOrigin = 6
            configuration.retryPolicy = .standard
            configuration.retryPolicy?.maximumAttemptCount = 10
            configuration.responseSerializer = HTTPResponseSerializer()
            let manager = RequestOperationManager(configuration: configuration)
            let operations = (0..<100).map { _ in
                manager.started("GET", nginx.url("/limited/file").absoluteString)
            }
            for operation in operations { await operation.ends() }
            #expect(operations.allSatisfy { $0.error == nil })
            let refusalCount = operations.reduce(0) { $0 + $1.retries.count }
            #expect((1..<100).contains(refusalCount))
            let rate = try #require(await configuration.governor?.origins().first?.learnedRate)
            #expect((5...100).contains(rate))
            await closeIdleConnections()
            await nginx.stop()
        }
    }

    @Suite struct GovernorServerTests {
        /// The server's log decides: no request arrives during the back-off.
        @Test func nothingIsSentDuringRetryAfter() async throws {
            let times = Observed<[ContinuousClock.Instant]>([])
            let script: TestServer.Script = { _ in
                let number = times.update { times in
                    times.append(.now)
                    return times.count
                }
                return number == 1
                    ? .response(status: 429, headers: ["Retry-After": "1"], body: "busy") : .response(body: "fine")
            }
            try await TestServer.serving(script: script) { server in
                var configuration = RequestOperationManager.Configuration()
                configuration.governor = Governor()
                configuration.responseSerializer = HTTPResponseSerializer()
                let manager = RequestOperationManager(configuration: configuration)
                let first = manager.started("GET", server.url("/").absoluteString)
                await first.ends()
                #expect(first.statusCode == 429)
                let others = (0..<10).map { _ in manager.started("GET", server.url("/").absoluteString) }
                for operation in others { await operation.ends() }
                #expect(others.allSatisfy { $0.error == nil })
                let seen = times.value
                #expect(seen.count == 11)
                #expect(seen[1] - seen[0] >= .milliseconds(990))
                await closeIdleConnections()
            }
        }
    }
}
