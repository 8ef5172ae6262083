// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import FaultKit
import Foundation
import RealServers
import Testing

extension FaultTests {
    /// An HTTP/2 connection whose path to the server is gone. Neither side closes the connection.
    @Suite(.enabled(if: NginxServer.isAvailable)) struct SilentConnectionTests {
        /// nginx over HTTP/2 through a proxy whose first connection falls silent.
        private func withNginx(
            _ body: (FaultProxy, RequestOperationManager, FaultTarget) async throws -> Void
        ) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try FaultTarget.writeFiles(into: folder.url)
            let nginx = try await NginxServer.start(documentRoot: folder.url)
            let schedule = FaultSchedule([.toClient(.stall(nil), afterByteCount: 30_000)])
            let result = await Result {
                try await FaultProxy.serving(toPort: nginx.tlsPort, schedule: schedule) { proxy in
                    let target = FaultTarget(
                        .nginx, port: proxy.port, authorityFile: try TestCertificate.localhost.caPath)
                    var configuration = RequestOperationManager.Configuration()
                    configuration.responseSerializer = HTTPResponseSerializer()
                    configuration.transferOptions = try target.options
                    // The connect timeout is not under test. Handshakes take long on a busy machine.
                    configuration.transferOptions.timeouts.connect = .seconds(20)
                    try await body(proxy, RequestOperationManager(configuration: configuration), target)
                }
            }
            await nginx.stop()
            try result.get()
        }

        private func get(
            _ byteCount: Int, _ manager: RequestOperationManager, _ target: FaultTarget,
            timeouts: Timeouts? = nil
        ) -> HTTPRequestOperation {
            let operation = manager.operation("GET", target.baseURL + target.path(byteCount: byteCount))
            if let timeouts { operation.timeouts = timeouts }
            return manager.enqueue(operation)
        }

        @Test(arguments: [Timeouts(idle: .milliseconds(600)), Timeouts(idle: .seconds(60), total: .milliseconds(600))])
        func requestAfterTimeoutUsesNewConnection(timeouts: Timeouts) async throws {
            try await withNginx { proxy, manager, target in
                let first = get(100_000, manager, target, timeouts: timeouts)
                try await first.waitUntilEnded()
                #expect(first.error?.code == .timedOut)
                let second = get(700, manager, target)
                try await second.waitUntilEnded()
                #expect(second.responseData == target.body(byteCount: 700))
                #expect(second.httpVersion == "2")
                let third = get(700, manager, target)
                try await third.waitUntilEnded()
                #expect(third.error == nil && third.summary.isReused)
                #expect(proxy.connectionCount == 2)
            }
        }

        @Test func requestSucceedsWhilePatientRequestStillWaits() async throws {
            try await withNginx { proxy, manager, target in
                let patient = get(100_000, manager, target, timeouts: Timeouts(idle: .seconds(60)))
                let hasBegun = Observed(false)
                patient.onDownloadProgress = { _, _, _ in hasBegun.update { $0 = true } }
                await hasBegun.becomes(true)
                let first = get(700, manager, target, timeouts: Timeouts(idle: .milliseconds(600)))
                try await first.waitUntilEnded()
                #expect(first.error?.code == .timedOut)
                let second = get(700, manager, target)
                try await second.waitUntilEnded()
                #expect(second.error == nil)
                #expect(!patient.isFinished)
                patient.cancel()
                try await patient.waitUntilEnded()
            }
        }
    }
}
