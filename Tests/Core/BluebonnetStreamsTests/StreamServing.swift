// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

extension TestServer {
    /// Starts a server and a manager that trusts it, passes both to `body`, and stops the server at the end.
    static func withManager(
        _ options: Options = Options(), script: @escaping Script,
        _ body: (TestServer, RequestOperationManager) async throws -> Void
    ) async throws {
        try await serving(options, script: script) { server in
            let manager = RequestOperationManager(baseURL: server.url("/"))
            if options.certificate != nil {
                manager.securityPolicy = try SecurityPolicy(authorities: .file(TestCertificate.localhost.caPath))
            }
            try await body(server, manager)
        }
    }
}

extension TestServer.Options {
    /// HTTP/2 over TLS, which clients choose by ALPN.
    static var http2: TestServer.Options {
        var options = TestServer.Options()
        (options.certificate, options.speaksHTTP2) = (.localhost, true)
        return options
    }
}

/// A body of one piece, "abc", after which its sequence waits until the task that reads it is cancelled.
struct UnendingBody: Sendable {
    /// Open when the first piece is taken and the second is waited for.
    let isWaiting = Gate()
    let isCancelled = Gate()

    var pieces: AsyncStream<Data> {
        let isBegun = Observed(false)
        return AsyncStream {
            let isFirst = isBegun.update { isBegun in
                defer { isBegun = true }
                return !isBegun
            }
            if isFirst { return Data("abc".utf8) }
            isWaiting.open()
            await isCancelled.wait()
            return nil
        } onCancel: {
            isCancelled.open()
        }
    }
}
