// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet

/// An nginx that speaks HTTP/2 and forwards to a scripted server, and a folder for downloads.
struct HTTP2Fixture: Sendable {
    let nginx: NginxServer
    let server: TestServer
    let folder: TemporaryFolder
    let options: TransferOptions

    /// Runs `body` with both servers, and stops them at the end.
    static func with(
        directives: String = "", script: @escaping TestServer.Script = { .response(body: $0.target) },
        _ body: (HTTP2Fixture) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.serving(script: script) { server in
            let nginx = try await NginxServer.start(documentRoot: folder.url, directives: directives)
            let options = try TransferOptions.trustingTestAuthority
            do {
                try await body(HTTP2Fixture(nginx: nginx, server: server, folder: folder, options: options))
            } catch {
                await nginx.stop()
                throw error
            }
            await closeIdleConnections()
            await nginx.stop()
        }
    }

    /// The URL of a path on the scripted server.
    func url(_ path: String) -> URL { nginx.tlsURL("/to/\(server.port)" + path) }

    /// A manager that trusts the server and does not parse responses.
    func manager(concurrency: Int = 64) -> RequestOperationManager {
        var configuration = RequestOperationManager.Configuration()
        configuration.transferOptions = options
        configuration.maximumConcurrentTransferCount = concurrency
        configuration.maximumConcurrentTransferCountPerOrigin = concurrency
        let manager = RequestOperationManager(configuration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }
}
